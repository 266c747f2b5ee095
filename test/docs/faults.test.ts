import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { SOMETIMES } from '../simulation/sometimes.ts';

const page = readFileSync('docs/faults.md', 'utf8');
const emulator = readFileSync('docs/emulator.md', 'utf8');
const FAULTS = 83;

const quoted = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);

const ENTRY = /^- \*\*(F\d+): (.+?)\.\*\* (.+) Switch: (.+)\. Tests: (.+)\. Counters: (.+)\.$/;

const entries = page
  .split(/\n(?=- \*\*F\d|\n)/)
  .filter((text) => text.startsWith('- **F'))
  .map((text) => {
    const [, id = '', , answer = '', by = '', tests = '', counters = ''] =
      ENTRY.exec(text.replaceAll(/\s+/g, ' ')) ?? [];
    return { id, by, answer, tests: quoted(tests), counters };
  });

test('docs/faults.md has an entry for every fault, in order', () => {
  expect(entries.map(({ id }) => id)).toEqual(Array.from({ length: FAULTS }, (_, index) => `F${index + 1}`));
});

describe('the entry of a fault', () => {
  test.each(entries)(
    'names existing tests, switches and counters: $id',
    ({ by, answer, tests, counters }) => {
      expect(answer).not.toBe('');
      expect(tests).not.toEqual([]);
      for (const file of tests) expect(existsSync(file), file).toBe(true);
      if (!by.startsWith('none')) for (const name of quoted(by)) expect(emulator).toContain(name);
      if (counters !== 'none') expect(SOMETIMES).toEqual(expect.arrayContaining(quoted(counters)));
      expect(by + counters).not.toBe('');
    },
  );
});

test('other tests and settings that docs/faults.md names exist', () => {
  const files = quoted(page).filter((name) => /^(test|config|src)\//.test(name));
  for (const file of files) expect(existsSync(file), file).toBe(true);
});
