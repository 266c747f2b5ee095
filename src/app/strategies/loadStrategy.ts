import { messageOf, type ConfigError, StrategyError } from '../../core/errors.ts';
import type { StrategyDefinition } from '../../strategy/contract.ts';
import {
  bundleStrategy,
  bundleLocator,
  linesOf,
  platformText,
  traceName,
  type Bundle,
  type Locate,
  sourceError,
  type SourcePlace,
  entryOf,
} from './bundleStrategy.ts';
import { evaluate, type BundleExports } from '../realm/compartment.ts';
import { guarded } from '../realm/realm.ts';
import { confinedDefinition } from './confinedStrategy.ts';
import { shapeProblems, isRejection, uncaughtText } from '../realm/messages.ts';

export type LoadedStrategy = Readonly<{
  definition: StrategyDefinition;
  /** Absolute path. */
  file: string;
  /** SHA-256 over all its sources: two runs of one version with the same hash ran the same code. */
  hash: string;
  /** All its source files, absolute, except those of this package: the files to watch. */
  inputs: readonly string[];
  /** Finds the place in its sources where an error was thrown; null if it was thrown elsewhere. */
  locate: Locate;
  /** Its code as one module, from which another thread loads the same. */
  bundle: Bundle;
}>;

/**
 * Loads a strategy, TypeScript or JavaScript, without a build step, into a compartment. `use` is a path from `folder`, the name of a
 * bundled strategy, or a package that `folder` can import.
 * @throws {ConfigError} when there is none, when it does not compile or load, or when it is not a strategy; with the
 * file, line and column, the line itself and what to do
 */
export async function loadStrategy(
  use: string,
  folder: string,
  { kept, ...realm }: LoadOptions,
): Promise<LoadedStrategy> {
  const bundle = await bundleStrategy(entryOf(use, folder), folder, kept);
  const { file, hash, inputs } = bundle;
  return {
    definition: await definitionIn(bundle, realm),
    file,
    hash,
    inputs,
    locate: bundleLocator(bundle),
    bundle,
  };
}

/** The realm for third-party code: of this process, or of a thread. */
export type Realm = Readonly<{
  /** Freezes the realm before any of that code runs. */
  lock: () => Promise<void> | void;
  /** Receives text printed by that code. */
  print: (text: string) => void;
}>;

/** Realm of a strategy to be bundled, and the owner's `privatePaths`, which stay out of the bundle. */
export type LoadOptions = Realm & Readonly<{ kept: readonly string[] }>;

/** Strategy of a bundle. @throws {ConfigError} when its code throws, or is not a strategy */
export async function definitionIn(bundle: Bundle, realm: Realm): Promise<StrategyDefinition> {
  const { exported, jsonSchemaOf } = await runBundle(bundle, realm);
  const copy = guarded(() =>
    typeof exported === 'object' && exported !== null ? { ...exported } : exported,
  )();
  const problems = guarded(shapeProblems)(copy);
  if (problems.length > 0) throw notAStrategy(bundle, exported === undefined ? null : problems);
  return confinedDefinition(copy as StrategyDefinition, jsonSchemaOf);
}

/** Runs the code of a bundle in a compartment. @throws {ConfigError} with the place where it throws */
export async function runBundle(bundle: Bundle, { lock, print }: Realm): Promise<BundleExports> {
  await lock();
  const { code, file, inputs } = bundle;
  try {
    return guarded(evaluate)({ platform: platformText(), code, name: traceName(file) }, print);
  } catch (thrown) {
    throw throwsWhileLoaded(thrown, { file, inputs, locate: bundleLocator(bundle) });
  }
}

/** Text that a compartment refuses, even inside a string, by the code of its error. */
const REFUSED_TEXT: readonly (readonly [code: string, text: string, pattern: RegExp])[] = [
  ['SES_IMPORT_REJECTED', 'import(', /\bimport\s*\(/],
  ['SES_EVAL_REJECTED', 'eval(', /\beval\s*\(/],
  ['SES_HTML_COMMENT_REJECTED', '<!-- or -->', /<!--|-->/],
];

/** The error for a file whose code throws before it defines anything. */
export function throwsWhileLoaded(
  thrown: unknown,
  { file, inputs, locate }: Pick<LoadedStrategy, 'file' | 'inputs' | 'locate'>,
): ConfigError {
  const refused = REFUSED_TEXT.find(([code]) => messageOf(thrown).includes(code));
  if (refused)
    return sourceError({
      problem: `the text ${refused[1]} is in it, or in a package that it imports, and no strategy may have that, not even in a string`,
      remedy: 'Write it differently, or use another package',
      place: placeOf({ file, inputs }, refused[2]),
      cause: thrown,
    });
  const problem = `the strategy throws while it is loaded: ${messageOf(thrown)}`;
  const place = locate(thrown) ?? placeOf({ file, inputs }, /^/);
  const remedy = /[\\/]node_modules[\\/]/.test(place.file)
    ? 'This package needs something that strategies do not have, such as the global object. Use another (docs/isolation.md)'
    : 'Loading a file should only define the strategy; move the work into its hooks';
  return sourceError({ problem, remedy, place, cause: thrown });
}

type EntryFile = Pick<Bundle, 'file' | 'inputs'>;

/** The error for a file whose default export has these problems; null if it has no default export. */
export const notAStrategy = (entry: EntryFile, problems: readonly string[] | null): ConfigError =>
  sourceError({
    problem: problems
      ? `the default export is not a strategy: ${problems.join(', ')}`
      : 'the file has no default export',
    remedy: 'Write `export default defineStrategy({ … })`; strategies/sma-cross.ts is a short example',
    place: placeOf(entry, problems ? /\bexport\s+default\b|\bas\s+default\b/ : /^/),
  });

/** The first matching line, or else the first line. */
export function placeOf({ file, inputs }: EntryFile, pattern: RegExp): SourcePlace {
  const lines = linesOf(file, { inputs });
  const source = lines.find((line) => pattern.test(line)) ?? lines[0] ?? '';
  return {
    file,
    line: Math.max(1, lines.indexOf(source) + 1),
    column: Math.max(0, source.search(pattern)) + 1,
    source,
  };
}

type StrategyOrigin = Readonly<{ id: string; explain?: (thrown: unknown) => string }>;

/**
 * Adds strategy and place to an uncaught error thrown by a strategy's file, such as an unhandled promise rejection. Any other
 * error is returned unchanged.
 */
export function attributeError(thrown: unknown, strategies: readonly StrategyOrigin[]): unknown {
  const places = strategies.flatMap(({ id, explain }) => {
    const text = explain?.(thrown) ?? messageOf(thrown);
    return text === messageOf(thrown) ? [] : [{ id, text }];
  });
  // Without an Error there is no place; it came from a strategy, because no other code leaves promises unhandled.
  const blamable =
    places.length === 0 && isRejection(thrown)
      ? strategies.map(({ id }) => ({ id, text: uncaughtText(thrown) }))
      : places;
  const [first] = blamable;
  if (!first) return thrown;
  const who = blamable.map(({ id }) => id).join(' or ');
  const advice = 'A hook must not start work that continues after it: its errors cannot be caught';
  return new StrategyError(
    `strategy ${who} threw outside its hooks: ${first.text}. ${advice}`,
    { strategy: who },
    { cause: thrown },
  );
}
