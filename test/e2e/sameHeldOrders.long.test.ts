import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { BacktestStrategy } from '../../src/backtest/options.ts';
import { runBacktest } from '../../src/backtest/runBacktest.ts';
import { newYorkClock, tradingCalendar } from '../../src/calendar/index.ts';
import { toNumber } from '../../src/core/amount.ts';
import type { EpochMs } from '../../src/core/brand.ts';
import { Secrets } from '../../src/core/secrets.ts';
import type { JournalEntry } from '../../src/domain/journalEvent.ts';
import { AccountState } from '../../src/domain/account/accountState.ts';
import { strategyIdOf } from '../../src/domain/orders/orderIntent.ts';
import { loadConfig } from '../../src/app/config/load.ts';
import { strategyOf } from '../../src/app/strategies/params.ts';
import { openSqliteJournal } from '../../src/store/sqliteJournal.ts';
import { openRealm } from '../app/strategies/openRealm.ts';
import { drover, freshDir, root } from './cli.ts';
import { barsOf } from './emulatedBars.ts';

const LONG_MS = 300_000;
const SEED = 5;
const CAPITAL = '3000';
const START = '2026-06-15T09:25';
const KINDS = ['stop', 'stopLimit', 'stopBuy', 'trail', 'bracket', 'oco', 'twap', 'chase'] as const;
const SYMBOLS = ['AAPL', 'NVDA', 'TSLA'] as const;

/** Narrow and wide distances, so that each way out occurs. */
const strategies = KINDS.flatMap((kind, index) =>
  SYMBOLS.map((symbol, nth) => ({
    id: `${kind}-${symbol}`.toLowerCase(),
    params: JSON.stringify({ symbol, kind, percent: (index + nth) % 2 === 0 ? 0.4 : 1.1 }),
  })),
);
const config = `mode: emulator
emulator: { start: '${START}', seed: ${SEED} }
limits: { orderNotional: '10000', grossExposure: '80000', ordersPerMinute: 600 }
strategies:
${strategies
  .map(
    ({ id, params }) =>
      `  - { id: ${id}, use: ${join(root, 'test/fixtures/holder.ts')}, capital: ${CAPITAL}, params: ${params} }`,
  )
  .join('\n')}
`;

/** A trade of a strategy, or the end of an order that the bot held. */
type Told = Readonly<{ at: EpochMs; what: string; price: number | null }>;

/** Trades and ends. Instants of limit fills, and how often one is placed again, depend on prices within a bar: legs and sums do not. */
function toldIn(entries: readonly JournalEntry[]): Map<string, Told[]> {
  const account = new AccountState();
  const told = new Map<string, Told[]>(strategies.map(({ id }) => [id, []]));
  for (const entry of entries) {
    account.apply(entry);
    const { at, fact } = entry;
    if (fact.kind !== 'syntheticEnded') continue;
    told.get(strategyIdOf(fact.id))?.push({ at, what: `${fact.how}: ${fact.why}`, price: null });
  }
  const trades = [...account.orders.values()].flatMap(({ strategyId, plannedAt, terms, parent, state }) => {
    if (state.kind !== 'closed' || !state.settlement) return [];
    const what = `${terms.side} ${parent?.leg ?? 'by itself'}`;
    return [{ strategyId, at: plannedAt, what, price: toNumber(state.settlement.price) }];
  });
  for (const { strategyId, ...trade } of trades.reverse()) told.get(strategyId)?.unshift(trade);
  return told;
}

async function playedRun(file: string, state: string): Promise<JournalEntry[]> {
  const ran = await drover(['run', file, '--speed', 'max', '--until', 'close', '--json', '--state', state]);
  expect(ran, ran.err).toMatchObject({ code: 0 });
  const journal = openSqliteJournal(join(state, 'journal.sqlite'));
  const entries = [...journal.entries()];
  journal.close();
  return entries;
}

async function playedBacktest(file: string): Promise<JournalEntry[]> {
  const loaded = loadConfig({ file, cwd: root, secrets: new Secrets() });
  const { emulator, limits } = loaded.config;
  const { open, close } = tradingCalendar.nextSession(emulator.start);
  const definitions = await Promise.all(strategies.map((_, index) => strategyOf(loaded, index, openRealm)));
  const entries: JournalEntry[] = [];
  await runBacktest({
    strategies: definitions.map(({ definition, params }, index): BacktestStrategy => {
      return { id: strategies[index]?.id ?? '', definition, params, capital: CAPITAL };
    }),
    bars: await barsOf(
      SYMBOLS.map((symbol) => [symbol, '1m']),
      { seed: SEED, close },
    ),
    cash: '80000',
    limits,
    from: open,
    onFact: (entry) => entries.push(entry),
  });
  return entries;
}

/** Seconds of a quote, a send and a settlement, and the length of a bar. */
const APART_MS = 120_000;
/** Difference of a price of the next bar from that of the instant. */
const APART = 0.004;

describe('held orders over a day of the emulator', () => {
  let [run, backtest] = [new Map<string, Told[]>(), new Map<string, Told[]>()];

  beforeAll(async () => {
    const cwd = freshDir();
    const file = join(cwd, 'run.yaml');
    writeFileSync(file, config);
    run = toldIn(await playedRun(file, join(cwd, 'state')));
    backtest = toldIn(await playedBacktest(file));
  }, LONG_MS);

  test.each(strategies)('trade and end in a backtest as in the run: $id', ({ id }) => {
    const [ours, theirs] = [run.get(id) ?? [], backtest.get(id) ?? []];
    expect(theirs.map(({ what }) => what)).toEqual(ours.map(({ what }) => what));
    expect(ours.length).toBeGreaterThan(0);
    for (const [index, { at, what, price }] of ours.entries()) {
      const other = theirs[index];
      expect(Math.abs((other?.at ?? 0) - at), `${what} at ${newYorkClock(at)}`).toBeLessThanOrEqual(APART_MS);
      if (price !== null)
        expect(Math.abs((other?.price ?? 0) / price - 1), `${what} at ${price}`).toBeLessThan(APART);
    }
  });

  test('include every kind of end', () => {
    const all = [...run.values()].flat().map(({ what }) => what);
    for (const one of ['sell take profit', 'sell exit', 'buy entry', 'buy slice', 'buy by itself'])
      expect(all, one).toContain(one);
  });
});
