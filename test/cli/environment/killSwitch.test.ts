import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { killSwitch, watchKillFile } from '../../../src/cli/environment/killSwitch.ts';

const folder = mkdtempSync(join(tmpdir(), 'drover-kill-'));
afterAll(() => rmSync(folder, { recursive: true }));
const at = (name: string) => join(folder, name);

test.each<[string, make: (file: string) => unknown, isThere: boolean]>([
  ['nothing', () => undefined, false],
  ['a file', (file) => writeFileSync(file, ''), true],
  ['a folder', (file) => mkdirSync(file), true],
  ['a link that leads nowhere', (file) => symlinkSync(at('nowhere'), file), true],
])('%s stops sends or does not', (name, make, isThere) => {
  const file = at(name);
  make(file);
  expect(killSwitch(file)()).toBe(isThere);
});

test('a place where nobody may look stops them too', () => {
  symlinkSync(at('loop'), at('loop'));
  expect(killSwitch(join(at('loop'), 'KILL'))()).toBe(true);
});

test('its coming and going are told within a second, each once', () => {
  const due: (() => void)[] = [];
  const waits: number[] = [];
  const after = (ms: number, run: () => void) => {
    waits.push(ms);
    due.push(run);
    return () => void due.splice(0);
  };
  let isThere = true;
  const told: boolean[] = [];
  const unwatch = watchKillFile(
    () => isThere,
    { after },
    (now) => told.push(now),
  );
  const look = () => due.shift()?.();
  expect(told).toEqual([true]);
  look();
  isThere = false;
  look();
  look();
  isThere = true;
  look();
  expect(told).toEqual([true, false, true]);
  expect(Math.max(...waits)).toBeLessThan(1_000);
  unwatch();
  expect(due).toEqual([]);
});
