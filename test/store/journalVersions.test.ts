/** @module-tag heavy */
import { chmodSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { drover } from '../cli/support/commandLine.ts';

const OLDEST = 'journal-0.3.0-day';
const VERSIONS = [OLDEST, 'journal-0.5.0', 'journal-0.8.0', 'journal-0.8.0-held'];
/** Tests that always cover the oldest journal, and the others only in `npm run long`. */
const tagsOf = (name: string) => (name === OLDEST ? [] : ['long']);

/** A strategy that was not there when the journal was written: it plots, and fires at times that have passed. */
const NEWCOMER =
  "  - { id: newcomer, use: ./strategies/trader.ts, capital: '5000', params: { symbol: MSFT, notional: '900' } }\n";

describe.each(VERSIONS)('the stored %s', (name) => {
  let dir = '';
  const fixture = fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url));
  const call = async (...args: string[]) => {
    const { code, out, err } = await drover(args, { cwd: dir });
    return { code, err, result: JSON.parse(out) as Record<string, unknown> };
  };
  const replayed = () => call('journal', 'replay', '--config', 'config.yaml', '--json');

  beforeAll(() => {
    dir = mkdtempSync(join(tmpdir(), 'drover-version-'));
    cpSync(fixture, dir, { recursive: true });
    for (const folder of ['state', 'state/emulator']) chmodSync(join(dir, folder), 0o700);
  });
  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  test('replays to the decisions it was written with', async () => {
    const { code, err, result } = await replayed();
    expect([code, err]).toEqual([0, '']);
    expect(result).toMatchObject({ parting: null, wishes: 6, orders: 6 });
  });

  test(
    'replays to the same decisions after a strategy was added before the others',
    { tags: tagsOf(name) },
    async () => {
      const config = readFileSync(join(dir, 'config.yaml'), 'utf8');
      writeFileSync(join(dir, 'config.yaml'), config.replace('strategies:\n', `strategies:\n${NEWCOMER}`));
      const { code, result } = await replayed();
      expect(code).toBe(0);
      expect(result).toMatchObject({ parting: null, wishes: 6, orders: 6 });
    },
  );

  const goesOn = async (until: string, sessions: number) => {
    const how = ['--speed', 'max', '--until', until, '--state', 'state', '--json'];
    const run = await call('run', 'config.yaml', ...how);
    expect(run.code).toBe(0);
    expect(run.result).toMatchObject({ sessions, reconciliation: { differences: 0 } });
    const { code, result } = await replayed();
    expect(code).toBe(0);
    expect(result).toMatchObject({ parting: null });
    expect(Number(result['orders'])).toBeGreaterThan(10);
  };

  test('is continued by a run of today, and both parts replay', { tags: tagsOf(name) }, () =>
    goesOn('2026-06-16T11:00', 1),
  );

  test('is continued to the end of a day, and both parts replay', { tags: ['long'] }, () =>
    goesOn('sessions:1', 2),
  );
});
