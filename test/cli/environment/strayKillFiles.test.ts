import { expect, test } from 'vitest';
import { strayKillFiles } from '../../../src/cli/environment/killSwitch.ts';

test('a kill file beside the config, the state folder or here stops nothing, and is looked for', () => {
  expect(strayKillFiles(['/bot/state/KILL'], ['/bot', '/bot/configs', '/bot/state', '/bot'])).toEqual([
    '/bot/KILL',
    '/bot/configs/KILL',
  ]);
});
