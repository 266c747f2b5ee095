import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { killSwitch, watchKillFiles } from '../../../src/app/environment/killSwitch.ts';

const folder = mkdtempSync(join(tmpdir(), 'drover-kill-'));
afterAll(() => rmSync(folder, { recursive: true }));
const at = (name: string) => join(folder, name);

test.each<[string, make: (file: string) => unknown, isThere: boolean]>([
  ['nothing', () => undefined, false],
  ['a file', (file) => writeFileSync(file, ''), true],
  ['a folder', (file) => mkdirSync(file), true],
  ['a link that leads nowhere', (file) => symlinkSync(at('nowhere'), file), true],
])('a kill file that is %s: sends are stopped or not', (name, make, isThere) => {
  const file = at(name);
  make(file);
  expect(killSwitch(file)()).toBe(isThere);
});

test('a kill file whose folder cannot be read stops sends', () => {
  symlinkSync(at('loop'), at('loop'));
  expect(killSwitch(join(at('loop'), 'KILL'))()).toBe(true);
});

test('kill files that appear and disappear are reported within a second, each change once', () => {
  const due: (() => void)[] = [];
  const waits: number[] = [];
  const after = (ms: number, run: () => void) => {
    waits.push(ms);
    due.push(run);
    return () => void due.splice(0);
  };
  const [first, second] = [at('KILL'), at('STOP')];
  writeFileSync(first, '');
  const seen: (readonly string[])[] = [];
  const unwatch = watchKillFiles([first, second], { after }, (there) => void seen.push(there));
  const look = () => due.shift()?.();
  expect(seen).toEqual([[first]]);
  look();
  writeFileSync(second, '');
  look();
  look();
  rmSync(first);
  look();
  rmSync(second);
  look();
  expect(seen).toEqual([[first], [first, second], [second], []]);
  expect(Math.max(...waits)).toBeLessThan(1_000);
  unwatch();
  expect(due).toEqual([]);
});
