import type { Plugin } from 'esbuild';
import { readFileSync, realpathSync } from 'node:fs';
import { dirname, relative, resolve, sep } from 'node:path';
import { likelySecretsIn, SECRET_KEY } from '../config/likelySecrets.ts';
import { PACKAGE_FOLDER } from '../files.ts';

/** Marks the error of an import of a file that may not be part of a bundle. */
export const NOT_OWN = 'not a file of the strategy';

const CODE = /\.[cm]?[jt]sx?$/;

/**
 * Lets into a bundle code and JSON of the strategy's own folder and of packages, and nothing else. Paths are those that links lead
 * to, so that a link, a map of a package.json or paths of a tsconfig lead nowhere else.
 */
export const ownFiles = (folder: string): Plugin => ({
  name: 'own-files',
  setup(build) {
    let own: string | undefined;
    let packages: readonly string[] = [];
    build.onLoad({ filter: /.*/, namespace: 'file' }, ({ path: found }) => {
      const path = realpathSync(found);
      if (own === undefined) {
        // The file that is loaded first is that of the strategy.
        own = dirname(path);
        packages = [own, folder, PACKAGE_FOLDER].flatMap(packageFolders);
        return undefined;
      }
      const text = problemOf(path, own, packages);
      return text === null ? undefined : { errors: [{ text: `${path} ${text}`, detail: NOT_OWN }] };
    });
  },
});

/** Folders that packages are found in from a folder: its own, and those of the folders above it. */
function packageFolders(folder: string): string[] {
  const above = dirname(folder);
  const rest = above === folder ? [] : packageFolders(above);
  try {
    return [realpathSync(resolve(folder, 'node_modules')), ...rest];
  } catch {
    return rest;
  }
}

const isWithin = (path: string, folder: string): boolean => path.startsWith(`${folder}${sep}`);

/** Reason why a file may not be part of a bundle; null for one that may. */
function problemOf(path: string, own: string, packages: readonly string[]): string | null {
  const isCode = CODE.test(path);
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

/** True for JSON that could be a key store, a token or a key. What is no JSON is left to the bundler, unless it looks like one. */
function hasSecret(text: string): boolean {
  let value: unknown = text;
  try {
    value = JSON.parse(text);
  } catch {}
  return likelySecretsIn(value).length > 0 || keysIn(value).some((key) => SECRET_KEY.test(key));
}

function keysIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.values(value).flatMap(keysIn);
  return Array.isArray(value) ? inner : [...Object.keys(value), ...inner];
}
