import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { statusSchema } from '../../../../src/ops/model/status.ts';
import { startDaemon, type DaemonRun } from '../../../ops/control/daemonRun.ts';
import { drover } from '../../support/commandLine.ts';

const env = { XDG_RUNTIME_DIR: mkdtempSync(join(tmpdir(), 'drover-')) };

let daemon: DaemonRun;
beforeAll(async () => {
  daemon = await startDaemon({ env });
});
afterAll(() => daemon.stop());

const run = (...argv: string[]) => drover([...argv, '--state', daemon.stateDir], { env });
const tradingNow = async () => (await daemon.client.status()).state;

test('status is the screen of the run, and its JSON the answer of the API', async () => {
  const { code, out } = await run('status', '--json');
  expect(code).toBe(0);
  expect(statusSchema.parse(JSON.parse(out))).toMatchObject({ running: true, mode: 'emulator' });
  const people = await run('status');
  expect(people.out).toMatch(/^state +(NOT READY: .*)?ACTIVE/);
  expect(people.out.split('\n').filter((line) => line.length > 80)).toEqual([]);
});

describe('states', () => {
  test('pause halts the run, with who and why', async () => {
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
  });

  test('halt is pause with the fields that its JSON has always had, and makes no kill file', async () => {
    const { code, out } = await run('halt', '--reason', 'the news', '--json');
    expect([code, JSON.parse(out)]).toEqual([
      0,
      { state: 'halted', cancelled: 0, sold: 0, left: [], reason: 'the news', halted: true },
    ]);
  });
});

test('cancel with nothing to cancel is done', async () => {
  const { code, out } = await run('cancel', '--json');
  expect([code, JSON.parse(out)]).toMatchObject([0, { cancelled: 0, sold: 0, left: [] }]);
});

test('flatten needs --yes without a terminal, and says what it would sell', async () => {
  const { code, err } = await run('flatten');
  expect([code, err]).toEqual([2, expect.stringContaining('Flatten everything and leave it halted')]);
});

test('without --state the only daemon of this user is found', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'drover-'));
  const { code, out } = await drover(['status', '--json'], { env, cwd });
  expect([code, JSON.parse(out)]).toMatchObject([0, { running: true }]);
});

test('--watch prints a new screen at a change, and ends with the run', async () => {
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
