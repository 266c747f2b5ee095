import { readFileSync } from 'node:fs';
import { messageOf, type ConfigError, StrategyError } from '../../core/errors.ts';
import type { StrategyDefinition } from '../../strategy/contract.ts';
import {
  bundleStrategy,
  bundleLocator,
  bundleUrl,
  type Bundle,
  type Locate,
  sourceError,
  type SourcePlace,
  entryOf,
} from './bundleStrategy.ts';
import { shapeProblems, isRejection, uncaughtText } from '../isolation/messages.ts';

export type LoadedStrategy = Readonly<{
  definition: StrategyDefinition;
  /** Absolute. */
  file: string;
  /** SHA-256 over everything it was made from: two runs of one version with the same hash ran the same code. */
  hash: string;
  /** Every file it was made from, absolute, without those of this package: the files to watch. */
  inputs: readonly string[];
  /** Finds the place in its sources where an error was thrown; null when it was not thrown there. */
  locate: Locate;
  /** Its code as one module, by which another thread loads the same. */
  bundle: Bundle;
}>;

/**
 * Loads a strategy, TypeScript or JavaScript, without a build step. `use` is a path from `folder`, the name of a
 * bundled strategy, or a package that `folder` can import.
 * @throws {ConfigError} when there is none, when it does not compile or load, or when it is not a strategy; with the
 * file, line and column, the line itself and what to do
 */
export async function loadStrategy(
  use: string,
  folder: string,
  allow: readonly string[] = [],
): Promise<LoadedStrategy> {
  const bundling = bundleStrategy(entryOf(use, folder), folder, { format: 'esm', allow });
  // Nearly every strategy imports it: it is loaded while esbuild makes the bundle in a process of its own.
  const [bundle] = await Promise.all([bundling, import('zod')]);
  const loaded = await importBundle(bundle);
  const { file, hash, inputs } = bundle;
  return {
    definition: definitionOf(loaded, file),
    file,
    hash,
    inputs,
    locate: bundleLocator(bundle),
    bundle,
  };
}

/** Strategy of a bundle that was loaded before, as in another thread. @throws {ConfigError} when its code throws */
export const definitionIn = async (bundle: Bundle): Promise<StrategyDefinition> =>
  definitionOf(await importBundle(bundle), bundle.file);

/** Runs the code of a bundle. @throws {ConfigError} with the place where it throws */
export async function importBundle(bundle: Bundle): Promise<{ default?: unknown }> {
  return importModule(bundleUrl(bundle)).catch((thrown: unknown) => {
    throw throwsWhileLoaded(thrown, { file: bundle.file, locate: bundleLocator(bundle) });
  });
}

const importModule = async (url: string) => (await import(url)) as { default?: unknown };

/** The error for a file whose code throws before it has defined anything. */
export function throwsWhileLoaded(
  thrown: unknown,
  { file, locate }: Pick<LoadedStrategy, 'file' | 'locate'>,
): ConfigError {
  const problem = `the strategy throws while it is loaded: ${messageOf(thrown)}`;
  const remedy = 'Loading a file should only define the strategy; move the work into its hooks';
  return sourceError({ problem, remedy, place: locate(thrown) ?? placeOf(file, /^/), cause: thrown });
}

function definitionOf({ default: exported }: { default?: unknown }, file: string): StrategyDefinition {
  const problems = shapeProblems(exported);
  if (problems.length === 0) return exported as StrategyDefinition;
  throw notAStrategy(file, exported === undefined ? null : problems);
}

/** The error for a file whose default export has these problems; null where it has no default export. */
export const notAStrategy = (file: string, problems: readonly string[] | null): ConfigError =>
  sourceError({
    problem: problems
      ? `the default export is not a strategy: ${problems.join(', ')}`
      : 'the file has no default export',
    remedy: 'Write `export default defineStrategy({ … })`; strategies/sma-cross.ts is a short example',
    place: placeOf(file, problems ? /\bexport\s+default\b|\bas\s+default\b/ : /^/),
  });

/** The first line that matches, or the first of all. */
function placeOf(file: string, pattern: RegExp): SourcePlace {
  const lines = readFileSync(file, 'utf8').split('\n');
  const source = lines.find((line) => pattern.test(line)) ?? lines[0] ?? '';
  return { file, line: lines.indexOf(source) + 1, column: Math.max(0, source.search(pattern)) + 1, source };
}

type StrategyOrigin = Readonly<{ id: string; explain?: (thrown: unknown) => string }>;

/**
 * Names strategy and place in an error that nobody caught, where the file of a strategy threw it: as when a promise is rejected
 * that nobody waits for. Any other error is returned as it is.
 */
export function attributeError(thrown: unknown, strategies: readonly StrategyOrigin[]): unknown {
  const places = strategies.flatMap(({ id, explain }) => {
    const text = explain?.(thrown) ?? messageOf(thrown);
    return text === messageOf(thrown) ? [] : [{ id, text }];
  });
  // Without an Error there is no place: it was one of the strategies, because nothing else is left to itself.
  const blamable =
    places.length === 0 && isRejection(thrown)
      ? strategies.map(({ id }) => ({ id, text: uncaughtText(thrown) }))
      : places;
  const [first] = blamable;
  if (!first) return thrown;
  const who = blamable.map(({ id }) => id).join(' or ');
  const advice = 'A hook must not start work that continues after it: nobody can catch what that throws';
  return new StrategyError(
    `strategy ${who} threw outside its hooks: ${first.text}. ${advice}`,
    { strategy: who },
    { cause: thrown },
  );
}
