import type * as Esbuild from 'esbuild';
import { readdirSync, statSync, existsSync, readFileSync } from 'node:fs';
import { isAbsolute, parse, resolve, basename, extname } from 'node:path';
import type { BuildFailure, Message, Metafile, Plugin, PluginBuild } from 'esbuild';
import { createHash } from 'node:crypto';
import { createRequire, isBuiltin, SourceMap, type SourceMapPayload } from 'node:module';
import { pathToFileURL } from 'node:url';
import { ConfigError, messageOf, orElse } from '../../core/errors.ts';
import { shownText } from '../../core/printable.ts';
import { OWN_FOLDER, PACKAGE_FOLDER, programFile } from '../../process/files.ts';
import { suggest } from '../../core/suggest.ts';
import { CODE, NOT_OWN, ownFiles } from './ownFiles.ts';

const BUNDLED_FOLDER = resolve(PACKAGE_FOLDER, 'strategies');

/** Strategies included in this package, by their name in a config; without the benchmark ones. */
export const bundledStrategies = (): ReadonlyMap<string, string> =>
  new Map(
    readdirSync(BUNDLED_FOLDER)
      .filter((file) => !file.startsWith('bench-'))
      .map((file) => [parse(file).name, resolve(BUNDLED_FOLDER, file)]),
  );

/** `data:…`, `https:…`; a Node module (`node:fs`) gets its own error. */
const ADDRESS = /^(?!node:)[a-z][a-z0-9+.-]+:/i;

/**
 * Resolves `use` to the absolute path of a bundled strategy or a file, or otherwise to a package name.
 * @throws {ConfigError} when it can only be a file that does not exist, or is a URL
 */
export function entryOf(use: string, folder: string): string {
  if (ADDRESS.test(use) && !isAbsolute(use))
    throw new ConfigError(`${shownText(use, 80)} is a URL. Name a file, a bundled strategy or a package`);
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
  throw new ConfigError(`${path}: there is no such file. Correct the path; it is relative to ${folder}`, {
    path,
  });
}

/** Error for a `use` that is neither bundled nor a package. */
function unknownStrategy(use: string, folder: string): ConfigError {
  const names = [...bundledStrategies().keys()];
  const near = suggest(use, names);
  const remedy =
    near === undefined
      ? `Bundled strategies are ${names.join(', ')}; a file is written as ./${use}.ts`
      : `Did you mean ${near}?`;
  return new ConfigError(`no strategy is called "${use}", and ${folder} has no such package. ${remedy}`, {
    use,
    folder,
  });
}

/** Maximum number of characters of a source line in a message. */
const SOURCE_MAX = 160;

/** A place in a source file. Line and column start at 1; `source` is that line. */
export type SourcePlace = Readonly<{ file: string; line: number; column: number; source: string }>;

type SourceProblem = Readonly<{
  problem: string;
  remedy: string;
  place: SourcePlace;
  cause?: unknown;
}>;

/** Error for a file: problem, remedy, and the source line with a marker under the place. */
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

/** Loads esbuild with `require`: `import` would make Node scan its text for exports, which takes longer than running it. */
const require = createRequire(import.meta.url);

const BUILT_PLATFORM = programFile('platform.js');
const PLATFORM_MODULE = resolve(OWN_FOLDER, `app/realm/platform${extname(import.meta.url)}`);

/** A CommonJS module as the source of one function, so that a compartment can run it. */
const AS_FUNCTION = { banner: { js: '(function(module,exports,require){' }, footer: { js: '})' } };

/** Options that avoid text which a compartment refuses: no comments, and no dynamic imports. */
const FOR_COMPARTMENT = {
  write: false,
  bundle: true,
  format: 'cjs',
  platform: 'node',
  target: 'node20',
  legalComments: 'none',
  minifyWhitespace: true,
  supported: { 'dynamic-import': false },
  ...AS_FUNCTION,
  logLevel: 'silent',
} as const;

let platform: string | undefined;

/** Code of `drover/strategy` and zod for a compartment: part of the built program, or bundled on the fly from source. */
export const platformText = (): string =>
  (platform ??= existsSync(BUILT_PLATFORM) ? readFileSync(BUILT_PLATFORM, 'utf8') : fromSources());

function fromSources(): string {
  const { buildSync } = require('esbuild') as typeof Esbuild;
  return buildSync({ ...FOR_COMPARTMENT, entryPoints: [PLATFORM_MODULE] }).outputFiles[0]?.text ?? '';
}

export type Bundle = Readonly<{
  /** One module for a compartment, with an inline source map without sources, whose paths are relative to `folder`. */
  code: string;
  folder: string;
  /** The strategy's file. */
  file: string;
  /** All its source files, absolute, except those of this package. */
  inputs: readonly string[];
  /** SHA-256 of the names and contents of the inputs, independent of their folder. */
  hash: string;
}>;

/**
 * Bundles a strategy and all its imports into one module. `entry` is an absolute path, or a package found from `folder`. Nothing in
 * the files and folders of `kept` is read.
 * @throws {ConfigError} for a syntax error, an import that is not found or a built-in module of Node, at its line
 */
export async function bundleStrategy(
  entry: string,
  folder: string,
  kept: readonly string[],
): Promise<Bundle> {
  const { build } = require('esbuild') as typeof Esbuild;
  try {
    const { outputFiles, metafile } = await build({
      ...FOR_COMPARTMENT,
      entryPoints: [entry],
      absWorkingDir: folder,
      outfile: resolve(folder, 'strategy.js'),
      metafile: true,
      sourcemap: 'inline',
      // Otherwise esbuild would read every file named in a strategy's source map.
      sourcesContent: false,
      plugins: [builtins, ownModules, ownFiles(folder, kept)],
    });
    const inputs = Object.keys(metafile.inputs)
      .map((input) => resolve(folder, input))
      .filter((input) => !input.startsWith(OWN_FOLDER));
    const file = resolve(folder, entryPointOf(metafile));
    const code = outputFiles[0]?.text ?? '';
    return { code, folder, file, inputs, hash: hashOf(inputs) };
  } catch (thrown) {
    const [first] = isBuildFailure(thrown) ? thrown.errors : [];
    throw first ? bundleError(first, folder) : thrown;
  }
}

const isBuildFailure = (thrown: unknown): thrown is BuildFailure =>
  thrown instanceof Error && 'errors' in thrown && Array.isArray(thrown.errors);

const entryPointOf = ({ outputs }: Metafile): string =>
  Object.values(outputs).find(({ entryPoint }) => entryPoint)?.entryPoint ?? '';

function hashOf(files: readonly string[]): string {
  const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest('hex');
  const lines = files.map((file) => `${sha256(readFileSync(file))} ${basename(file)}`);
  return sha256(lines.sort().join('\n'));
}

/** Refuses imports of Node's built-in modules: files, network, processes. */
const builtins: Plugin = {
  name: 'builtins',
  setup(build) {
    build.onResolve({ filter: /^(node:)?[a-z_0-9]+(\/.*)?$/ }, ({ path }) =>
      isBuiltin(path)
        ? { errors: [{ text: `${JSON.stringify(path)} is a built-in module of Node`, detail: BUILTIN }] }
        : undefined,
    );
  },
};

/** Marks the error of such an import. */
const BUILTIN = 'built-in module';

/** Leaves `drover/strategy`, and zod unless the folder has its own, to the platform of the compartment. */
const ownModules: Plugin = {
  name: 'own-modules',
  setup(build) {
    build.onResolve({ filter: /^drover\/strategy$/ }, ({ path }) => ({ path, external: true }));
    build.onResolve({ filter: /^zod(?:\/|$)/ }, async ({ path, resolveDir, pluginData }) => {
      if (pluginData === OWN_REQUEST) return undefined;
      const [theirs, ours] = await Promise.all([
        find(build, path, resolveDir),
        find(build, path, OWN_FOLDER),
      ]);
      if (theirs.errors.length === 0 && theirs.path !== ours.path) return theirs;
      return path === 'zod' ? { path, external: true } : ours;
    });
  },
};

/** Marks resolutions requested by the plugin itself, which it must leave to esbuild. */
const OWN_REQUEST = Symbol('own request');
const find = (build: PluginBuild, path: string, resolveDir: string) =>
  build.resolve(path, { kind: 'import-statement', resolveDir, pluginData: OWN_REQUEST });

/** The first error of a build. If it has no location, the strategy itself was not found. */
function bundleError({ text, detail, ...message }: Message, folder: string): ConfigError {
  const location = message.location ?? message.notes.find((note) => note.location)?.location;
  const missing = /^Could not resolve "(.+)"/.exec(text)?.[1];
  if (!location) return missing === undefined ? new ConfigError(text) : unknownStrategy(missing, folder);
  if (!CODE.test(location.file))
    throw new ConfigError(
      `${resolve(folder, location.file)}:${location.line}: it is not readable JSON; its text is not shown, because it may be secret. Correct it, or remove the import`,
    );
  const remedy =
    detail === BUILTIN
      ? 'A strategy has no access to files, network or processes. Remove it, or use a package that needs none'
      : detail === NOT_OWN
        ? 'It was not bundled. Import code and JSON from its own folder and from packages; provide your own data by `series`'
        : missing === undefined
          ? 'Correct it and start again'
          : remedyFor(missing);
  const { line, lineText: source } = location;
  const column = Buffer.from(source).subarray(0, location.column).toString().length + 1;
  const place = { file: resolve(folder, location.file), line, column, source };
  return sourceError({ problem: text, remedy, place });
}

function remedyFor(missing: string): string {
  if (missing.startsWith('.')) return 'Correct the path; it is relative to the file that imports it';
  if (missing.startsWith('drover')) return 'A strategy imports drover/strategy and nothing else of drover';
  return `Install it beside the strategy (npm install ${missing}), or correct the name`;
}

/** Finds the place in a strategy's sources where an error was thrown; null if it was thrown elsewhere. */
export type Locate = (thrown: unknown) => SourcePlace | null;

/** Message of a strategy's error, preceded by its place in the sources if known. */
export function placedMessage(thrown: unknown, locate: Locate): string {
  const place = locate(thrown);
  return `${place ? `${place.file}:${place.line}:${place.column}: ` : ''}${messageOf(thrown)}`;
}

/** Name of a bundle in stack traces; its lines differ from those of the file. */
export const traceName = (file: string): string => `${pathToFileURL(file).href}?bundled`;

/** Prefers the author's own files to our helpers that they call. */
export function bundleLocator(bundle: Bundle): Locate {
  const name = traceName(bundle.file);
  return (thrown) => {
    const stack = thrown instanceof Error ? (thrown.stack ?? '') : '';
    const frames = stack.split(`${name}:`).slice(1);
    if (frames.length === 0) return null;
    const map = sourceMapOf(bundle.code);
    const places = frames.flatMap((frame) => placeOf(frame, map, bundle) ?? []);
    return places.find((place) => !place.file.startsWith(OWN_FOLDER)) ?? places[0] ?? null;
  };
}

function sourceMapOf(code: string): SourceMap {
  const base64 = code.slice(code.lastIndexOf(';base64,') + ';base64,'.length);
  return new SourceMap(JSON.parse(Buffer.from(base64, 'base64').toString()) as SourceMapPayload);
}

/** Source place of `frame`, which starts with `line:column` in the bundle, from 1; source maps count from 0. */
function placeOf(frame: string, map: SourceMap, bundle: Bundle): SourcePlace | null {
  const [, line, column] = /^(\d+):(\d+)/.exec(frame) ?? [];
  const entry = map.findEntry(Number(line) - 1, Number(column) - 1);
  if (!('originalSource' in entry)) return null;
  const { originalSource, originalLine, originalColumn } = entry;
  const file = resolve(bundle.folder, originalSource);
  const source = linesOf(file, bundle)[originalLine] ?? '';
  return { file, line: originalLine + 1, column: originalColumn + 1, source };
}

/** Lines of a source file of a bundle; none of any other file, which the strategy's source map may name. */
export function linesOf(file: string, { inputs }: Pick<Bundle, 'inputs'>): string[] {
  if (!inputs.includes(file)) return [];
  return orElse(() => readFileSync(file, 'utf8').split('\n'), []);
}
