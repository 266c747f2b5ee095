import { describe, expect, test } from 'vitest';
import { join } from 'node:path';
import type { RunSummary } from '../../src/engine/runtime/summary.ts';
import { openMachine } from '../../src/emulator/index.ts';
import { openSqliteJournal } from '../../src/store/sqliteJournal.ts';
import { drover as inProcess } from '../cli/support/commandLine.ts';
import { drover, freshDir, start } from './cli.ts';

const DAY = ['run', '--speed', 'max', '--until', 'close', '--json'];
/** Half a day has every kind of end as well; a whole day is the one with three kills. */
const AFTERNOON = [...DAY, '--start', '2026-06-15T12:30'];
const LONG_MS = 180_000;

type Summary = RunSummary & Readonly<{ mode: string; requests: { total: number } }>;
const summaryOf = (out: string): Summary => JSON.parse(out) as Summary;

/** Hashes of the orders at the venue, and of those that the journal has as sent. */
function bothSides(state: string): { venue: string[]; journal: string[] } {
  const kept = openMachine({ stateDir: join(state, 'emulator') });
  const { orders } = kept.machine.truth(kept.machine.state.now);
  kept.close();
  const journal = openSqliteJournal(join(state, 'journal.sqlite'));
  const hashes = new Set<string>();
  for (const { fact } of journal.entries())
    if (fact.kind === 'order' && fact.event.kind === 'accepted') hashes.add(fact.event.txHash);
  journal.close();
  return { venue: orders.map(({ txHash }) => txHash).sort(), journal: [...hashes].sort() };
}

/** Strategies whose decisions are in the journal. */
function deciders(state: string): string[] {
  const journal = openSqliteJournal(join(state, 'journal.sqlite'));
  const owners = [...journal.entries()].flatMap(({ fact }) =>
    fact.kind === 'intentCreated' ? [fact.intent.strategyId] : [],
  );
  journal.close();
  return [...new Set(owners)].sort();
}

/** Plays a day through kills, each at the first matching line, and expects a clean close. Returns the state folder. */
async function expectWhole(day: readonly string[], moments: readonly RegExp[]): Promise<string> {
  const state = freshDir();
  for (const moment of moments) {
    const run = start([...day, '--state', state]);
    await run.line(moment);
    run.child.kill('SIGKILL');
    expect((await run.done).signal).toBe('SIGKILL');
  }
  const last = await drover([...day, '--state', state]);
  expect(last.code).toBe(0);
  expect(summaryOf(last.out)).toMatchObject({
    orders: { unknown: 0, working: 0, external: 0 },
    reconciliation: { differences: 0 },
  });
  const { venue, journal } = bothSides(state);
  expect(venue.length).toBeGreaterThan(10);
  expect(journal).toEqual(venue);
  const again = await inProcess(['journal', 'replay', '--state', state, '--json']);
  expect([again.code, JSON.parse(again.out)]).toMatchObject([0, { parting: null }]);
  return state;
}

describe('a day in the emulator', () => {
  test('trades and ends clean', { timeout: LONG_MS }, async () => {
    const { code, out } = await inProcess([...AFTERNOON, '--seed', '1']);
    expect(code).toBe(0);
    const summary = summaryOf(out);
    expect(summary).toMatchObject({
      mode: 'emulator',
      sessions: 1,
      orders: { unknown: 0, working: 0, external: 0 },
      reconciliation: { differences: 0 },
    });
    expect(summary.orders.sent).toBeGreaterThanOrEqual(20);
    expect(summary.strategies.filter(({ orders }) => orders > 0).length).toBeGreaterThanOrEqual(3);
    for (const kind of ['filled', 'cancelled', 'expired'] as const)
      expect(summary.orders[kind]).toBeGreaterThan(0);
  });

  test('is the same with the same seed', { tags: ['long'], timeout: LONG_MS }, async () => {
    const [first, again] = await Promise.all([
      drover([...AFTERNOON, '--seed', '1']),
      drover([...AFTERNOON, '--seed', '1']),
    ]);
    expect([first.code, again.code]).toEqual([0, 0]);
    expect(again.out).toBe(first.out);
  });

  test('that is killed continues to a clean close, with nothing sent twice', { timeout: LONG_MS }, () =>
    expectWhole(AFTERNOON, [/^14:/]),
  );

  test(
    'that is killed three times continues to a clean close, with nothing sent twice',
    { tags: ['long'], timeout: LONG_MS },
    async () => {
      const state = await expectWhole(DAY, [/^09:4/, /^10:/, /^11:/]);
      expect(deciders(state)).toEqual(['apple-trend', 'nvidia-ladder', 'savings-plan', 'steady-mix']);
    },
  );

  test('is stopped in order by a signal', { timeout: LONG_MS }, async () => {
    const state = freshDir();
    const run = start([...DAY, '--state', state]);
    await run.line(/09:45 ✓/);
    run.child.kill('SIGINT');
    const { code, out } = await run.done;
    expect(code).toBe(0);
    expect(summaryOf(out).orders.unknown).toBe(0);
  });
});

test(
  'a state folder is refused to a second run, and to another seed or start',
  { timeout: LONG_MS },
  async () => {
    const state = freshDir();
    const first = start([...DAY, '--speed', '60', '--state', state]);
    await first.line(/started; Ctrl-C/);
    const second = await inProcess([...DAY, '--state', state]);
    first.child.kill('SIGKILL');
    await first.done;
    expect([second.code, second.err]).toEqual([4, expect.stringMatching(/another drover process/)]);
    const seed = await inProcess([...DAY, '--state', state, '--seed', '2']);
    const startAt = await inProcess([...DAY, '--state', state, '--start', '2026-06-16T09:25']);
    expect([seed.code, startAt.code]).toEqual([2, 2]);
    expect(seed.err).toMatch(/seed 1, not 2/);
  },
);
