import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { recordWalks, stepsOf } from '../bench/walks.ts';

/** Largest allowed sizes: lines of folders, moves of `bench/walks.ts`, circles of imports with types. A larger size must be entered there. */
const sizes = z
  .strictObject({
    lines: z.record(z.string(), z.int()),
    moves: z.record(z.string(), z.int()),
    circles: z.record(z.string(), z.int()),
  })
  .parse(JSON.parse(readFileSync('test/house.json', 'utf8')));

/** Share of a size below which its limit must be lowered, so that the gain is kept. */
const SLACK = { lines: 0.99, moves: 0.9, circles: 1 };

function expectWithin(kind: keyof typeof sizes, measured: Readonly<Record<string, number>>): void {
  expect(Object.keys(measured)).toEqual(Object.keys(sizes[kind]));
  for (const [name, greatest] of Object.entries(sizes[kind])) {
    expect(
      measured[name],
      `${kind} of ${name}: less is better, more stands in test/house.json`,
    ).toBeLessThanOrEqual(greatest);
    expect(measured[name], `${kind} of ${name}: lower it in test/house.json`).toBeGreaterThanOrEqual(
      SLACK[kind] * greatest,
    );
  }
}

const linesOf = (folder: string): number =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .reduce((sum, file) => sum + readFileSync(join(folder, file), 'utf8').split('\n').length - 1, 0);

test('src has no more lines than test/house.json allows', () => {
  expectWithin(
    'lines',
    Object.fromEntries(Object.keys(sizes.lines).map((folder) => [folder, linesOf(folder)])),
  );
});

/** Files of `src` that a file imports, types included. */
function importsOf(file: string): string[] {
  const { importedFiles } = ts.preProcessFile(readFileSync(file, 'utf8'));
  return importedFiles.flatMap(({ fileName }) =>
    fileName.startsWith('.') ? [join(dirname(file), fileName)] : [],
  );
}

/** Groups of files that all reach each other by imports (Tarjan's strongly connected components), of more than one file. */
function circlesIn(imports: ReadonlyMap<string, readonly string[]>): string[][] {
  const [numbers, lows, path, found] = [
    new Map<string, number>(),
    new Map<string, number>(),
    [] as string[],
    [] as string[][],
  ];
  const visit = (file: string): number => {
    const number = numbers.size;
    numbers.set(file, number);
    path.push(file);
    let low = number;
    for (const next of imports.get(file) ?? [])
      if (!numbers.has(next)) low = Math.min(low, visit(next));
      else if (path.includes(next)) low = Math.min(low, lows.get(next) ?? numbers.get(next) ?? low);
    lows.set(file, low);
    if (low === number) found.push(path.splice(path.indexOf(file)));
    return low;
  };
  for (const file of imports.keys()) if (!numbers.has(file)) visit(file);
  return found.filter(({ length }) => length > 1);
}

test('src has no more or larger circles of types than test/house.json allows', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => join('src', file));
  const circles = circlesIn(new Map(files.map((file) => [file, importsOf(file)])));
  const largest = Math.max(...circles.map(({ length }) => length));
  expectWithin('circles', { all: circles.length, 'files of the largest': largest });
});

test(
  'an order, a bar and a request pass through no more files than test/house.json allows',
  { tags: ['long'] },
  async () => {
    const walks = await recordWalks();
    expectWithin('moves', Object.fromEntries([...walks].map(([name, walk]) => [name, stepsOf(walk).moves])));
  },
);
