import type { Bundle } from '../strategies/bundleStrategy.ts';
import type { BacktestOptions } from '../../backtest/options.ts';
import { fromExactJson, toExactJson } from '../../lab/queue/exactJson.ts';
import { bytesOf, columnsFrom } from '../../market/columns.ts';
import { withSharedBars, type TrialRecipe } from './trialRecipe.ts';

type Bars = BacktestOptions['bars'];

type PackedBars = readonly (Pick<Bars[number], 'symbol' | 'interval'> & Readonly<{ hash: string }>)[];

/** A recipe as text, with hashes in place of its bars. */
type PackedRecipe = Omit<TrialRecipe, 'options'> &
  Readonly<{
    options: Omit<TrialRecipe['options'], 'bars'>;
    bars: PackedBars;
    /** Bars outside the session; none if only the session is played. */
    outside: PackedBars;
  }>;

/** Hash of the recipe, and hashes of its bars. */
export type RecipeHashes = Readonly<{ recipe: string; bars: readonly string[] }>;

/** Stores the bars and code of a study under their hashes, by `keep`. */
export async function packRecipe(
  { options: { bars: columns, outside: night, ...options }, ...recipe }: TrialRecipe,
  keep: (bytes: Uint8Array) => Promise<string>,
): Promise<RecipeHashes> {
  const pack = async (sets: Bars): Promise<PackedBars> => {
    const packed: PackedBars[number][] = [];
    for (const { symbol, interval, ...rest } of sets)
      packed.push({ symbol, interval, hash: await keep(bytesOf(rest)) });
    return packed;
  };
  const [bars, outside] = [await pack(columns), await pack(night?.bars ?? [])];
  const own = { ...options, ...(night && { outside: { ...night, bars: [] } }) };
  const packed: PackedRecipe = { ...recipe, options: own, bars, outside };
  const hash = await keep(new TextEncoder().encode(toExactJson(packed)));
  return { recipe: hash, bars: [...bars, ...outside].map((set) => set.hash) };
}

/** A bundle from another machine: none of its source files are on this one. */
const withoutSources = (bundle: Bundle): Bundle => ({ ...bundle, inputs: [] });

/**
 * Recipe by its hash, with bars in memory shared by threads; `read` returns the bytes of a hash. Names of source files in it are dropped:
 * the sender chose them, and messages quote such files.
 */
export async function unpackRecipe(
  hash: string,
  read: (hash: string) => Promise<Uint8Array>,
): Promise<TrialRecipe> {
  const text = new TextDecoder().decode(await read(hash));
  const packed = fromExactJson(text) as PackedRecipe;
  const { bars: named, outside: night, options, strategy, functions, fill, ...recipe } = packed;
  const unpack = async (sets: PackedBars): Promise<Bars> => {
    const bars: Bars[number][] = [];
    for (const { symbol, interval, hash: own } of sets)
      bars.push({ symbol, interval, ...columnsFrom(await read(own), own) });
    return bars;
  };
  const bars = await unpack(named);
  const outside = options.outside && { ...options.outside, bars: await unpack(night) };
  const code = Object.entries(functions).map(([name, bundle]) => [name, withoutSources(bundle)] as const);
  const ownCode = {
    strategy: { ...strategy, bundle: withoutSources(strategy.bundle) },
    functions: Object.fromEntries(code),
    ...(fill && { fill: withoutSources(fill) }),
  };
  return {
    ...recipe,
    ...ownCode,
    options: withSharedBars({ ...options, bars, ...(outside && { outside }) }),
  };
}
