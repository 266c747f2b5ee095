import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseConfig } from '../../../src/app/config/load.ts';
import { Secrets } from '../../../src/core/secrets.ts';
import { claimState } from '../../../src/app/environment/ownership.ts';
import { holdNamed } from '../../../src/app/environment/locks.ts';
import { drover } from '../../cli/support/commandLine.ts';

const strategies = `strategies: [{ id: steady, use: dca, capital: 1000, params: { symbol: SPY, notional: 50, at: '09:35' } }]`;

/** A folder with a config of mode `emulator`, and a state folder with these files left by another program. */
function leftBehind(...files: string[]): string {
  const cwd = mkdtempSync(join(tmpdir(), 'drover-'));
  writeFileSync(join(cwd, 'run.yaml'), `state: ./state\n${strategies}\n`);
  mkdirSync(join(cwd, 'state'), { mode: 0o700 });
  for (const file of files) writeFileSync(join(cwd, 'state', file), '');
  return cwd;
}

test.each([
  ['live run', ['journal.sqlite']],
  ['dry run', ['journal.sqlite', 'simulated.sqlite']],
])('the state of a %s is not opened in mode emulator, and nothing is written there', async (of, files) => {
  for (const argv of [
    ['run', 'run.yaml'],
    ['reconcile', '--config', 'run.yaml'],
    ['journal', 'recover', '--config', 'run.yaml'],
  ]) {
    // prettier-ignore
    const cwd = leftBehind(...files);
    const { code, out, err } = await drover(argv, { cwd });
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(new RegExp(`orders of a ${of}, which do not belong to mode emulator.*--config FILE`));
    expect(readdirSync(join(cwd, 'state'))).not.toContain('emulator');
  }
});

test.each([
  [
    'emulator',
    'an emulated account',
    /is of mode emulator, but its venue is gone: .*emulator is missing\. Put back/,
  ],
  [
    'dry-run',
    'a simulated account',
    /is of mode dry-run, but its venue is gone: .*simulated\.sqlite is missing\. Put/,
  ],
])(
  'a state folder of mode %s that lost its venue file says so, and is not called live',
  (mode, account, why) => {
    const folder = join(leftBehind('journal.sqlite'), 'state');
    writeFileSync(join(folder, 'account'), `${account}\n`);
    const venue = `venue: { baseUrl: 'http://127.0.0.1:1', chainId: 1, product: ProductA, userAddress: '0x${'1'.repeat(40)}' }`;
    const config = `mode: ${mode}\nstate: ./state\n${venue}\n${strategies}\n`;
    const loaded = parseConfig(config, { file: 'run.yaml', cwd: '/', secrets: new Secrets() });
    expect(() => claimState(loaded, folder)).toThrow(why);
    expect(readdirSync(folder)).toEqual(['account', 'journal.sqlite']);
  },
);

describe('a state folder of another mode that another process holds', () => {
  let cwd: string;
  let release: () => void;
  beforeEach(() => {
    cwd = leftBehind('journal.sqlite');
    const folder = join(cwd, 'state');
    release = holdNamed({ folder, name: 'lock', what: 'the state', holder: 'drover run (process 7)' });
  });
  afterEach(() => release());

  test.each([
    [['run', 'run.yaml']],
    [['reconcile', '--config', 'run.yaml']],
    [['journal', 'recover', '--config', 'run.yaml']],
  ])('is refused as held: %j', async (argv) => {
    const { code, err } = await drover(argv, { cwd });
    expect([code, err]).toEqual([4, expect.stringContaining('held by drover run (process 7)')]);
  });

  test.each(['halt', 'resume'])('gets no kill file by %s', async (command) => {
    const { code, err } = await drover([command, '--reason', 'x', '--config', 'run.yaml'], { cwd });
    expect([code, err]).toEqual([2, expect.stringContaining('holds the orders of a live run')]);
    expect(readdirSync(join(cwd, 'state'))).not.toContain('KILL');
  });
});

/** `reconcile` in mode live, as the owner of a wallet. */
function reconcileAs(userAddress: string, cwd: string) {
  const venue = `venue: { baseUrl: 'http://127.0.0.1:9', chainId: 143, product: ProductA, userAddress: '${userAddress}' }`;
  writeFileSync(join(cwd, 'live.yaml'), `mode: live\n${venue}\nstate: ./state\n${strategies}\n`);
  return drover(['reconcile', '--config', 'live.yaml'], { cwd });
}

const OURS = '0x8C3d6dbB50796a20390F761d40e59D7548cE5E6e';

test('the state of an emulated venue is not opened in mode live', async () => {
  const cwd = leftBehind('journal.sqlite');
  mkdirSync(join(cwd, 'state', 'emulator'));
  const { code, err } = await reconcileAs(OURS, cwd);
  expect([code, err]).toEqual([2, expect.stringContaining('holds the orders of an emulated venue')]);
});

test('the state of one wallet is not opened for another', async () => {
  const cwd = leftBehind('journal.sqlite');
  writeFileSync(join(cwd, 'state', 'account'), `${OURS.toLowerCase()} on chain 143, ProductA\n`);
  expect((await reconcileAs(OURS, cwd)).err).not.toContain('holds the orders');
  expect((await reconcileAs(OURS.toLowerCase(), cwd)).err).not.toContain('holds the orders');
  const other = await reconcileAs(`0x${'1'.repeat(40)}`, cwd);
  expect(other.code).toBe(2);
  expect(other.err).toContain(
    `holds the orders of ${OURS.toLowerCase()} on chain 143, ProductA, but the config is`,
  );
  expect(other.err).toContain('--state DIR');
});

test('a second run continues the state of an emulated run, and prints its summary once', async () => {
  const cwd = leftBehind();
  const end = ['--until', '2026-06-15T09:29', '--speed', 'max', '--json'];
  for (const _ of [1, 2]) {
    let second = (): void => undefined;
    const told: string[] = [];
    const onOut = (text: string) => told.push(text);
    const { code } = await drover(['run', 'run.yaml', ...end], {
      cwd,
      onOut,
      onSecond: (act) => (second = act),
    });
    second();
    expect([code, told.length]).toEqual([0, 1]);
  }
});
