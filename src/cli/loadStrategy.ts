import { readFileSync } from 'node:fs';
import { messageOf } from '../core/errors.ts';
import type { StrategyDefinition } from '../strategy/contract.ts';
import { bundleStrategy } from './bundleStrategy.ts';
import { bundleLocator, bundleUrl, type Locate } from './bundleLocator.ts';
import { sourceError, type SourcePlace } from './sourceError.ts';
import { entryOf } from './strategyEntry.ts';

export type LoadedStrategy = Readonly<{
  definition: StrategyDefinition;
  /** Absolute. */
  file: string;
  /** SHA-256 over everything it was made from: two runs of one version with the same hash ran the same code. */
  hash: string;
  /** Every file it was made from, absolute, but those of this package: what to watch. */
  inputs: readonly string[];
  /** Where in its sources an error was thrown; null when it was not thrown there. */
  locate: Locate;
}>;

/**
 * Loads a strategy, TypeScript or JavaScript, without a build step. `use` is a path from `folder`, the name of a
 * bundled strategy, or a package that `folder` can import.
 * @throws {ConfigError} when there is none, when it does not compile or load, or when it is not a strategy; with the
 * file, line and column, the line itself and what to do
 */
export async function loadStrategy(use: string, folder: string): Promise<LoadedStrategy> {
  const bundling = bundleStrategy(entryOf(use, folder), folder);
  // Next to every strategy imports it: it is loaded while the bundle is made in a process of its own.
  const [bundle] = await Promise.all([bundling, import('zod')]);
  const { file, hash, inputs } = bundle;
  const locate = bundleLocator(bundle);
  const loaded = await importModule(bundleUrl(bundle)).catch((thrown: unknown) => {
    const problem = `the strategy throws while it is loaded: ${messageOf(thrown)}`;
    const remedy = 'Loading a file should only define the strategy; move the work into its hooks';
    throw sourceError({ problem, remedy, place: locate(thrown) ?? placeOf(file, /^/), cause: thrown });
  });
  return { definition: definitionOf(loaded, file), file, hash, inputs, locate };
}

const importModule = async (url: string) => (await import(url)) as { default?: unknown };

function definitionOf({ default: exported }: { default?: unknown }, file: string): StrategyDefinition {
  if (exported === undefined) throw notAStrategy('the file has no default export', placeOf(file, /^/));
  const problems = shapeProblems(exported);
  if (problems.length === 0) return exported as StrategyDefinition;
  const problem = `the default export is not a strategy: ${problems.join(', ')}`;
  throw notAStrategy(problem, placeOf(file, /\bexport\s+default\b|\bas\s+default\b/));
}

const notAStrategy = (problem: string, place: SourcePlace) =>
  sourceError({
    problem,
    remedy: 'Write `export default defineStrategy({ … })`; strategies/sma-cross.ts is a short example',
    place,
  });

const isText = (value: unknown) => typeof value === 'string' && value !== '';
const isFunction = (value: unknown) =>
  typeof value === 'function' && value.constructor.name !== 'AsyncFunction';
const isSchema = (value: unknown) => typeof value === 'object' && value !== null && '_zod' in value;

const PARTS: readonly Readonly<{
  name: keyof StrategyDefinition;
  is: (value: unknown) => boolean;
  what: string;
}>[] = [
  { name: 'name', is: isText, what: 'a text' },
  { name: 'description', is: isText, what: 'a text' },
  { name: 'params', is: isSchema, what: 'a schema of zod 4' },
  { name: 'data', is: isFunction, what: 'a function that is not async' },
  { name: 'create', is: isFunction, what: 'a function that is not async' },
];

function shapeProblems(exported: unknown): string[] {
  if (typeof exported !== 'object' || exported === null)
    return [`it is ${exported === null ? 'null' : `a ${typeof exported}`}`];
  const parts = exported as Readonly<Record<string, unknown>>;
  return PARTS.filter(({ name, is }) => !is(parts[name])).map(({ name, what }) => `${name} must be ${what}`);
}

/** The first line that matches, or the first of all. */
function placeOf(file: string, pattern: RegExp): SourcePlace {
  const lines = readFileSync(file, 'utf8').split('\n');
  const source = lines.find((line) => pattern.test(line)) ?? lines[0] ?? '';
  return { file, line: lines.indexOf(source) + 1, column: Math.max(0, source.search(pattern)) + 1, source };
}
