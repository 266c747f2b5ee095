import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { statusSchema } from '../../../../src/ops/model/status.ts';
import { readyDaemon, type DaemonRun } from '../../../ops/control/daemonRun.ts';
import { drover } from '../../support/commandLine.ts';

const env = { XDG_RUNTIME_DIR: mkdtempSync(join(tmpdir(), 'drover-')) };

let daemon: DaemonRun;
beforeAll(async () => {
  daemon = await readyDaemon({ env });
});
afterAll(() => daemon.stop());

const run = (...argv: string[]) => drover([...argv, '--state', daemon.stateDir], { env });
const tradingNow = async () => (await daemon.client.status()).state;

test('status shows the screen of a run, and with --json the response of its API', async () => {
  const { code, out } = await run('status', '--json');
  expect(code).toBe(0);
  expect(statusSchema.parse(JSON.parse(out))).toMatchObject({ running: true, mode: 'emulator' });
  const people = await run('status');
  expect(people.out).toMatch(/^state +(NOT READY: .*)?ACTIVE/);
  expect(people.out.split('\n').filter((line) => line.length > 80)).toEqual([]);
});

describe('the trading state of a run', () => {
  test('is halted by pause with who and why, and active after resume', async () => {
    const paused = await run('pause', '--json', '--reason', 'the news');
    expect([paused.code, JSON.parse(paused.out)]).toEqual([
      0,
      { state: 'halted', cancelled: 0, sold: 0, left: [] },
    ]);
    expect(await tradingNow()).toMatchObject({
      trading: 'halted',
      reason: 'the news',
      by: expect.stringContaining('drover pause') as string,
    });
    const resumed = await run('resume', '--json', '--reason', 'it was nothing');
    expect(resumed.err).toBe('');
    expect([resumed.code, JSON.parse(resumed.out)]).toMatchObject([
      0,
      { state: 'active', left: [], resumed: true, reason: 'it was nothing' },
    ]);
    expect(await tradingNow()).toMatchObject({ trading: 'active' });
  });

  test('stays active when a single strategy is reduced', async () => {
    expect((await run('reduce', '--strategy', 'steady')).code).toBe(0);
    expect(await tradingNow()).toMatchObject({ trading: 'active' });
    expect((await run('resume', '--strategy', 'steady', '--reason', 'x')).code).toBe(0);
  });

  test('is halted by `drover halt` with the JSON fields it has always had, and no kill file', async () => {
    const { code, out } = await run('halt', '--reason', 'the news', '--json');
    expect([code, JSON.parse(out)]).toEqual([
      0,
      { state: 'halted', cancelled: 0, sold: 0, left: [], reason: 'the news', halted: true },
    ]);
    expect((await run('resume', '--reason', 'x')).code).toBe(0);
  });
});

test('cancel with no open order succeeds', async () => {
  const { code, out } = await run('cancel', '--json');
  expect([code, JSON.parse(out)]).toMatchObject([0, { cancelled: 0, sold: 0, left: [] }]);
});

test('flatten without a terminal needs --yes, and says what it would do', async () => {
  const { code, err } = await run('flatten');
  expect([code, err]).toEqual([2, expect.stringContaining('Flatten everything and leave it halted')]);
  expect(await tradingNow()).toMatchObject({ trading: 'active' });
});

test('a frozen stock is released once ledger and venue agree', async () => {
  expect((await run('freeze', 'SPY', '--reason', 'a rumour')).code).toBe(0);
  const { code, out } = await run('release', 'SPY', '--reason', 'it was nothing', '--json');
  expect([code, JSON.parse(out)]).toMatchObject([0, { symbol: 'SPY', released: true }]);
});

test('flatten --unallocated with --strategy is refused before anything is sent', async () => {
  const { code, err } = await run('flatten', '--unallocated', '--strategy', 'steady');
  expect([code, err]).toEqual([
    2,
    expect.stringMatching(/^drover: unallocated stock belongs to no strategy/),
  ]);
});

test('accept and resolve refuse if ledger and venue agree, or the order is unknown', async () => {
  const accepted = await run('adopt', 'mUSD', '--reason', 'x', '--yes');
  expect([accepted.code, accepted.err]).toEqual([
    2,
    expect.stringContaining('ledger and venue agree on mUSD'),
  ]);
  const resolved = await run('resolve', 'steady-99', '--reason', 'x', '--yes');
  expect([resolved.code, resolved.err]).toEqual([2, expect.stringContaining('no order steady-99')]);
  const shown = await run('resolve', 'NONSENSE', '--reason', 'x');
  expect([shown.code, shown.out, shown.err]).toEqual([
    2,
    '',
    expect.stringMatching(/NONSENSE is not known.*Nothing was changed/),
  ]);
});

test('status --watch prints a new screen at each change, and ends with the run', async () => {
  const seen: string[] = [];
  const watching = drover(['status', '--watch', '--state', daemon.stateDir], {
    env,
    onOut: (text) => seen.push(text),
  });
  await expect.poll(() => seen.length).toBeGreaterThan(0);
  expect((await run('pause')).code).toBe(0);
  await expect.poll(() => seen.join('\n')).toContain('HALTED');
  const stopped = await run('stop', '--json');
  expect([stopped.code, JSON.parse(stopped.out)]).toEqual([0, { stopping: true, ended: true }]);
  const { code, out } = await watching;
  expect([code, out]).toEqual([0, expect.stringMatching(/the run has ended: asked to stop by .*\n$/)]);
});
