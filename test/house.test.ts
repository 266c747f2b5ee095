import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { recordWalks, stepsOf } from '../bench/walks.ts';

/** Greatest sizes of the house: lines of folders, and moves of `bench/walks.ts`. Whoever makes one greater writes it there. */
const sizes = z
  .strictObject({ lines: z.record(z.string(), z.int()), moves: z.record(z.string(), z.int()) })
  .parse(JSON.parse(readFileSync('test/house.json', 'utf8')));

/** Share of a size below which it is to be lowered, so that what was gained is not lost again. */
const SLACK = { lines: 0.99, moves: 0.9 };

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

test('src has no more lines than it had', () => {
  expectWithin(
    'lines',
    Object.fromEntries(Object.keys(sizes.lines).map((folder) => [folder, linesOf(folder)])),
  );
});

test('an order, a bar and a request pass no more files than they did', { tags: ['long'] }, async () => {
  const walks = await recordWalks();
  expectWithin('moves', Object.fromEntries([...walks].map(([name, walk]) => [name, stepsOf(walk).moves])));
});
