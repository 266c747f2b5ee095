import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { holdKey, holdWallet, type KeyUse } from '../../../src/app/environment/locks.ts';
import type { MachineFolders } from '../../../src/process/context.ts';
import { SafetyError } from '../../../src/core/errors.ts';

const freshDir = () => mkdtempSync(join(tmpdir(), 'drover-locks-'));
const use: KeyUse = {
  apiKey: 'key-of-my-account',
  baseUrl: 'https://venue.example',
  holder: 'drover run (process 7) on the state folder /var/one',
};
/** A machine on which two processes share only the folders their environments name. */
const lone = (): MachineFolders => ({ home: null, shared: join(freshDir(), 'drover-of-me') });
const hold = (one: KeyUse, env: Record<string, string>, machine = lone()) =>
  holdKey(one, { env, machineFolders: machine });
const foldersOf = (home: string) => join(home, '.local/state/drover');

describe('holdKey', () => {
  test('keeps another process from the same key, and names the holder', () => {
    const env = { HOME: freshDir() };
    const release = hold(use, env);
    expect(() => hold({ ...use, holder: 'drover orders place (process 8)' }, env)).toThrow(SafetyError);
    expect(() => hold(use, env)).toThrow(
      'using this API key, held by drover run (process 7) on the state folder /var/one: stop it first',
    );
    hold({ ...use, apiKey: 'another-key' }, env)();
    release();
    hold(use, env)();
  });

  test('names its files by a hash of the key', () => {
    const home = freshDir();
    const release = hold(use, { HOME: home });
    expect(readdirSync(foldersOf(home)).join()).toMatch(
      /^key-[0-9a-f]{32}\.sqlite,(\S+-journal,)?key-[0-9a-f]{32}\.txt$/,
    );
    release();
    expect(readdirSync(foldersOf(home)).join()).toMatch(/^key-[0-9a-f]{32}\.sqlite$/);
  });

  test('holds the key for a login shell and for a service', () => {
    const [home, runtime] = [freshDir(), freshDir()];
    const release = hold(use, { HOME: home, XDG_RUNTIME_DIR: runtime });
    expect(() => hold(use, { HOME: home })).toThrow(SafetyError);
    expect(() => hold(use, { HOME: freshDir(), XDG_RUNTIME_DIR: runtime })).toThrow(SafetyError);
    release();
  });

  test('separates two emulators on this machine, and treats two names of one venue as one', () => {
    const env = { HOME: freshDir() };
    const at = (baseUrl: string) => hold({ ...use, baseUrl }, env);
    const releases = [at('http://127.0.0.1:4001'), at('http://127.0.0.1:4002'), at('https://a.example')];
    expect(() => at('https://b.example/path')).toThrow(SafetyError);
    for (const release of releases) release();
  });

  test.each([
    ['http://localhost:4001', 'http://127.0.0.1:4001'],
    ['http://127.0.0.1:4001/', 'http://[::1]:4001'],
    ['HTTP://LOCALHOST:4001/path/', 'http://127.0.0.1:4001'],
    ['http://127.1:4001', 'http://localhost:4001'],
    ['http://localhost', 'http://127.0.0.1:80/'],
    ['https://VENUE.example:443/', 'https://venue.example'],
  ])('treats %s and %s as one venue', (one, other) => {
    const env = { HOME: freshDir() };
    const release = hold({ ...use, baseUrl: one }, env);
    expect(() => hold({ ...use, baseUrl: other }, env)).toThrow(SafetyError);
    release();
    hold({ ...use, baseUrl: other }, env)();
  });

  test('holds the key against another HOME, runtime folder and temporary folder of the same user', () => {
    const machine = { home: freshDir(), shared: join(freshDir(), 'drover-of-me') };
    const envOf = () => ({ HOME: freshDir(), XDG_RUNTIME_DIR: freshDir(), TMPDIR: freshDir() });
    const release = hold(use, envOf(), machine);
    expect(() => hold(use, envOf(), machine)).toThrow('on the state folder /var/one: stop it first');
    expect(() => hold(use, envOf(), { ...machine, home: freshDir() })).toThrow(SafetyError);
    expect(() => hold(use, envOf(), { ...machine, shared: freshDir() })).toThrow(SafetyError);
    release();
    hold(use, envOf(), machine)();
  });

  test('holds the key in a folder that no environment variable moves', () => {
    const release = holdKey({ ...use, apiKey: `key-${process.pid}` }, { env: { HOME: freshDir() } });
    vi.stubEnv('TMPDIR', freshDir());
    expect(() => holdKey({ ...use, apiKey: `key-${process.pid}` }, { env: { HOME: freshDir() } })).toThrow(
      SafetyError,
    );
    vi.unstubAllEnvs();
    release();
  });

  test.runIf(userInfo().uid === 0)(
    'refuses a shared folder that another user made, or that is a link',
    () => {
      const machine = { home: freshDir(), shared: join(freshDir(), 'drover-of-me') };
      mkdirSync(machine.shared, { mode: 0o700 });
      chownSync(machine.shared, 12_345, 12_345);
      expect(() => hold(use, { HOME: freshDir() }, machine)).toThrow(
        `${machine.shared}, the folder of the locks, belongs to another user`,
      );
      const linked = join(freshDir(), 'link');
      symlinkSync(freshDir(), linked);
      expect(() => hold(use, { HOME: freshDir() }, { ...machine, shared: linked })).toThrow(
        'is not a folder',
      );
    },
  );

  test('works where the user has no home in the list of users', () => {
    const machine = { home: null, shared: join(freshDir(), 'drover-of-me') };
    const release = hold(use, { HOME: freshDir() }, machine);
    expect(() => hold(use, { HOME: freshDir() }, machine)).toThrow(SafetyError);
    release();
  });

  test('refuses a folder that others can enter, and a link', () => {
    const [open, linked] = [freshDir(), freshDir()];
    mkdirSync(foldersOf(open), { recursive: true });
    chmodSync(foldersOf(open), 0o755);
    expect(() => hold(use, { HOME: open })).toThrow(/is open to others\. Run: chmod 700/);
    mkdirSync(join(linked, '.local/state'), { recursive: true });
    symlinkSync(freshDir(), foldersOf(linked));
    expect(() => hold(use, { HOME: linked })).toThrow('is not a folder');
  });

  test.runIf(userInfo().uid === 0)('refuses a folder of another user', () => {
    const home = freshDir();
    mkdirSync(foldersOf(home), { recursive: true, mode: 0o700 });
    chownSync(foldersOf(home), 12_345, 12_345);
    expect(() => hold(use, { HOME: home })).toThrow('belongs to another user');
  });
});

describe('holdWallet', () => {
  const wallet = `0x${'Ab'.repeat(20)}` as const;

  test('keeps another process from using the same wallet, whatever the case of its address and its HOME', () => {
    const machineFolders = lone();
    const env = { HOME: freshDir() };
    const release = holdWallet({ address: wallet, holder: use.holder }, { env, machineFolders });
    const second = { address: wallet.toLowerCase() as typeof wallet, holder: 'drover wallet approve' };
    expect(() => holdWallet(second, { env: { HOME: freshDir() }, machineFolders })).toThrow(
      `held by ${use.holder}: stop it first`,
    );
    release();
    holdWallet(second, { env: { HOME: freshDir() }, machineFolders })();
  });
});
