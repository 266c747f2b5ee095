import { existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { ConfigError } from '../../../core/errors.ts';
import { VERSION } from '../../../core/version.ts';
import { PACKAGE_FOLDER, readText } from '../../../process/files.ts';
import type { Packages } from './project.ts';

/** Runs the tests: TypeScript for the test runner of Node, by the esbuild that drover brings. */
const TSX = '^4.23.0';

/** Packages of a new bot: this drover, and the very zod, compiler and types that it was built with. */
export function packagesOf(drover: string): Packages {
  const own = JSON.parse(readText(join(PACKAGE_FOLDER, 'package.json'))) as Packages;
  const { dependencies, devDependencies, engines } = own;
  return {
    dependencies: { drover, zod: dependencies['zod'] ?? '*' },
    devDependencies: {
      '@types/node': devDependencies['@types/node'] ?? '*',
      tsx: TSX,
      typescript: devDependencies['typescript'] ?? '*',
    },
    engines,
  };
}

const VERSION_OR_RANGE = /^[\w.^~<>=|*+ -]{1,80}$/;

/**
 * Names the drover of a new folder as its package.json does: a version, or `file:` and an absolute path. `given` is one of the two,
 * a path from `cwd`. Without it, the one that is running: from its packed file where npm installed that, from the clone,
 * or its version.
 * @throws {ConfigError} when there is no such file
 */
export function droverSpec(given: string | undefined, cwd: string): string {
  if (given === undefined) return runningSpec(PACKAGE_FOLDER);
  const path = resolve(cwd, given.replace(/^file:/, ''));
  if (existsSync(path)) return `file:${path}`;
  if (VERSION_OR_RANGE.test(given) && !given.endsWith('.tgz')) return given;
  throw new ConfigError(
    `--drover ${given}: there is no such file, and it is not a version. Nothing was written. ` +
      `Name the packed file (drover-${VERSION}.tgz), or a version such as ${VERSION}`,
  );
}

type LockFile = Readonly<{ packages?: Readonly<Record<string, { resolved?: string } | undefined>> }>;

/** The spec of the drover in a folder. @throws {ConfigError} when it was installed from a file that is gone */
export function runningSpec(folder: string): string {
  const modules = dirname(resolve(folder));
  if (basename(modules) !== 'node_modules') return `file:${resolve(folder)}`;
  // npm writes there from where it has installed each package.
  const lock = join(modules, '.package-lock.json');
  if (!existsSync(lock)) return VERSION;
  const { packages } = JSON.parse(readText(lock)) as LockFile;
  const { resolved = '' } = packages?.['node_modules/drover'] ?? {};
  if (!resolved.startsWith('file:')) return VERSION;
  const path = resolve(dirname(modules), resolved.slice('file:'.length));
  if (existsSync(path)) return `file:${path}`;
  throw new ConfigError(
    `${path}, from which this drover was installed, is gone. Nothing was written. Name it: --drover FILE.tgz`,
    { path },
  );
}
