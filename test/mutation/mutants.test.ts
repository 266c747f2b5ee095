import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { MUTANTS } from './mutants.ts';

const read = (file: string) => readFileSync(fileURLToPath(new URL(`../../${file}`, import.meta.url)), 'utf8');

test.each(MUTANTS)('every edit of mutant $name matches its source file', ({ edits }) => {
  for (const { file, find, replace } of edits) {
    expect(read(file).split(find).length - 1, `${file}: ${find}`).toBe(1);
    expect(replace).not.toBe(find);
  }
});
