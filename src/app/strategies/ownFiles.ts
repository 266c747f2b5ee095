import type { Plugin } from 'esbuild';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, relative, resolve, sep } from 'node:path';
import { likelySecretsIn, SECRET_KEY } from '../config/likelySecrets.ts';
import { isWithin, PACKAGE_FOLDER } from '../../process/files.ts';
import { orElse } from '../../core/errors.ts';

/** Marks the error of an import of a file that may not be part of a bundle. */
export const NOT_OWN = 'not a file of the strategy';

const PRIVATE = 'is a secret or the state of a run';

/** Name of a secret, like that of an environment variable, or of a password, such as `db_password`. */
const VARIABLE = /_(KEY|TOKEN)$|([sS]ecret|SECRET|[pP]assword|PASSWORD|[pP]assphrase|PASSPHRASE)$/;

/** Name of a code file. */
export const CODE = /\.[cm]?[jt]sx?$/;

/**
 * Admits to a bundle only code and JSON from the strategy's own folder and from packages. Links are resolved first, so that a
 * link, a map in package.json or paths in tsconfig cannot lead elsewhere.
 * @param kept files and folders that are never read, wherever they are
 */
export const ownFiles = (folder: string, kept: readonly string[]): Plugin => ({
  name: 'own-files',
  setup(build) {
    let own: string | undefined;
    let packages: readonly string[] = [];
    const never = kept.filter((path) => existsSync(path)).map((path) => realpathSync(path));
    const problemOf = (path: string): string | null =>
      never.some((one) => path === one || isWithin(path, one))
        ? PRIVATE
        : foreignProblem(path, own ?? '', packages);
    build.onLoad({ filter: /.*/, namespace: 'file' }, ({ path: found }) => {
      const path = realpathSync(found);
      const isFirst = own === undefined;
      // The first file loaded is the strategy itself.
      own ??= dirname(path);
      if (isFirst) packages = [own, folder, PACKAGE_FOLDER].flatMap(packageFolders);
      const text = isFirst ? (never.includes(path) ? PRIVATE : null) : problemOf(path);
      if (text !== null) return { errors: [{ text: `${path} ${text}`, detail: NOT_OWN }] };
      // esbuild itself reads the source map that a file names.
      const map = CODE.test(path)
        ? mapsOf(path).find((named) => !named.endsWith('.map') || problemOf(named))
        : null;
      if (!map) return undefined;
      return {
        errors: [{ text: `${path} names the source map ${map}, which is not its own`, detail: NOT_OWN }],
      };
    });
  },
});

/** Folders where packages are searched from a folder: its own, and those of its parents. */
function packageFolders(folder: string): string[] {
  const above = dirname(folder);
  const rest = above === folder ? [] : packageFolders(above);
  return orElse(() => {
    // A link of this name may point to any folder.
    const own = realpathSync(resolve(folder, 'node_modules'));
    return basename(own) === 'node_modules' ? [own, ...rest] : rest;
  }, rest);
}

const MAP = /[#@]\s*sourceMappingURL=\s*([^\s'"]+)/g;

/** Existing files that a code file names as its source map. */
const mapsOf = (path: string): string[] =>
  [...readFileSync(path, 'utf8').matchAll(MAP)]
    .map(([, url = '']) => url.replace(/^file:\/\//, ''))
    .filter((url) => !url.startsWith('data:'))
    .flatMap((url) => [
      url,
      url.replaceAll(/%[\da-f]{2}/gi, (code) => String.fromCharCode(parseInt(code.slice(1), 16))),
    ])
    .map((url) => resolve(dirname(path), url))
    .filter((file) => existsSync(file))
    .map((file) => realpathSync(file));

/** Reason why a file may not be part of a bundle; null for one that may. */
function foreignProblem(path: string, own: string, packages: readonly string[]): string | null {
  const isCode = /\.map$/.test(path) || CODE.test(path);
  if (!isCode && !path.endsWith('.json')) return 'is neither TypeScript, JavaScript nor JSON';
  if (packages.some((folder) => isWithin(path, folder))) return null;
  if (!isWithin(path, own)) return `is outside the folder of the strategy, ${own}`;
  if (
    relative(own, path)
      .split(sep)
      .some((part) => part.startsWith('.'))
  )
    return 'is hidden, as files with keys are';
  return isCode || !hasSecret(readFileSync(path, 'utf8'))
    ? null
    : 'has a text that looks like a key or a password';
}

/** True for JSON that could be a key store, token or key. Other text is left to the bundler, unless it looks like a secret. */
function hasSecret(text: string): boolean {
  let value: unknown = text;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {}
  return (
    likelySecretsIn(value).length > 0 ||
    keysIn(value).some((key) => SECRET_KEY.test(key) || VARIABLE.test(key))
  );
}

function keysIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.values(value).flatMap(keysIn);
  return Array.isArray(value) ? inner : [...Object.keys(value), ...inner];
}
