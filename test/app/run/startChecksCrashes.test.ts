import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { journalFile } from '../../../src/app/environment/ownership.ts';
import { epochMs } from '../../../src/core/brand.ts';
import { VirtualClock } from '../../../src/core/virtualClock.ts';
import type { JournalEvent } from '../../../src/domain/journalEvent.ts';
import { openSqliteJournal } from '../../../src/store/sqliteJournal.ts';
import { drover } from '../../cli/support/commandLine.ts';

const NOW = epochMs(Date.parse('2026-06-15T14:00:00Z'));
const MINUTE_MS = 60_000;
const REFUSED = 4;
/** A start that gets this far ends there: the folder has no account of a dry run. */
const GOT_FURTHER = 2;

/** Nothing listens there. */
const config = `mode: dry-run
venue: { baseUrl: 'http://127.0.0.1:9', chainId: 143, product: ProductA,
         userAddress: '0x8C3d6dbB50796a20390F761d40e59D7548cE5E6e' }
dryRun: { cash: '20000' }
state: ./state
limits: { orderNotional: '500', positionNotional: '1000', grossExposure: '2000', ordersPerMinute: 20,
          dayLoss: '500', priceBandBps: 500, quoteAgeMs: 60000 }
strategies: [{ id: steady, use: dca, capital: 1000, params: { symbol: SPY, notional: 50, at: '09:35' } }]
`;

type End = Extract<JournalEvent, { kind: 'ended' }>['how'] | 'manual' | null;

/** Starts on the journal of runs that began so many minutes ago, oldest first, and their ends: null for none recorded; `manual`: a command without a daemon. */
async function startAfter(runs: readonly (readonly [minutesAgo: number, how: End])[], ...flags: string[]) {
  const cwd = mkdtempSync(join(tmpdir(), 'drover-'));
  writeFileSync(join(cwd, 'run.yaml'), config);
  mkdirSync(join(cwd, 'state'), { mode: 0o700 });
  const journal = openSqliteJournal(journalFile(join(cwd, 'state')));
  runs.forEach(([minutesAgo, how], index) => {
    const at = epochMs(NOW - minutesAgo * MINUTE_MS);
    const epoch = { kind: 'epoch', epoch: index + 1 } as const;
    journal.commit([{ at, fact: how === 'manual' ? { ...epoch, manual: true } : epoch }]);
    if (how !== null && how !== 'manual')
      journal.commit([{ at, fact: { kind: 'ended', why: 'a test', how } }]);
  });
  journal.close();
  return drover(['run', 'run.yaml', ...flags], {
    cwd,
    clock: new VirtualClock({ start: NOW }),
    env: { DROVER_API_KEY: 'key', DROVER_API_SECRET: 'secret', HOME: cwd },
  });
}

const crashed = (...minutesAgo: number[]) => minutesAgo.map((ago) => [ago, 'crashed'] as const);

describe('a start after five runs that crashed within ten minutes', () => {
  test('is refused before any request to the venue, and says when and how it may be made', async () => {
    const { code, err } = await startAfter(crashed(9, 7, 5, 3, 1));
    expect(code).toBe(REFUSED);
    expect(err).toMatch(/not started before 2026-06-15T14:01:00.*Z: the last 5 runs on .*state crashed/);
    expect(err).toMatch(/--after-crashes/);
  });

  test('is refused if those runs recorded no end', async () => {
    const { code } = await startAfter([9, 7, 5, 3, 1].map((ago) => [ago, null] as const));
    expect(code).toBe(REFUSED);
  });

  test('is refused even if an operator has given commands since', async () => {
    const commands = Array.from({ length: 12 }, () => [1, 'manual'] as const);
    const { code } = await startAfter([...crashed(9, 7, 5, 3, 2), ...commands]);
    expect(code).toBe(REFUSED);
  });

  test('is allowed with --after-crashes', async () => {
    const { code } = await startAfter(crashed(9, 7, 5, 3, 1), '--after-crashes');
    expect(code).toBe(GOT_FURTHER);
  });
});

describe('a start is allowed', () => {
  test.each([
    ['when the first of five is ten minutes ago', crashed(10, 7, 5, 3, 1)],
    ['after four crashes', crashed(9, 5, 3, 1)],
    [
      'when a run between them ended in order',
      [...crashed(9, 8), [7, 'in order'] as const, ...crashed(5, 3, 1)],
    ],
    ['after five commands without a daemon', [5, 4, 3, 2, 1].map((ago) => [ago, 'manual'] as const)],
    ['after starts refused by the venue', [5, 4, 3, 2, 1].map((ago) => [ago, 'at once'] as const)],
  ])('%s', async (_when, runs) => {
    const { code } = await startAfter(runs);
    expect(code).toBe(GOT_FURTHER);
  });
});
