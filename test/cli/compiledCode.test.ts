import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { expect, test } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'drover-'));
const ENTRY = join(folder, 'entry.mjs');
buildSync({
  entryPoints: ['src/cli/entry.ts'],
  outfile: ENTRY,
  bundle: true,
  format: 'esm',
  platform: 'node',
  external: ['./main.ts'],
});
writeFileSync(join(folder, 'main.ts'), '');
/** Prints the folder of compiled code, because the Node.js of these tests may keep none. */
const SAYING = `data:text/javascript,import module from 'node:module'; module.enableCompileCache = console.log;`;

/** Folder in which a command keeps compiled code; empty for none. */
function keptIn(env: Readonly<Record<string, string>>): string {
  const program = `await import(${JSON.stringify(ENTRY)}).catch(() => undefined)`;
  const argv = ['--import', SAYING, '--input-type=module', '-e', program];
  const { stdout, stderr } = spawnSync(process.execPath, argv, { env, cwd: folder, encoding: 'utf8' });
  expect(stderr).toBe('');
  return stdout.trim();
}

const homeOf = (name: string): string => {
  const home = join(folder, name);
  mkdirSync(home);
  return home;
};

test('compiled code is kept in a folder that drover makes for this user alone', () => {
  const home = homeOf('own');
  const kept = join(home, '.cache', 'drover');
  expect(keptIn({ HOME: home })).toBe(kept);
  expect(statSync(kept).mode & 0o777).toBe(0o700);
  expect(keptIn({ HOME: home, XDG_CACHE_HOME: join(home, 'named') })).toBe(join(home, 'named', 'drover'));
  expect(keptIn({ HOME: home, XDG_CACHE_HOME: 'relative' })).toBe(kept);
});

test('no compiled code is taken from a folder that others may write to', () => {
  const home = homeOf('shared');
  mkdirSync(join(home, 'drover'));
  chmodSync(join(home, 'drover'), 0o777);
  expect(keptIn({ XDG_CACHE_HOME: home })).toBe('');
});

test.each<[string, Record<string, string>]>([
  ['without a home folder', {}],
  ['with an empty home folder', { HOME: '' }],
  ['in a home folder that cannot be written to', { HOME: '/proc' }],
  ['where the user disabled it', { HOME: homeOf('refused'), NODE_DISABLE_COMPILE_CACHE: '1' }],
])('no compiled code is kept %s', (_title, env) => {
  expect(keptIn(env)).toBe('');
});
