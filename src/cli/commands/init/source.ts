import { existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { ConfigError } from '../../../core/errors.ts';
import { VERSION } from '../../../core/version.ts';
import { PACKAGE_FOLDER, readText } from '../../../process/files.ts';
import type { Packages } from './project.ts';

/** Runs TypeScript tests with Node's test runner, using the esbuild that drover includes. */
const TSX = '^4.23.0';

/** Packages of a new bot: this drover, and the exact zod, compiler and types that it was built with. */
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
 * Package specifier of drover for a new folder's package.json: a version, or `file:` with an absolute path. `given` is either, or a
 * path from `cwd`. Without it, that of the running drover: its packed file if npm installed that, its clone, or its version.
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

/** Package specifier of the drover in a folder. @throws {ConfigError} when it was installed from a file that is gone */
export function runningSpec(folder: string): string {
  const modules = dirname(resolve(folder));
  if (basename(modules) !== 'node_modules') return `file:${resolve(folder)}`;
  // npm records there where it installed each package from.
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
