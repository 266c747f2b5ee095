import { expect, test } from 'vitest';
import { wrapped } from '../../../../src/cli/commands/daemon/screenText.ts';

test('the screen never breaks a line between the program and its command', () => {
  expect(wrapped('accept them by `drover orders accept TX`', 26)).toEqual([
    'accept them by',
    '`drover orders accept TX`',
  ]);
});
