import type * as Esbuild from 'esbuild';
import { readdirSync, statSync, existsSync, readFileSync } from 'node:fs';
import { isAbsolute, parse, resolve, basename, extname } from 'node:path';
import type { BuildFailure, Message, Metafile, Plugin, PluginBuild } from 'esbuild';
import { createHash } from 'node:crypto';
import { createRequire, isBuiltin, SourceMap, type SourceMapPayload } from 'node:module';
import { pathToFileURL } from 'node:url';
import { ConfigError, messageOf } from '../../core/errors.ts';
import { shownText } from '../../core/printable.ts';
import { OWN_FOLDER, PACKAGE_FOLDER, programFile } from '../files.ts';
import { suggest } from '../../core/suggest.ts';

const BUNDLED_FOLDER = resolve(PACKAGE_FOLDER, 'strategies');

/** The strategies that come with this package, by the name that a config uses; without those of the benchmarks. */
const bundledStrategies = (): ReadonlyMap<string, string> =>
  new Map(
    readdirSync(BUNDLED_FOLDER)
      .filter((file) => !file.startsWith('bench-'))
      .map((file) => [parse(file).name, resolve(BUNDLED_FOLDER, file)]),
  );

/** `data:…`, `https:…`; a module of Node (`node:fs`) is refused as such. */
const ADDRESS = /^(?!node:)[a-z][a-z0-9+.-]+:/i;

/**
 * Resolves `use`: a bundled strategy or a file, as an absolute path, or else the name of a package.
 * @throws {ConfigError} when it can only be a file, and there is none, or is an address
 */
export function entryOf(use: string, folder: string): string {
  if (ADDRESS.test(use) && !isAbsolute(use))
    throw new ConfigError(
      `${shownText(use, 80)} is an address. Name a file, a bundled strategy or a package`,
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

/** Error for a file: problem, remedy, and the line itself with a mark under the place. */
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

/** Loads esbuild by `require`: to import it, Node would search its text for exports, which takes longer than running it. */
const require = createRequire(import.meta.url);

const PROGRAM_ZOD = programFile('zod.js');
const PROGRAM_STRATEGY = programFile('strategy.js');
const STRATEGY_MODULE = resolve(OWN_FOLDER, `strategy/index${extname(import.meta.url)}`);

export type Bundle = Readonly<{
  /** One module with an inline source map, whose paths are relative to `folder`. */
  code: string;
  folder: string;
  /** The file of the strategy. */
  file: string;
  /** Every file that went into it, absolute; without those of this package. */
  inputs: readonly string[];
  /** SHA-256 of the names and contents of the inputs, independent of their folder. */
  hash: string;
  /** Modules that it imports from outside: shared ones by their URLs, and built-in ones. */
  imports: readonly string[];
  /** Specifier of this program's own zod. */
  zod: string;
}>;

type BundleOptions = Readonly<{
  /** `esm` to import it here; `cjs` to run it as a function, in a thread of its own. */
  format: 'esm' | 'cjs';
  /** Built-in modules of Node that the strategy may import, without `node:`. */
  allow: readonly string[];
}>;

/**
 * Bundles a strategy and all its imports into one module. `entry` is an absolute path, or a package found from `folder`.
 * @throws {ConfigError} for a syntax error, an import that is not found or a built-in module that is not allowed, at its
 * line
 */
export async function bundleStrategy(
  entry: string,
  folder: string,
  { format, allow }: BundleOptions,
): Promise<Bundle> {
  const { build } = require('esbuild') as typeof Esbuild;
  const shares = { zod: '' };
  try {
    const { outputFiles, metafile } = await build({
      entryPoints: [entry],
      absWorkingDir: folder,
      outfile: resolve(folder, 'strategy.js'),
      write: false,
      metafile: true,
      bundle: true,
      format,
      platform: 'node',
      target: 'node20',
      sourcemap: 'inline',
      logLevel: 'silent',
      plugins: [builtins(allow), ownModules(shares)],
    });
    const inputs = Object.keys(metafile.inputs)
      .map((input) => resolve(folder, input))
      .filter((input) => !input.startsWith(OWN_FOLDER));
    const file = resolve(folder, entryPointOf(metafile));
    const imports = Object.values(metafile.outputs).flatMap((output) =>
      output.imports.flatMap(({ path, external }) => (external ? [path] : [])),
    );
    const code = outputFiles[0]?.text ?? '';
    return { code, folder, file, inputs, hash: hashOf(inputs), imports, zod: shares.zod };
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

/** The name of a built-in module without `node:` and path: that of `node:fs/promises` is `fs`. */
const builtinRoot = (name: string): string => name.replace(/^node:/, '').replace(/\/.*$/, '');

/** Refuses imports of Node's own modules that are not allowed: files, network, processes. */
const builtins = (allow: readonly string[]): Plugin => ({
  name: 'builtins',
  setup(build) {
    build.onResolve({ filter: /^(node:)?[a-z_0-9]+(\/.*)?$/ }, ({ path }) => {
      if (!isBuiltin(path)) return undefined;
      if (allow.includes(builtinRoot(path))) return { path, external: true };
      const detail: ModuleRefusal = { refused: builtinRoot(path) };
      return { errors: [{ text: `${JSON.stringify(path)} is a built-in module of Node`, detail }] };
    });
  },
});

/** Error text for a built-in module that is not allowed. */
type ModuleRefusal = Readonly<{ refused: string }>;

/**
 * Gives every strategy this very package as `drover/strategy`, and our zod when its folder has none of its own. Ours is
 * not copied in but shared, so that descriptions and checks are of one zod; the package is shared too, where it is built.
 */
const ownModules = (shares: { zod: string }): Plugin => ({
  name: 'own-modules',
  setup(build) {
    build.onStart(async () => {
      const ours = existsSync(PROGRAM_ZOD) ? PROGRAM_ZOD : (await find(build, 'zod', OWN_FOLDER)).path;
      shares.zod = pathToFileURL(ours).href;
    });
    build.onResolve({ filter: /^drover\/strategy$/ }, () =>
      existsSync(PROGRAM_STRATEGY) ? shared(PROGRAM_STRATEGY) : { path: STRATEGY_MODULE },
    );
    build.onResolve({ filter: /^zod(?:\/|$)/ }, async ({ path, resolveDir, pluginData }) => {
      if (pluginData === OWN_REQUEST) return undefined;
      const [theirs, ours] = await Promise.all([
        find(build, path, resolveDir),
        find(build, path, OWN_FOLDER),
      ]);
      const isTheirs = theirs.errors.length === 0 && theirs.path !== ours.path;
      if (isTheirs || ours.errors.length > 0) return theirs;
      return shared(path === 'zod' && existsSync(PROGRAM_ZOD) ? PROGRAM_ZOD : ours.path);
    });
  },
});

const shared = (file: string) => ({ path: pathToFileURL(file).href, external: true });

/** Marks resolutions that the plugin itself requests, and must leave to esbuild. */
const OWN_REQUEST = Symbol('own request');
const find = (build: PluginBuild, path: string, resolveDir: string) =>
  build.resolve(path, { kind: 'import-statement', resolveDir, pluginData: OWN_REQUEST });

/** Names that stand for modules of this program in a bundle on its way to another machine. */
const PORTABLE = { strategy: 'drover:strategy', zod: 'drover:zod' };

/**
 * A bundle that runs where this version of drover lies in another folder, once `bundleHere` has placed it there.
 * @throws {ConfigError} when it needs a file of this machine
 */
export function portableBundle(bundle: Bundle): Bundle {
  const strategy = pathToFileURL(PROGRAM_STRATEGY).href;
  const portable = renamed(bundle, { [strategy]: PORTABLE.strategy, [bundle.zod]: PORTABLE.zod });
  const local = portable.imports.find((path) => path.startsWith('file:'));
  if (local === undefined) return portable;
  throw new ConfigError(
    `${bundle.file} needs ${local}, which other machines do not have. Import zod as "zod"`,
  );
}

/** A bundle of another machine, with the modules of this program in their places here. */
export function bundleHere(bundle: Bundle): Bundle {
  const zod = existsSync(PROGRAM_ZOD) ? pathToFileURL(PROGRAM_ZOD).href : import.meta.resolve('zod');
  const strategy = pathToFileURL(PROGRAM_STRATEGY).href;
  return renamed(bundle, { [PORTABLE.strategy]: strategy, [PORTABLE.zod]: zod });
}

/** The bundle, with other specifiers of modules. */
function renamed(bundle: Bundle, names: Readonly<Record<string, string>>): Bundle {
  const renamedOne = (path: string) => names[path] ?? path;
  const code = Object.entries(names).reduce(
    (text, [from, to]) => text.replaceAll(JSON.stringify(from), JSON.stringify(to)),
    bundle.code,
  );
  return { ...bundle, code, imports: bundle.imports.map(renamedOne), zod: renamedOne(bundle.zod) };
}

/** The first error of a build. One without a location means that the strategy itself cannot be found. */
function bundleError({ text, location, detail }: Message, folder: string): ConfigError {
  const missing = /^Could not resolve "(.+)"/.exec(text)?.[1];
  if (!location) return missing === undefined ? new ConfigError(text) : unknownStrategy(missing, folder);
  const remedy = isRefused(detail)
    ? allowRemedy(detail.refused)
    : missing === undefined
      ? 'Correct it and start again'
      : remedyFor(missing);
  const { line, lineText: source } = location;
  const column = Buffer.from(source).subarray(0, location.column).toString().length + 1;
  const place = { file: resolve(folder, location.file), line, column, source };
  return sourceError({ problem: text, remedy, place });
}

const isRefused = (detail: unknown): detail is ModuleRefusal =>
  typeof detail === 'object' && detail !== null && 'refused' in detail;

const allowRemedy = (name: string): string =>
  `A strategy may use files, network and processes only where its entry of the config allows them. Remove it, or add allow: [${name}] there`;

function remedyFor(missing: string): string {
  if (missing.startsWith('.')) return 'Correct the path; it is relative to the file that imports it';
  if (missing.startsWith('drover')) return 'A strategy imports drover/strategy and nothing else of drover';
  return `Install it beside the strategy (npm install ${missing}), or correct the name`;
}

/** Finds the place in a strategy's sources where an error was thrown; null when it was not thrown there. */
export type Locate = (thrown: unknown) => SourcePlace | null;

/** Message of an error of a strategy, after the place in its sources where there is one. */
export function placedMessage(thrown: unknown, locate: Locate): string {
  const place = locate(thrown);
  return `${place ? `${place.file}:${place.line}:${place.column}: ` : ''}${messageOf(thrown)}`;
}

/** Name of a bundle in stack traces, whose lines are not those of the file. */
export const traceName = (file: string): string => `${pathToFileURL(file).href}?bundled`;

/** URL to import a bundle by. */
export const bundleUrl = ({ code, file }: Bundle): string =>
  `data:text/javascript;base64,${Buffer.from(`${code}//# sourceURL=${traceName(file)}\n`).toString('base64')}`;

/** Prefers the author's own files to the helpers of ours that they call. */
export function bundleLocator(bundle: Bundle): Locate {
  const name = traceName(bundle.file);
  return (thrown) => {
    const stack = thrown instanceof Error ? (thrown.stack ?? '') : '';
    // A host that rewrites stack traces may name the URL instead.
    const frames = stack.replaceAll(bundleUrl(bundle), name).split(`${name}:`).slice(1);
    if (frames.length === 0) return null;
    const map = sourceMapOf(bundle.code);
    const places = frames.flatMap((frame) => placeOf(frame, map, bundle.folder) ?? []);
    return places.find((place) => !place.file.startsWith(OWN_FOLDER)) ?? places[0] ?? null;
  };
}

function sourceMapOf(code: string): SourceMap {
  const [, base64 = ''] = code.split('//# sourceMappingURL=data:application/json;base64,');
  return new SourceMap(JSON.parse(Buffer.from(base64, 'base64').toString()) as SourceMapPayload);
}

/** `frame` starts with `line:column` in the bundle, counted from 1; source maps count from 0. */
function placeOf(frame: string, map: SourceMap, folder: string): SourcePlace | null {
  const [, line, column] = /^(\d+):(\d+)/.exec(frame) ?? [];
  const entry = map.findEntry(Number(line) - 1, Number(column) - 1);
  if (!('originalSource' in entry)) return null;
  const { originalSource, originalLine, originalColumn } = entry;
  const { sources, sourcesContent } = map.payload;
  const source = sourcesContent[sources.indexOf(originalSource)]?.split('\n')[originalLine] ?? '';
  return {
    file: resolve(folder, originalSource),
    line: originalLine + 1,
    column: originalColumn + 1,
    source,
  };
}
