import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { holdKey, type KeyUse } from '../../src/cli/run/keyLock.ts';
import { SafetyError } from '../../src/core/errors.ts';

const freshDir = () => mkdtempSync(join(tmpdir(), 'drover-locks-'));
const use: KeyUse = { apiKey: 'key-of-my-account', baseUrl: 'https://venue.example', stateDir: '/var/one' };
const foldersOf = (home: string) => join(home, '.local/state/drover');

describe('holdKey', () => {
  test('keeps others from the same key, and tells where it is in use', () => {
    const env = { HOME: freshDir() };
    const release = holdKey(use, env);
    expect(() => holdKey({ ...use, stateDir: '/var/two' }, env)).toThrow(SafetyError);
    expect(() => holdKey(use, env)).toThrow(
      'using this API key, run on the state folder /var/one: stop it first',
    );
    holdKey({ ...use, apiKey: 'another-key' }, env)();
    release();
    holdKey(use, env)();
  });

  test('names its files by what tells nobody the key', () => {
    const home = freshDir();
    holdKey(use, { HOME: home })();
    expect(readdirSync(foldersOf(home)).join()).toMatch(/^key-[0-9a-f]{32}\.sqlite,key-[0-9a-f]{32}\.txt$/);
  });

  test('holds it for a login shell and for a service alike', () => {
    const [home, runtime] = [freshDir(), freshDir()];
    const release = holdKey(use, { HOME: home, XDG_RUNTIME_DIR: runtime });
    expect(() => holdKey(use, { HOME: home })).toThrow(SafetyError);
    expect(() => holdKey(use, { HOME: freshDir(), XDG_RUNTIME_DIR: runtime })).toThrow(SafetyError);
    release();
  });

  test('takes two emulators on this machine for two venues, and a venue under two names for one', () => {
    const env = { HOME: freshDir() };
    const at = (baseUrl: string) => holdKey({ ...use, baseUrl }, env);
    const releases = [at('http://127.0.0.1:4001'), at('http://127.0.0.1:4002'), at('https://a.example')];
    expect(() => at('https://b.example/path')).toThrow(SafetyError);
    for (const release of releases) release();
  });

  test('refuses a folder that others can enter, and a link', () => {
    const [open, linked] = [freshDir(), freshDir()];
    mkdirSync(foldersOf(open), { recursive: true });
    chmodSync(foldersOf(open), 0o755);
    expect(() => holdKey(use, { HOME: open })).toThrow(/is open to others\. Run: chmod 700/);
    mkdirSync(join(linked, '.local/state'), { recursive: true });
    symlinkSync(freshDir(), foldersOf(linked));
    expect(() => holdKey(use, { HOME: linked })).toThrow('is not a folder');
  });

  test.runIf(userInfo().uid === 0)('refuses a folder of another user', () => {
    const home = freshDir();
    mkdirSync(foldersOf(home), { recursive: true, mode: 0o700 });
    chownSync(foldersOf(home), 12_345, 12_345);
    expect(() => holdKey(use, { HOME: home })).toThrow('belongs to another user');
  });
});
