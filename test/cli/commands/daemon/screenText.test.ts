import { expect, test } from 'vitest';
import { wrapped } from '../../../../src/cli/commands/daemon/screenText.ts';

test('a line of the screen never ends between the program and its command, so that it is named as it is started', () => {
  expect(wrapped('accept them by `drover orders accept TX`', 26)).toEqual([
    'accept them by',
    '`drover orders accept TX`',
  ]);
});
