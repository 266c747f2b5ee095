import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { epochMs, toIso } from '../../src/core/brand.ts';
import type { RunSummary } from '../../src/engine/runtime/summary.ts';
import { openMachine } from '../../src/emulator/index.ts';
import { JournalSide } from '../torture/journalSide.ts';
import { NO_LIES } from '../simulation/allowances.ts';
import { judgeEnd } from '../torture/judge.ts';
import { ordersOf } from '../torture/sides.ts';
import { drover, freshDir, root } from './cli.ts';

/** For each endpoint: requests received by the venue, and responses sent by it. */
type Counts = Readonly<Record<string, Readonly<{ received: number; answered: number }>>>;

/** Share of the responses to such requests that was lost. */
function lostOf(counts: Counts, endpoints: RegExp): number {
  const met = Object.entries(counts).filter(([endpoint]) => endpoints.test(endpoint));
  const sum = (of: 'received' | 'answered') => met.reduce((all, [, count]) => all + count[of], 0);
  return 1 - sum('answered') / sum('received');
}

type Plan = Readonly<{ indexerLagMs: number; rules: readonly Readonly<{ from: string }>[] }>;

/** The plan of the hard day for a run that begins `ms` later: everything in it moves by as much. */
function laterBy(ms: number): string {
  const plan = JSON.parse(readFileSync(join(root, 'config/hard-day.json'), 'utf8')) as Plan;
  const rules = plan.rules.map((rule) => ({ ...rule, from: toIso(epochMs(Date.parse(rule.from) + ms)) }));
  const file = join(freshDir(), 'hard-afternoon.json');
  writeFileSync(file, JSON.stringify({ ...plan, rules }));
  return file;
}

test('an afternoon with 30 % lost responses and an indexer 5 min behind ends without a difference', async () => {
  const state = freshDir();
  const day = ['run', '--speed', 'max', '--until', 'close', '--json', '--state', state];
  const faults = laterBy(Date.parse('2026-06-15T12:30Z') - Date.parse('2026-06-15T09:25Z'));
  const { code, out, err } = await drover([...day, '--start', '2026-06-15T12:30', '--faults', faults]);
  expect(code, err).toBe(0);
  const summary = JSON.parse(out) as RunSummary;
  expect(summary).toMatchObject({
    orders: { unknown: 0, working: 0, external: 0 },
    reconciliation: { differences: 0, open: [] },
  });

  const kept = openMachine({ stateDir: join(state, 'emulator') });
  const truth = kept.machine.truth(kept.machine.state.now);
  const { lagMs } = kept.machine.state.indexer;
  kept.close();
  const journal = new JournalSide(join(state, 'journal.sqlite'));
  journal.read();
  const userAddress = truth.accounts[0]?.userAddress ?? '';
  expect(judgeEnd({ journal, truth, userAddress, lies: NO_LIES })).toEqual([]);

  const orders = ordersOf({ truth, userAddress });
  expect(orders.length).toBeGreaterThan(10);
  expect(orders.length).toBe(summary.orders.sent);
  expect(truth.requests['POST /api/v1/orders/send']?.received).toBe(summary.orders.sent);
  expect(lagMs).toBe(300_000);
  expect(lostOf(truth.requests, /./)).toBeGreaterThan(0.27);
  expect(lostOf(truth.requests, /^POST|^DELETE/)).toBeGreaterThan(0.15);
}, 180_000);

test('an invalid fault plan is refused before anything is traded', async () => {
  const { code, err } = await drover(['run', '--speed', 'max', '--faults', 'config/emulator.yaml']);
  expect(code).toBe(2);
  expect(err).toMatch(/--faults config\/emulator\.yaml: .*JSON/);
});
