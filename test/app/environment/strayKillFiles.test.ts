import { expect, test } from 'vitest';
import { strayKillFiles } from '../../../src/app/environment/killSwitch.ts';

test('a KILL next to the config or in the working directory is found as one that stops nothing', () => {
  expect(strayKillFiles(['/bot/state/KILL'], ['/bot', '/bot/configs', '/bot/state', '/bot'])).toEqual([
    '/bot/KILL',
    '/bot/configs/KILL',
  ]);
});
