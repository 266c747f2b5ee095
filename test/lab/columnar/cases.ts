import fc from 'fast-check';
import { z } from 'zod';
import type { BacktestAction, BacktestBars, BacktestOptions } from '../../../src/backtest/options.ts';
import { tradingCalendar, type Session } from '../../../src/calendar/index.ts';
import { chanceOf } from '../../../src/core/seededRandom.ts';
import { INTERVAL_MS } from '../../../src/domain/bar.ts';
import { defineSignals, type SignalColumns, type StrategyDefinition } from '../../../src/strategy/index.ts';

/** Sessions with two half days and a holiday among them. */
const SESSIONS = tradingCalendar.sessions('2025-11-20', '2026-02-20');
const SYMBOLS = ['A', 'B', 'C', 'D'] as const;
const SPLITS = [
  ['1', '2'],
  ['2', '3'],
  ['10', '1'],
  ['3', '7'],
  ['1', '3'],
] as const;

/** The parameters of a case, simple ones small: failures shrink towards them. */
export const cases = fc.record({
  seed: fc.integer({ min: 0, max: 2 ** 31 }),
  symbols: fc.integer({ min: 1, max: SYMBOLS.length }),
  interval: fc.constantFrom('1d', '1h', '15m', '5m', '1m'),
  sessions: fc.integer({ min: 1, max: 14 }),
  /** Bars of a session, chosen from its slots. */
  slots: fc.integer({ min: 1, max: 9 }),
  /** Percent of the bars, and of the sessions of a symbol, that are missing. */
  gaps: fc.constantFrom(0, 0, 15, 50),
  holes: fc.constantFrom(0, 0, 20, 50),
  /** Percent of the bars at which a weight is given. */
  busy: fc.constantFrom(100, 50, 20, 5),
  weights: fc.constantFrom('steps', 'thirds', 'any', 'nearly', 'one', 'rows'),
  price: fc.constantFrom(100, 1, 0.003, 4321.5, 10),
  places: fc.constantFrom(0, 2, 4, 15),
  warmUp: fc.integer({ min: 0, max: 4 }),
  from: fc.constantFrom('first', 'first', 'bar', 'session', 'within'),
  actions: fc.integer({ min: 0, max: 4 }),
  isIdleSymbol: fc.boolean(),
  fill: fc.constantFrom('venue', 'venue', 'next-open', 'close'),
  fees: fc.constantFrom('venue', 'none', 'bps:10', 'rates:7/0/3', 'bps:333'),
  slippage: fc.constantFrom('default', 'none', 'bps:5', 'bps:123.4', 'spread:0.5', 'spread:33.25'),
  /** Delay of settlements in ms; null for that of the fill model. */
  delay: fc.constantFrom(null, null, 0, 1, 30_000),
  cash: fc.constantFrom('100000', '1000', '123456.789012345678901234', '7', '2.5', '1000000000'),
});
export type Case = typeof cases extends fc.Arbitrary<infer Made> ? Made : never;

const PLAIN = {
  warmUp: 0,
  places: 0,
  price: 100,
  fees: 'venue',
  slippage: 'none',
  delay: null,
  busy: 100,
  gaps: 50,
} as const;

/** Cases in which the engines once differed: an order on the close of a bar that ends as another begins, and a first session whose bars are all before the start. */
export const ONCE_WRONG: readonly Case[] = [
  {
    ...PLAIN,
    seed: 2_146_959_348,
    symbols: 3,
    interval: '1h',
    sessions: 10,
    slots: 6,
    holes: 20,
    weights: 'thirds',
    from: 'first',
    actions: 2,
    isIdleSymbol: false,
    fill: 'close',
    cash: '7',
  },
  {
    ...PLAIN,
    seed: 31,
    symbols: 2,
    interval: '15m',
    sessions: 3,
    slots: 3,
    holes: 0,
    weights: 'steps',
    warmUp: 1,
    from: 'bar',
    actions: 0,
    isIdleSymbol: true,
    fill: 'next-open',
    cash: '100000',
  },
];

/** Options of the backtest of a case; null where it has no bars. */
export function optionsOf(given: Case): BacktestOptions | null {
  const { fill, fees, slippage, delay, cash, symbols, isIdleSymbol } = given;
  const names = SYMBOLS.slice(0, symbols);
  const traded = names.map((symbol) => barsOf(symbol, given)).filter(({ start }) => start.length > 0);
  const bars = [...traded, ...(isIdleSymbol ? [barsOf('IDLE', given)] : [])].filter(
    ({ start }) => start.length > 0,
  );
  const needed = traded.map(({ symbol }) => symbol);
  if (needed.length === 0) return null;
  return {
    strategy: strategyOf(needed, given),
    bars,
    actions: actionsOf([...needed, 'OTHER'], given),
    fill,
    fees,
    ...(slippage !== 'default' && { slippage }),
    ...(delay !== null && fill !== 'close' && { settlementMs: delay }),
    cash,
    ...fromOf(bars, given),
  };
}

const sessionsOf = ({ seed, sessions }: Case): Session[] => {
  const first = seed % (SESSIONS.length - 20);
  return SESSIONS.slice(first, first + sessions);
};

/** Bars of a symbol: some slots of each session, of which some are missing. */
function barsOf(symbol: string, given: Case): BacktestBars {
  const { seed, interval, gaps, holes, price, places } = given;
  const chance = (what: string) => chanceOf(`${seed} ${symbol} ${what}`);
  const starts = sessionsOf(given).flatMap((session) =>
    chance(`hole ${session.date}`) * 100 < holes
      ? []
      : slotsOf(session, given).filter((start) => chance(`gap ${start}`) * 100 >= gaps),
  );
  const round = (value: number) =>
    places > 10 ? value : Math.max(Number(value.toFixed(places)), 10 ** -places);
  let last = price * (0.5 + chance('first'));
  const rows = starts.map((start) => {
    const open = round(last * (1 + (chance(`open ${start}`) - 0.5) / 20));
    const close = round(open * (1 + (chance(`close ${start}`) - 0.5) / 10));
    last = close;
    const high = Math.max(open, close) * (1 + chance(`high ${start}`) / 50);
    return { start, open, high, low: Math.min(open, close) * 0.99, close, volume: 1_000 };
  });
  const column = (field: keyof (typeof rows)[number]) => Float64Array.from(rows, (row) => row[field]);
  return {
    symbol,
    interval,
    start: column('start'),
    open: column('open'),
    high: column('high'),
    low: column('low'),
    close: column('close'),
    volume: column('volume'),
  };
}

/** Starts of bars in a session, the same for all symbols: anywhere in it, its first or its last ones. */
function slotsOf({ open, close, date }: Session, { seed, interval, slots }: Case): number[] {
  if (interval === '1d') return [open];
  const step = INTERVAL_MS[interval];
  const count = Math.ceil((close - open) / step);
  const where = chanceOf(`${seed} where ${date}`);
  const first = where < 0.3 ? 0 : where < 0.6 ? count - slots : Math.floor(((where - 0.6) / 0.4) * count);
  const chosen = Array.from({ length: slots }, (_, index) => first + index);
  const closing = chanceOf(`${seed} closing ${date}`) < 0.3 ? [count - 1] : [];
  const all = [...new Set([...chosen, ...closing])].filter((slot) => slot >= 0 && slot < count);
  return all.sort((a, b) => a - b).map((slot) => open + slot * step);
}

function fromOf(bars: readonly BacktestBars[], { from, seed }: Case): Partial<BacktestOptions> {
  const [longest] = [...bars].sort((a, b) => b.start.length - a.start.length);
  const start = longest?.start[Math.floor(chanceOf(`${seed} from`) * longest.start.length * 0.6)];
  if (from === 'first' || start === undefined) return {};
  if (from === 'session')
    return { from: tradingCalendar.sessionFrom(tradingCalendar.newYorkDate(start as never)).open };
  return { from: from === 'bar' ? start : start + 1_000 };
}

function actionsOf(symbols: readonly string[], given: Case): BacktestAction[] {
  const sessions = sessionsOf(given);
  return Array.from({ length: given.actions }, (_, index) => {
    const chance = (what: string) => chanceOf(`${given.seed} action ${index} ${what}`);
    const pick = <Item>(items: readonly Item[], what: string) =>
      items[Math.floor(chance(what) * items.length)] as Item;
    const [symbol, exDate] = [pick(symbols, 'symbol'), pick(sessions, 'date').date];
    const [oldRate, newRate] = pick(SPLITS, 'rates');
    const type = Number(newRate) > Number(oldRate) ? 'forward_split' : 'reverse_split';
    if (chance('kind') < 0.6) return { symbol, type, exDate, oldRate, newRate };
    const payableDate = chance('late') < 0.5 ? pick(sessions, 'payable').date : exDate;
    const cashPerShare = (chance('amount') * given.price * 0.05 + 0.000001).toFixed(6);
    return { symbol, type: 'cash_dividend', exDate, payableDate, cashPerShare };
  });
}

/** Signals that depend only on the instants of their bars, so that they never look ahead. */
function strategyOf(
  symbols: readonly string[],
  { seed, interval, warmUp, busy, weights }: Case,
): StrategyDefinition {
  const chance = (text: string) => chanceOf(`${seed} ${text}`);
  const isGiven = (symbol: string, start: number) => chance(`given ${symbol} ${start}`) * 100 < busy;
  const weightOf = (symbol: string, start: number) => {
    const value = chance(`weight ${symbol} ${start}`);
    if (weights === 'steps') return Math.round(value * 2) / 2 / symbols.length;
    // Between the cash and the amount it buys after fees.
    if (weights === 'nearly') return value < 0.4 ? 0 : (1 - value / 30) / symbols.length;
    if (weights === 'thirds') return Math.floor(value * 4) / 3 / symbols.length;
    return value < 0.25 ? 0 : value / symbols.length;
  };
  const ofBars = (symbol: string, bars: SignalColumns) =>
    Float64Array.from(bars.of(symbol).start, (start) =>
      isGiven(symbol, start) ? weightOf(symbol, start) : NaN,
    );
  const ofRows = (symbol: string, bars: SignalColumns) =>
    Float64Array.from(bars.start, (start) => {
      if (!isGiven('all', start)) return NaN;
      if (weights === 'rows') return weightOf(symbol, start);
      return symbols.indexOf(symbol) === Math.floor(chance(`one ${start}`) * (symbols.length + 0.5)) ? 1 : 0;
    });
  return defineSignals({
    name: 'random',
    description: 'of a case',
    params: z.looseObject({}),
    data: () => ({ bars: symbols.map((symbol) => ({ symbol, interval, warmUp })) }),
    signals: (bars) =>
      Object.fromEntries(
        symbols.map((symbol) => [
          symbol,
          weights === 'one' || weights === 'rows' ? ofRows(symbol, bars) : ofBars(symbol, bars),
        ]),
      ),
  });
}
