import { readdirSync, statSync } from 'node:fs';
import { isAbsolute, parse, resolve } from 'node:path';
import { ConfigError } from '../core/errors.ts';
import { shownText } from '../core/printable.ts';
import { PACKAGE_FOLDER } from './folders.ts';
import { suggest } from '../core/suggest.ts';

const BUNDLED_FOLDER = resolve(PACKAGE_FOLDER, 'strategies');

/** The strategies that come with this package, by the name that a config uses; those of the benchmarks are not meant. */
const bundledStrategies = (): ReadonlyMap<string, string> =>
  new Map(
    readdirSync(BUNDLED_FOLDER)
      .filter((file) => !file.startsWith('bench-'))
      .map((file) => [parse(file).name, resolve(BUNDLED_FOLDER, file)]),
  );

/** `data:…`, `https:…`; a module of Node (`node:fs`) is refused as such. */
const ADDRESS = /^(?!node:)[a-z][a-z0-9+.-]+:/i;

/**
 * What `use` stands for: a bundled strategy or a file, as an absolute path, or else the name of a package.
 * @throws {ConfigError} when it can only be a file, and there is none, or is an address
 */
export function entryOf(use: string, folder: string): string {
  if (ADDRESS.test(use) && !isAbsolute(use))
    throw new ConfigError(
      `${shownText(use, 80)} is an address, and a strategy is none: name a file, a bundled strategy or a package`,
    );
  const path = resolve(folder, use);
  const isPath = isAbsolute(use) || use.startsWith('.');
  const bundled = isPath ? undefined : bundledStrategies().get(use);
  if (bundled !== undefined) return bundled;
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isFile() && !/\.[cm]?[jt]sx?$/.test(path))
    throw new ConfigError(`${path} is neither TypeScript nor JavaScript. Name a .ts or .js file`, { path });
  if (found?.isFile()) return path;
  if (found?.isDirectory() && isPath)
    throw new ConfigError(`${path} is a folder. Name the file in it that holds the strategy`, { path });
  if (!isPath && !/\.[cm]?[jt]s$/.test(use)) return use;
  throw new ConfigError(`${path}: there is no such file. Correct the path; it starts at ${folder}`, { path });
}

/** For a `use` that is neither bundled nor a package. */
export function unknownStrategy(use: string, folder: string): ConfigError {
  const names = [...bundledStrategies().keys()];
  const near = suggest(use, names);
  const remedy =
    near === undefined
      ? `Bundled are ${names.join(', ')}; a file is written ./${use}.ts`
      : `Did you mean ${near}?`;
  return new ConfigError(`no strategy is called "${use}", and ${folder} has no such package. ${remedy}`, {
    use,
    folder,
  });
}

/** Most characters of a source line that a message shows. */
const SOURCE_MAX = 160;

/** A place in a source file. Line and column count from 1; `source` is that line. */
export type SourcePlace = Readonly<{ file: string; line: number; column: number; source: string }>;

type SourceProblem = Readonly<{
  problem: string;
  remedy: string;
  place: SourcePlace;
  cause?: unknown;
}>;

/** What is wrong with a file, what to do about it, and the line itself with a mark under the place. */
export function sourceError({ problem, remedy, place, cause }: SourceProblem): ConfigError {
  const { file, line, column } = place;
  const source = place.source.slice(0, SOURCE_MAX);
  const gutter = `  ${line} | `;
  const indent = source.slice(0, column - 1).replace(/[^\t]/g, ' ');
  const mark = `${' '.repeat(gutter.length - 2)}| ${indent}^`;
  return new ConfigError(
    `${file}:${line}:${column}: ${problem}. ${remedy}\n${gutter}${source}\n${mark}`,
    { problem, remedy, ...place, source },
    { cause },
  );
}
