import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { ConfigError } from '../../src/core/errors.ts';
import type { LoadedConfig } from '../../src/app/config/load.ts';
import { claimState } from '../../src/app/environment/ownership.ts';
import { holdKey } from '../../src/app/environment/locks.ts';
import { writeProblem } from '../../src/process/files.ts';
import { drover, piping } from '../cli/support/commandLine.ts';

const WALLET = '0x8C3d6dbB50796a20390F761d40e59D7548cE5E6e';
const strategies = `strategies: [{ id: steady, use: dca, capital: 1000, params: { symbol: SPY, notional: 50, at: '09:35' } }]`;

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'drover-'));
  // A path below a file cannot exist, for any user.
  writeFileSync(join(cwd, 'file'), '', { mode: 0o600 });
});

test.each(['./nodir/x.log', './file/x.log', '.'])(
  'a run whose log.file is %s is wrong usage, and says what to do',
  async (file) => {
    writeFileSync(join(cwd, 'run.yaml'), `log: { file: ${file} }\n${strategies}\n`);
    const { code, err } = await drover(['run', 'run.yaml', '--speed', 'max'], { cwd });
    expect(err).toContain(`drover: ${join(cwd, file)} cannot be the log: E`);
    expect(err).toContain('or name another file by log.file');
    expect(code).toBe(2);
  },
);

test.each([['create', 'main'], ['import', 'main'], ['list']])(
  'keys %s is a usage error if no key store is possible, and says what to do',
  async (...argv) => {
    const folder = argv[0] === 'list' ? join(cwd, 'file') : join(cwd, 'file', 'keys');
    const env = { DROVER_KEYSTORE_DIR: folder, DROVER_KEYSTORE_PASSWORD: 'canary password' };
    const { code, err } = await drover(['keys', ...argv], { env, keyboard: piping(`0x${'11'.repeat(32)}`) });
    expect(err).toContain(`drover: ${folder} cannot be the key store`);
    expect(err).toMatch(/DROVER_KEYSTORE_DIR/);
    expect(code).toBe(2);
  },
);

test('an unreadable or unwritable note on the holder of a key does not keep the key from being held', () => {
  const use = { apiKey: 'key', baseUrl: 'https://venue.example', holder: 'drover run (process 7)' };
  const hold = () => holdKey(use, { env: { HOME: cwd } });
  const release = hold();
  const folder = join(cwd, '.local/state/drover');
  const note = readdirSync(folder).find((name) => name.endsWith('.txt')) ?? '';
  release();
  mkdirSync(join(folder, note));
  const again = hold();
  expect(hold).toThrow('another drover process is using this API key: stop it first');
  again();
});

test('an account file that cannot be read is reported with its path', () => {
  const venue = { userAddress: WALLET, chainId: 143, product: 'ProductA' };
  mkdirSync(join(cwd, 'account'));
  const claim = () => claimState({ config: { mode: 'live', venue } } as LoadedConfig, cwd);
  expect(claim).toThrow(ConfigError);
  expect(claim).toThrow(`${join(cwd, 'account')} cannot be read or written: EISDIR`);
});

test.each([
  ['ENOSPC', 'there is no room on its disk (it failed). Make room, or name a file elsewhere'],
  ['EROFS', 'its disk is read-only. Name a file elsewhere'],
  ['EACCES', 'this user may not write to the folder CWD. Change its permissions, or name a file elsewhere'],
])('a file that cannot be written for %s is reported with its remedy', (code, says) => {
  const cause = Object.assign(new Error('it failed'), { code });
  expect(writeProblem(join(cwd, 'report.html'), cause)).toBe(says.replace('CWD', cwd));
});
