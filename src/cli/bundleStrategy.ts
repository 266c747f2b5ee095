import type * as Esbuild from 'esbuild';
import type { BuildFailure, Message, Metafile, Plugin, PluginBuild } from 'esbuild';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, extname, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ConfigError } from '../core/errors.ts';
import { sourceError } from './sourceError.ts';
import { unknownStrategy } from './strategyEntry.ts';

/** Imported, its exports would be looked for in its text, which takes longer than to run it. */
const require = createRequire(import.meta.url);

/** Our own modules: TypeScript in the repository, JavaScript in the package. */
export const OWN_FOLDER = fileURLToPath(new URL('..', import.meta.url));
/** Where the program is built into few files, these are two of them. */
const PROGRAM_ZOD = fileURLToPath(new URL('zod.js', import.meta.url));
const PROGRAM_STRATEGY = fileURLToPath(new URL('strategy.js', import.meta.url));
const STRATEGY_MODULE = resolve(OWN_FOLDER, `strategy/index${extname(import.meta.url)}`);

export type Bundle = Readonly<{
  /** One ES module with an inline source map, whose paths start at `folder`. */
  code: string;
  folder: string;
  /** The file of the strategy. */
  file: string;
  /** Every file that went into it, absolute, but those of this package. */
  inputs: readonly string[];
  /** SHA-256 over the names and contents of the inputs; the same wherever they lie. */
  hash: string;
}>;

/**
 * Makes one module of a strategy and all it imports. `entry` is an absolute path, or a package found from `folder`.
 * @throws {ConfigError} for a syntax error or an import that cannot be found, at its line
 */
export async function bundleStrategy(entry: string, folder: string): Promise<Bundle> {
  const { build } = require('esbuild') as typeof Esbuild;
  try {
    const { outputFiles, metafile } = await build({
      entryPoints: [entry],
      absWorkingDir: folder,
      outfile: resolve(folder, 'strategy.js'),
      write: false,
      metafile: true,
      bundle: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      sourcemap: 'inline',
      logLevel: 'silent',
      plugins: [ownModules],
    });
    const inputs = Object.keys(metafile.inputs)
      .map((input) => resolve(folder, input))
      .filter((input) => !input.startsWith(OWN_FOLDER));
    const file = resolve(folder, entryPointOf(metafile));
    return { code: outputFiles[0]?.text ?? '', folder, file, inputs, hash: hashOf(inputs) };
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

/**
 * Gives every strategy this very package as `drover/strategy`, and our zod when its folder has none of its own. Ours is
 * not copied in but shared, so that descriptions and checks are of one zod; the package is shared too, where it is built.
 */
const ownModules: Plugin = {
  name: 'own-modules',
  setup(build) {
    build.onResolve({ filter: /^drover\/strategy$/ }, () =>
      existsSync(PROGRAM_STRATEGY) ? shared(PROGRAM_STRATEGY) : { path: STRATEGY_MODULE },
    );
    build.onResolve({ filter: /^zod(?:\/|$)/ }, async ({ path, resolveDir, pluginData }) => {
      if (pluginData === ASKED) return undefined;
      const [theirs, ours] = await Promise.all([
        find(build, path, resolveDir),
        find(build, path, OWN_FOLDER),
      ]);
      const isTheirs = theirs.errors.length === 0 && theirs.path !== ours.path;
      if (isTheirs || ours.errors.length > 0) return theirs;
      return shared(path === 'zod' && existsSync(PROGRAM_ZOD) ? PROGRAM_ZOD : ours.path);
    });
  },
};

const shared = (file: string) => ({ path: pathToFileURL(file).href, external: true });

/** Marks our own questions, which must not be answered by the plugin that asks them. */
const ASKED = Symbol('asked');
const find = (build: PluginBuild, path: string, resolveDir: string) =>
  build.resolve(path, { kind: 'import-statement', resolveDir, pluginData: ASKED });

/** Without a location it is the strategy itself that cannot be found. */
function bundleError({ text, location }: Message, folder: string): ConfigError {
  const missing = /^Could not resolve "(.+)"/.exec(text)?.[1];
  if (!location) return missing === undefined ? new ConfigError(text) : unknownStrategy(missing, folder);
  const remedy = missing === undefined ? 'Correct it and start again' : remedyFor(missing);
  const { line, lineText: source } = location;
  const column = Buffer.from(source).subarray(0, location.column).toString().length + 1;
  const place = { file: resolve(folder, location.file), line, column, source };
  return sourceError({ problem: text, remedy, place });
}

function remedyFor(missing: string): string {
  if (missing.startsWith('.')) return 'Correct the path; it starts at the folder of the file that imports it';
  if (missing.startsWith('drover')) return 'A strategy imports drover/strategy and nothing else of drover';
  return `Install it beside the strategy (npm install ${missing}), or correct the name`;
}
