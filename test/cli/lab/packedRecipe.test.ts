import { expect, test } from 'vitest';
import { hashHex } from '../../../src/core/random.ts';
import { packRecipe, unpackRecipe } from '../../../src/cli/lab/packedRecipe.ts';
import type { TrialRecipe } from '../../../src/cli/lab/trialRecipe.ts';
import { walk } from '../../lab/study/stage.ts';

const recipe: TrialRecipe = {
  options: { bars: [walk(50), walk(20, 2)], fill: 'next-open' },
  exceptions: [],
  strategy: {
    id: 'averages',
    bundle: { code: 'export {}', folder: '/', file: '/a.ts', inputs: [], hash: 'h' },
    params: { short: 5 },
    series: {},
  },
  objectives: [],
  functions: {},
};

test('a recipe comes back as it was, with bars in memory that threads share, each kept once', async () => {
  const kept = new Map<string, Uint8Array>();
  const keep = (bytes: Uint8Array) => {
    const hash = hashHex(bytes.join());
    kept.set(hash, bytes);
    return Promise.resolve(hash);
  };
  const hashes = await packRecipe(recipe, keep);
  expect(hashes.bars).toHaveLength(2);
  expect(kept.size).toBe(3);
  const read = await unpackRecipe(hashes.recipe, (hash) =>
    Promise.resolve(kept.get(hash) ?? new Uint8Array()),
  );
  expect(read.strategy.params).toEqual(recipe.strategy.params);
  for (const [index, { symbol, interval, ...columns }] of read.options.bars.entries()) {
    const { symbol: name, interval: length, ...given } = recipe.options.bars[index] ?? walk(0);
    expect([symbol, interval]).toEqual([name, length]);
    expect(columns.close.buffer).toBeInstanceOf(SharedArrayBuffer);
    expect(Object.entries(columns).map(([column, values]) => [column, [...values]])).toEqual(
      Object.entries(given).map(([column, values]) => [column, [...values]]),
    );
  }
});
