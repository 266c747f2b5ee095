import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { freshDir, root } from './cli.ts';

type Entry = Readonly<{ dev?: boolean; devOptional?: boolean }>;
type Locked = Readonly<{ packages: Readonly<Record<string, Entry>> }>;
type Packed = Readonly<{
  filename: string;
  size: number;
  unpackedSize: number;
  files: readonly { readonly path: string }[];
}>;

/** The package as published: its file, and the paths it contains. */
export type Tarball = Readonly<{ file: string; bytes: number; paths: readonly string[] }>;

/** Packs the output of `npm run build`. */
export function pack(): Tarball {
  const folder = freshDir();
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
  const out = execFileSync('npm', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  const [packed] = JSON.parse(out) as Packed[];
  if (!packed) throw new Error(`npm pack printed ${out}`);
  const { filename, size, files } = packed;
  return { file: join(folder, filename), bytes: size, paths: files.map(({ path }) => path) };
}

/**
 * A user's folder in which the package is installed: unpacked from its file, with its dependencies and without development
 * dependencies, except those that are named. Does what npm would do, without a registry.
 */
export function installed({ file }: Tarball, others: readonly string[] = []): string {
  const folder = join(freshDir(), 'a folder of mine');
  const modules = join(folder, 'node_modules');
  mkdirSync(join(modules, 'drover'), { recursive: true });
  execFileSync('tar', ['-xzf', file, '-C', join(modules, 'drover'), '--strip-components=1']);
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Locked;
  const needed = Object.entries(packages).flatMap(([path, { dev = false, devOptional = false }]) =>
    path.lastIndexOf('node_modules/') === 0 && !dev && !devOptional ? [path] : [],
  );
  for (const path of [...needed, ...others.map((name) => `node_modules/${name}`)]) link(path, folder);
  return folder;
}

function link(path: string, folder: string): void {
  // One for another platform.
  if (!existsSync(join(root, path))) return;
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  symlinkSync(join(root, path), join(folder, path));
}

/** Runs a program of Node in a folder, without a terminal; returns what it printed. @throws {Error} with that when it fails */
export function node(cwd: string, ...args: readonly string[]): string {
  const env = { PATH: process.env['PATH'], HOME: cwd };
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd, env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`exit ${status ?? 'by a signal'}: ${stdout}${stderr}`);
  return stdout;
}
