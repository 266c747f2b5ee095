import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

const PROGRAM = `
  import { restore } from './release/freeze.js';
  import 'ses';
  restore();
  lockdown();
  const { prototype } = Float64Array;
  const all = [Object.prototype, Array.prototype, Object.getPrototypeOf(prototype), prototype];
  const tries = [() => { all[1].push = 1; }, () => { delete all[3].constructor; }, () => { all[0].more = 1; }, () => { all[2][0] = 1; }];
  const refused = tries.filter((attempt) => { try { attempt(); return false; } catch { return true; } });
  const own = Object.freeze.toString().includes('[native code]');
  console.log(JSON.stringify({ frozen: all.map(Object.isFrozen), refused: refused.length, own }));
`;

test('SES freezes prototypes property by property as it freezes them itself, and leaves Object.freeze as it was', () => {
  const args = ['--input-type=module', '-e', PROGRAM];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect(stderr).toBe('');
  expect(JSON.parse(stdout)).toEqual({ frozen: [true, true, true, true], refused: 4, own: true });
});
