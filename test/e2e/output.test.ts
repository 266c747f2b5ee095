import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { openSqliteJournal } from '../../src/store/sqliteJournal.ts';
import { drover } from '../cli/support/commandLine.ts';
import { daemonEnv, freshDir, MAIN, start } from './cli.ts';

const LONG_MS = 120_000;
const MORNING = ['--speed', 'max', '--until', '2026-06-15T10:00'];

/** Journal events without the bytes of requests, in which the nonces differ. */
function factsIn(state: string): object[] {
  const journal = openSqliteJournal(join(state, 'journal.sqlite'));
  const facts = [...journal.entries()].map(({ fact }) => {
    const { request: _request, ...rest } = { request: null, ...fact };
    return rest;
  });
  journal.close();
  return facts;
}

describe('a reader of the output that goes away', () => {
  /** State folder of a run whose output was read to its end. */
  const heard = freshDir();
  beforeAll(async () => {
    const { code, out } = await drover(['run', ...MORNING, '--state', heard]);
    expect(code).toBe(0);
    expect(out.split('\n').length).toBeGreaterThan(10);
  }, LONG_MS);

  test('neither ends a run nor loses a journal entry', { timeout: LONG_MS }, async () => {
    const alone = freshDir();
    const run = start(['run', ...MORNING, '--state', alone]);
    run.child.stdout?.once('data', () => {
      run.child.stdout?.destroy();
      run.child.stderr?.destroy();
    });
    const { code, signal } = await run.done;
    expect([code, signal]).toEqual([0, null]);
    expect(factsIn(alone)).toEqual(factsIn(heard));
    expect(factsIn(alone).at(-1)).toMatchObject({ kind: 'ended', how: 'in order' });
  });

  test('ends a display command without an error', { timeout: LONG_MS }, async () => {
    const show = start(['journal', 'show', '--state', heard]);
    show.child.stdout?.once('data', () => show.child.stdout?.destroy());
    const { code, err } = await show.done;
    expect([code, err]).toEqual([0, '']);
  });
});

test.runIf(existsSync('/dev/full'))(
  'a result that a full disk cannot store ends a command with exit 1 and the reason',
  { timeout: LONG_MS },
  async () => {
    const full = openSync('/dev/full', 'w');
    const argv = [MAIN, 'calendar', '--from', '2026-01-01', '--to', '2026-12-31', '--json'];
    const child = spawn(process.execPath, argv, { stdio: ['ignore', full, 'pipe'], env: daemonEnv({}) });
    let err = '';
    child.stderr?.on('data', (chunk: Buffer) => (err += chunk.toString()));
    const code = await new Promise((resolve) => child.on('close', resolve));
    closeSync(full);
    expect([code, JSON.parse(err)]).toMatchObject([1, { error: { code: 'STORAGE_FAILED' } }]);
    expect(err).toContain('the output is incomplete');
  },
);

test.runIf(existsSync('/dev/full'))(
  'a log on a full disk does not delay a run',
  { timeout: LONG_MS },
  async () => {
    const file = join(freshDir(), 'run.yaml');
    writeFileSync(
      file,
      "log: { file: /dev/full }\nstrategies: [{ id: plan, use: dca, capital: 1000, params: { symbol: SPY, notional: 50, at: '09:35' } }]\n",
    );
    const { code, out } = await drover(['run', file, '--json', ...MORNING]);
    expect([code, JSON.parse(out)]).toMatchObject([
      0,
      { stop: { how: 'in order' }, orders: { sent: 1, unknown: 0 } },
    ]);
  },
);
