import { expect, test } from 'vitest';
import { strayKillFiles } from '../../../src/app/environment/killSwitch.ts';

test('a KILL file next to the config or in the working directory is reported as stopping nothing', () => {
  expect(strayKillFiles(['/bot/state/KILL'], ['/bot', '/bot/configs', '/bot/state', '/bot'])).toEqual([
    '/bot/KILL',
    '/bot/configs/KILL',
  ]);
});
