import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { buildSync } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { ConfigError, SafetyError } from '../../src/core/errors.ts';
import { holdLock, makeFolder } from '../../src/store/stateFolder.ts';
import { freshFiles } from './folder.ts';

const freshFile = freshFiles();
const IN_USE = 'another drover process is using the state folder: stop it first';

/** Another process that takes the lock, as this one does; says `held` or why not, and stays. */
async function otherProcess(file: string) {
  const contents = `
    import { Database } from './sqlite/sqlite.ts';
    const database = new Database(process.argv[1], { timeout: 0 });
    let said = 'held';
    try {
      database.pragma('locking_mode = EXCLUSIVE');
      database.exec('BEGIN EXCLUSIVE');
    } catch (error) {
      said = error.code;
    }
    process.stdout.write(said);
    process.stdin.resume();
  `;
  const { text = '' } =
    buildSync({
      stdin: { contents, resolveDir: 'src/store' },
      bundle: true,
      platform: 'node',
      format: 'esm',
      write: false,
    }).outputFiles[0] ?? {};
  const child = spawn(process.execPath, ['--input-type=module', '-e', text, file], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [said] = (await once(child.stdout, 'data')) as [Buffer];
  const end = async (how: () => void) => {
    const ended = once(child, 'exit');
    how();
    await ended;
  };
  return {
    said: said.toString(),
    leave: () => end(() => child.stdin.end()),
    kill: () => end(() => child.kill('SIGKILL')),
  };
}

describe('the lock of the state folder', () => {
  test('lets one holder in, and the next when the first has left', () => {
    const file = freshFile();
    const release = holdLock(file, 'the state folder');
    expect(() => holdLock(file, 'the state folder')).toThrow(SafetyError);
    expect(() => holdLock(file, 'the state folder')).toThrow(`${IN_USE} (lock ${file})`);
    release();
    holdLock(file, 'the state folder')();
  });

  test('keeps out another process, even after a second attempt of its own process was refused', async () => {
    const file = freshFile();
    const release = holdLock(file, 'the state folder');
    expect(() => holdLock(file, 'the state folder')).toThrow(IN_USE);
    const other = await otherProcess(file);
    expect(other.said).toBe('SQLITE_BUSY');
    await other.leave();
    release();
  });

  test('is unavailable while another process holds it, and free once that is killed', async () => {
    const file = freshFile();
    const other = await otherProcess(file);
    expect(other.said).toBe('held');
    expect(() => holdLock(file, 'the state folder')).toThrow(IN_USE);
    await other.kill();
    holdLock(file, 'the state folder')();
  });

  test('is independent of other lock files', () => {
    const releases = [holdLock(freshFile(), 'a'), holdLock(freshFile(), 'b')];
    for (const release of releases) release();
  });

  test('is not reported as in use when its file is no database', () => {
    const file = freshFile();
    writeFileSync(file, 'all work and no play '.repeat(200));
    expect(() => holdLock(file, 'the state folder')).toThrow(SafetyError);
    expect(() => holdLock(file, 'the state folder')).toThrow(
      `the state folder cannot be locked by ${file}: file is not a database`,
    );
  });

  test('names its path when the file cannot be opened', () => {
    const file = `${freshFile()}/lock.sqlite`;
    expect(() => holdLock(file, 'the state folder')).toThrow(SafetyError);
    expect(() => holdLock(file, 'the state folder')).toThrow(`the state folder cannot be locked by ${file}`);
  });
});

test('a folder that cannot be made because of a file of its name is a usage error that names it', () => {
  const file = freshFile();
  writeFileSync(file, '');
  for (const folder of [file, `${file}/state`]) {
    expect(() => makeFolder(folder, 'the state folder')).toThrow(ConfigError);
    expect(() => makeFolder(folder, 'the state folder')).toThrow(`${folder} cannot be the state folder: E`);
  }
});

/** In its own process: an endless attempt would block this one. */
function madeElsewhere(folder: string) {
  const { outputFiles } = buildSync({
    stdin: {
      contents: `import { makeFolder } from './src/store/stateFolder.ts';
        try { makeFolder(process.argv[1], 'the state folder'); } catch (error) { process.stdout.write(error.message); }`,
      resolveDir: process.cwd(),
    },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    packages: 'external',
  });
  const argv = ['--input-type=module', '--eval', outputFiles[0]?.text ?? '', '--', folder];
  return spawnSync(process.execPath, argv, { timeout: 60_000, killSignal: 'SIGKILL', encoding: 'utf8' });
}

test.runIf(existsSync('/proc/self')).each(['/proc/foo', '/proc/foo/state'])(
  'the folder %s, which the file system cannot create, fails at once with a clear error',
  (folder) => {
    const { stdout, signal } = madeElsewhere(folder);
    expect(signal).toBe(null);
    expect(stdout).toMatch(
      /^\/proc\/foo.* cannot be the state folder: ENOENT: .*, mkdir '\/proc\/foo'\. Let this user make it and write there, or name another$/,
    );
  },
);

test('a folder is made with its parents for its owner alone, and may exist already', () => {
  const folder = join(dirname(freshFile()), 'deep', 'er', 'state');
  makeFolder(folder, 'the state folder');
  makeFolder(folder, 'the state folder');
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(statSync(dirname(folder)).mode & 0o777).toBe(0o700);
});
