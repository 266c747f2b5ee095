/** @module-tag heavy */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { SafetyError } from '../../src/core/errors.ts';
import { readPrivateFile } from '../../src/process/files.ts';
import { withState } from '../../src/app/environment/journal.ts';
import { fileReserve } from '../../src/store/reserve.ts';
import { drover } from '../cli/support/commandLine.ts';

const PASSWORD = 'canary password';
const isRoot = process.geteuid?.() === 0;

let home: string;
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'drover-trust-')));
});

const useOf = (stateDir: string) => ({ stateDir, holder: 'drover run (process 7)' });
const folder = (name: string, mode = 0o700): string => {
  const path = join(home, name);
  mkdirSync(path, { recursive: true });
  chmodSync(path, mode);
  return path;
};
const file = (path: string, text = 'a-secret-of-mine\n'): string => {
  writeFileSync(path, text, { mode: 0o600 });
  return path;
};

describe('a secret file', () => {
  test('that is a symbolic link is refused', () => {
    const target = file(join(home, 'target'));
    const link = join(home, 'link');
    symlinkSync(target, link);
    expect(() => readPrivateFile(link)).toThrow(SafetyError);
    expect(() => readPrivateFile(link)).toThrow(`${link} holds a secret and is a link. Name the file itself`);
  });

  test.each([0o777, 0o775, 0o757])('in a folder that others may write (mode %o) is refused', (mode) => {
    const path = file(join(folder('open', mode), 'secret'));
    expect(() => readPrivateFile(path)).toThrow(SafetyError);
    expect(() => readPrivateFile(path)).toThrow(`chmod go-w ${join(home, 'open')}`);
  });

  test('below a folder that others may write is refused, also through a link', () => {
    const deep = folder('open/mine/deep');
    chmodSync(join(home, 'open'), 0o777);
    file(join(deep, 'secret'));
    symlinkSync(deep, join(home, 'short'));
    for (const path of [join(deep, 'secret'), join(home, 'short', 'secret')])
      expect(() => readPrivateFile(path)).toThrow(
        `lies in ${join(home, 'open')}, which can be written by others`,
      );
  });

  test('in a folder with the sticky bit, as /tmp, is read', () => {
    expect(readPrivateFile(file(join(folder('tmp', 0o1777), 'secret')))).toBe('a-secret-of-mine');
  });

  test.runIf(isRoot)('in a folder of another user is refused', () => {
    const path = file(join(folder('theirs'), 'secret'));
    chownSync(join(home, 'theirs'), 12_345, 12_345);
    expect(() => readPrivateFile(path)).toThrow('belongs to another user');
  });
});

const run = (state: string) => {
  const config = file(
    join(home, 'run.yaml'),
    `emulator: { speed: max }\nstrategies: [{ id: one, use: dca, capital: 20, params: { symbol: AAPL, notional: '5' } }]\n`,
  );
  return drover(['run', config, '--state', state, '--until', '2026-06-15T14:00:00Z'], {
    env: { HOME: home },
  });
};

describe('a state folder', () => {
  test.each([0o777, 0o1777, 0o770])('that others may write (mode %o) is refused', async (mode) => {
    const state = folder('state', mode);
    const { code, err } = await run(state);
    expect([code, err]).toEqual([4, expect.stringContaining(`chmod go-w ${state}`)]);
    await expect(withState(useOf(state), () => 'done')).rejects.toThrow('can be written by others');
  });

  test.each(['reserve', 'journal.sqlite', 'lock.sqlite', 'journal.sqlite-head', 'drover.log', 'emulator'])(
    'in which %s is a symbolic link is refused, and the target stays unchanged',
    async (name) => {
      const state = folder('state');
      const victim = file(join(home, 'victim'), 'precious');
      symlinkSync(victim, join(state, name));
      const { code, err } = await run(state);
      expect([code, err]).toEqual([4, expect.stringContaining(`holds a link, ${name}`)]);
      expect(readFileSync(victim, 'utf8')).toBe('precious');
    },
  );

  test.runIf(isRoot)('of another user is refused', async () => {
    const state = folder('state');
    chownSync(state, 12_345, 12_345);
    const { code, err } = await run(state);
    expect([code, err]).toEqual([4, expect.stringContaining('belongs to another user')]);
  });

  test('is used when only its owner may write, readable by others or not', async () => {
    for (const [name, mode] of [
      ['mine', 0o700],
      ['shown', 0o755],
    ] as const)
      expect(await withState(useOf(folder(name, mode)), () => 'done')).toBe('done');
  });

  test('of a live run is refused below a folder that others may write', async () => {
    folder('open', 0o777);
    const state = folder('open/state');
    const config = file(
      join(home, 'live.yaml'),
      `mode: live
venue: { baseUrl: 'http://127.0.0.1:9', chainId: 143, product: ProductA, userAddress: '0x${'1'.repeat(40)}' }
limits: { orderNotional: 1, positionNotional: 1, grossExposure: 1, ordersPerMinute: 1, dayLoss: 1, priceBandBps: 1, quoteAgeMs: 1000 }
strategies: [{ id: one, use: dca, capital: 20, params: { symbol: AAPL, notional: '5' } }]
`,
    );
    const { code, err } = await drover(['run', config, '--live', '--state', state], { env: { HOME: home } });
    expect([code, err]).toEqual([4, expect.stringContaining(`lies in ${join(home, 'open')}`)]);
  });
});

test('the disk reserve never writes through a symbolic link', () => {
  const victim = file(join(home, 'victim'), 'precious');
  const path = join(home, 'reserve');
  symlinkSync(victim, path);
  const reserve = fileReserve(path, 4_096);
  expect(reserve.held).toBe(false);
  expect(reserve.regain()).toBe(true);
  expect(readFileSync(victim, 'utf8')).toBe('precious');
  expect(statSync(path).size).toBe(4_096);
  reserve.release();
  rmSync(path, { force: true });
  symlinkSync(file(join(home, 'same size'), 'x'.repeat(4_096)), path);
  expect(fileReserve(path, 4_096).held).toBe(false);
});

describe('the key store', () => {
  const keys = (store: string, ...argv: string[]) =>
    drover(['keys', ...argv], { env: { DROVER_KEYSTORE_DIR: store, DROVER_KEYSTORE_PASSWORD: PASSWORD } });

  test('below a folder that others may write is refused', async () => {
    folder('open', 0o777);
    const store = folder('open/keys');
    for (const argv of [['create', 'main'], ['list']])
      expect(await keys(store, ...argv)).toMatchObject({
        code: 4,
        err: expect.stringContaining('open') as string,
      });
  });

  test('refuses a key file that is a symbolic link', async () => {
    const store = folder('keys');
    await keys(store, 'create', 'main');
    symlinkSync(join(store, 'main.key.json'), join(store, 'other.key.json'));
    const { code, err } = await keys(store, 'show', 'other');
    expect([code, err]).toEqual([4, expect.stringContaining('is a link')]);
  });
});

test.runIf(isRoot)('a user id without a name may own secret files', () => {
  const path = file(join(home, 'secret'));
  chownSync(home, 54_321, 54_321);
  chownSync(path, 54_321, 54_321);
  const source = `
    import { exposure } from './src/store/trust.ts';
    import { statSync } from 'node:fs';
    process.seteuid(54321);
    process.stdout.write(String(exposure(statSync(process.argv[1]))));`;
  const { stdout, stderr } = spawnSync(
    'node_modules/.bin/esbuild',
    ['--bundle', '--platform=node', '--format=esm', '--packages=external'],
    { input: source, encoding: 'utf8' },
  );
  const ran = spawnSync(process.execPath, ['--input-type=module', '--eval', stdout, '--', path], {
    encoding: 'utf8',
  });
  expect([stderr, ran.stderr, ran.stdout]).toEqual(['', '', 'null']);
});
