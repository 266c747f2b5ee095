import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hashHex } from '../../../src/core/random.ts';
import { packRecipe, unpackRecipe } from '../../../src/app/lab/packedRecipe.ts';
import type { TrialRecipe } from '../../../src/app/lab/trialRecipe.ts';
import { definitionIn } from '../../../src/app/strategies/loadStrategy.ts';
import { openRealm } from '../strategies/openRealm.ts';
import { walk } from '../../lab/study/stage.ts';

const recipe: TrialRecipe = {
  options: {
    bars: [walk(50), walk(20, 2)],
    outside: { trade: ['regular', 'post'], bars: [walk(30, 3)] },
    fill: 'next-open',
  },
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

const unpacked = async (packed: TrialRecipe): Promise<TrialRecipe> => {
  const artifacts = new Map<string, Uint8Array>();
  const { recipe: hash } = await packRecipe(packed, (bytes) => {
    artifacts.set(hashHex(bytes.join()), bytes);
    return Promise.resolve(hashHex(bytes.join()));
  });
  return unpackRecipe(hash, (wanted) => Promise.resolve(artifacts.get(wanted) ?? new Uint8Array()));
};

test('errors in the code of another machine quote no file of this machine', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'packed-recipe-'));
  const file = join(folder, 'passwd.ts');
  writeFileSync(file, 'the text of this machine');
  const code = '(function(module,exports,require){module.exports.default=1})';
  const bundle = { code, folder, file, inputs: [file], hash: 'h' };
  const foreign = {
    ...recipe,
    strategy: { ...recipe.strategy, bundle },
    functions: { [file]: bundle },
    fill: bundle,
  };
  const { strategy, functions, fill } = await unpacked(foreign);
  expect([strategy.bundle, functions[file], fill].map((one) => one?.inputs)).toEqual([[], [], []]);
  const problem: unknown = await definitionIn(strategy.bundle, openRealm).catch((error: unknown) => error);
  expect(String(problem)).toContain('is not a strategy');
  expect(String(problem)).not.toContain('the text of this machine');
});

test('a recipe is unpacked as it was packed, with its bars in shared memory', async () => {
  const kept = new Map<string, Uint8Array>();
  const keep = (bytes: Uint8Array) => {
    const hash = hashHex(bytes.join());
    kept.set(hash, bytes);
    return Promise.resolve(hash);
  };
  const hashes = await packRecipe(recipe, keep);
  expect(hashes.bars).toHaveLength(3);
  expect(kept.size).toBe(4);
  const read = await unpackRecipe(hashes.recipe, (hash) =>
    Promise.resolve(kept.get(hash) ?? new Uint8Array()),
  );
  expect(read.strategy.params).toEqual(recipe.strategy.params);
  const barsOf = ({ options: { bars, outside } }: TrialRecipe) => [...bars, ...(outside?.bars ?? [])];
  expect(read.options.outside?.trade).toEqual(['regular', 'post']);
  expect(barsOf(read)).toHaveLength(3);
  for (const [index, { symbol, interval, ...columns }] of barsOf(read).entries()) {
    const { symbol: name, interval: length, ...given } = barsOf(recipe)[index] ?? walk(0);
    expect([symbol, interval]).toEqual([name, length]);
    expect(columns.close.buffer).toBeInstanceOf(SharedArrayBuffer);
    expect(Object.entries(columns).map(([column, values]) => [column, [...values]])).toEqual(
      Object.entries(given).map(([column, values]) => [column, [...values]]),
    );
  }
});
