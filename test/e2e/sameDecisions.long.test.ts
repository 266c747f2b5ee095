import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { BacktestStrategy } from '../../src/backtest/options.ts';
import { runBacktest } from '../../src/backtest/runBacktest.ts';
import { newYorkClock, tradingCalendar } from '../../src/calendar/index.ts';
import { formatDecimal, toNumber } from '../../src/core/amount.ts';
import type { EpochMs } from '../../src/core/brand.ts';
import { Secrets } from '../../src/core/secrets.ts';
import type { JournalEntry } from '../../src/domain/journalEvent.ts';
import type { IntentTerms, OrderIntent } from '../../src/domain/orders/orderIntent.ts';
import { loadConfig } from '../../src/app/config/load.ts';
import { strategyOf } from '../../src/app/strategies/params.ts';
import { openSqliteJournal } from '../../src/store/sqliteJournal.ts';
import { openRealm } from '../app/strategies/openRealm.ts';
import { drover, freshDir, root } from './cli.ts';
import { barsOf } from './emulatedBars.ts';

const LONG_MS = 180_000;
const SESSIONS = 1;
const config = loadConfig({ file: join(root, 'config/emulator.yaml'), cwd: root, secrets: new Secrets() });
const { start, seed } = config.config.emulator;
const first = tradingCalendar.nextSession(start);
const last = first;

const fail = (why: string): never => {
  throw new Error(why);
};

type Decision = Readonly<{ when: string; symbol: string; want: unknown; reason: string }>;

const minuteOf = (at: EpochMs): string => `${new Date(at).toISOString().slice(0, 10)} ${newYorkClock(at)}`;

const decisionOf = ({ at, symbol, terms: want, reason }: OrderIntent): Decision => ({
  when: minuteOf(at),
  symbol,
  want: roughly(want),
  reason,
});

/** Amounts that depend on a price differ within a bar. */
const roughly = (want: IntentTerms): unknown => ('quantity' in want ? { ...want, quantity: '*' } : want);

/** Decisions of one instant by symbol: which buy of a rebalance goes first depends on the last cent. */
const decisionsIn = (entries: readonly JournalEntry[], owner: string): Decision[] =>
  entries
    .flatMap(({ fact }) =>
      fact.kind === 'intentCreated' && fact.intent.strategyId === owner ? [decisionOf(fact.intent)] : [],
    )
    .sort((a, b) => a.when.localeCompare(b.when) || a.symbol.localeCompare(b.symbol));

const journalOf = (state: string): JournalEntry[] => {
  const journal = openSqliteJournal(join(state, 'journal.sqlite'));
  const entries = [...journal.entries()];
  journal.close();
  return entries;
};

type Ladder = Readonly<{ at: EpochMs; anchor: number }>;

/** Where each ladder was placed, also when there was no money for a rung. */
const laddersIn = (entries: readonly JournalEntry[]): Ladder[] =>
  entries
    .flatMap(({ at, fact }) =>
      fact.kind === 'strategyState' && fact.strategyId === 'nvidia-ladder'
        ? [{ at, anchor: fact.state['anchor'] as number | null }]
        : [],
    )
    .filter((ladder): ladder is Ladder => ladder.anchor !== null);

const pricesIn = (entries: readonly JournalEntry[], symbol: string) =>
  entries.flatMap(({ at, fact }) =>
    fact.kind === 'quotes'
      ? fact.prices.flatMap(([of, price]) => (of === symbol ? [{ at, price: toNumber(price) }] : []))
      : [],
  );

/** Time in ms from the first price too far from a ladder to the next ladder; null where none came. */
function delaysOf(entries: readonly JournalEntry[], requoteBps: number): (number | null)[] {
  const prices = pricesIn(entries, 'NVDA');
  const ladders = laddersIn(entries);
  return ladders.map(({ at, anchor }, index) => {
    const next = ladders[index + 1]?.at ?? first.close;
    const far = prices.find(
      (each) => each.at > at && each.at <= next && Math.abs(each.price / anchor - 1) * 10_000 > requoteBps,
    );
    return far ? next - far.at : null;
  });
}

describe('a backtest over a day of the emulator', () => {
  let run: JournalEntry[] = [];
  const backtest: JournalEntry[] = [];

  beforeAll(async () => {
    const state = freshDir();
    const args = ['run', '--speed', 'max', '--until', `sessions:${SESSIONS}`, '--json', '--state', state];
    expect((await drover(args)).code).toBe(0);
    run = journalOf(state);
    const { strategies } = config.config;
    const loaded = await Promise.all(strategies.map((_, index) => strategyOf(config, index, openRealm)));
    const minutes = ['SPY', 'AAPL', 'NVDA', 'MSFT', 'AMZN', 'TSLA'].map((symbol) => [symbol, '1m'] as const);
    const { limits } = config.config;
    await runBacktest({
      strategies: loaded.map(({ definition, params }, index): BacktestStrategy => {
        const { id, capital, limits = {} } = strategies[index] ?? fail(`no strategy ${index}`);
        return { id, definition, params, capital: formatDecimal(capital), limits };
      }),
      bars: await barsOf([...minutes, ['AAPL', '5m']], { seed, close: last.close }),
      cash: '80000',
      limits,
      from: first.open,
      onFact: (entry) => backtest.push(entry),
    });
  }, LONG_MS);

  test.each(['savings-plan', 'apple-trend', 'steady-mix'])(
    'decides as the run did, bar for bar: %s',
    (owner) => {
      const decided = decisionsIn(run, owner);
      expect(decided.length).toBeGreaterThan(0);
      expect(decisionsIn(backtest, owner)).toEqual(decided);
    },
  );

  test('differs for limit-ladder only by the paths within bars: each ladder follows from its own prices', () => {
    const { requoteBps } = config.config.strategies.find(({ id }) => id === 'nvidia-ladder')?.params as {
      requoteBps: number;
    };
    for (const entries of [run, backtest]) {
      const prices = pricesIn(entries, 'NVDA');
      for (const { at, anchor } of laddersIn(entries)) {
        const latest = prices.findLast((each) => each.at <= at)?.at;
        // The close of one bar and the open of the next are of the same instant.
        expect(prices.filter((each) => each.at === latest).map(({ price }) => price)).toContain(anchor);
      }
      const delays = delaysOf(entries, requoteBps);
      expect(delays.pop()).toBeNull();
      // The time needed to see the old rungs cancelled, or until the next bar.
      for (const delay of delays) expect(delay).toBeLessThanOrEqual(60_000);
    }
    const told = (entries: readonly JournalEntry[]) =>
      laddersIn(entries).map(({ at, anchor }) => `${newYorkClock(at)} ${anchor}`);
    expect({ run: told(run), backtest: told(backtest) }).toMatchInlineSnapshot(`
      {
        "backtest": [
          "09:30 92.54",
          "09:35 93.11",
          "09:54 93.71",
          "10:21 94.31",
          "11:18 93.69",
          "11:56 93.03",
          "12:35 93.59",
          "14:55 94.29",
          "15:10 93.82",
          "15:43 94.44",
        ],
        "run": [
          "09:30 92.68",
          "09:46 93.28",
          "09:56 93.82",
          "10:22 94.38",
          "11:15 93.82",
          "11:27 93.22",
          "13:07 93.81",
          "15:40 94.4",
        ],
      }
    `);
  });
});
