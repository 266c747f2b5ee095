import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { killSwitch } from '../../src/cli/run/killSwitch.ts';

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
