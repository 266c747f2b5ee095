import type { ExDateBegin } from '../../src/domain/corporateAction.ts';
import type { BacktestBars, BacktestOptions } from '../../src/backtest/options.ts';
import type { BacktestResult } from '../../src/backtest/result.ts';
import { runBacktest } from '../../src/backtest/runBacktest.ts';
import { tradingCalendar } from '../../src/calendar/index.ts';
import { allHours } from '../../src/calendar/phaseHours.ts';
import { splitHours } from '../../src/market/outsideBars.ts';
import type { DataNeeds, HookContext, StrategyHooks } from '../../src/strategy/index.ts';
import { plainly, strategyOf } from './bars.ts';

/** Prices of a bar by its start in New York, such as `2026-03-06 03:30`; all others are 100. */
export type Prices = Readonly<
  Record<string, readonly [open: number, high: number, low: number, close: number]>
>;

export const PHASES = ['overnight', 'pre', 'regular', 'post'] as const;
const STEP_MS = 15 * 60_000;

const clock = new Intl.DateTimeFormat('sv-SE', {
  timeZone: 'America/New_York',
  dateStyle: 'short',
  timeStyle: 'short',
});
export const wallTime = (at: number): string => clock.format(at);

/** Bars of a quarter of an hour of X in all phases of some trading days. */
export function barsOfDays(from: string, to: string, prices: Prices) {
  const starts = allHours(tradingCalendar)
    .sessions(from, to)
    .flatMap(({ open, close }) =>
      Array.from({ length: Math.ceil((close - open) / STEP_MS) }, (_, index) => open + index * STEP_MS),
    );
  const rows = starts.map((at) => prices[wallTime(at)] ?? [100, 100, 100, 100]);
  const column = (index: number) => Float64Array.from(rows, (row) => row[index] ?? NaN);
  const columns = {
    start: Float64Array.from(starts),
    open: column(0),
    high: column(1),
    low: column(2),
    close: column(3),
    volume: new Float64Array(starts.length).fill(10_000),
  };
  return splitHours(columns, tradingCalendar);
}

type Act = (context: HookContext) => void;

export type PhaseRun = Readonly<{
  days: readonly [from: string, to: string];
  prices?: Prices;
  /** Acts by New York time, such as `2026-03-06 03:00`. */
  acts: Readonly<Record<string, Act>>;
  trade?: NonNullable<BacktestOptions['outside']>['trade'];
  needs?: Partial<DataNeeds>;
  options?: Partial<BacktestOptions>;
  hooks?: StrategyHooks;
  exDates?: ExDateBegin;
}>;

/** Plays orders that are placed at times of New York. */
export function playPhases({
  days,
  prices = {},
  acts,
  trade = PHASES,
  needs,
  options,
  hooks,
  exDates,
}: PhaseRun): Promise<BacktestResult> {
  const { regular, outside } = barsOfDays(days[0], days[1], prices);
  const times = [...new Set(Object.keys(acts).map((at) => at.slice(11)))];
  const strategy = strategyOf(
    {
      onTimer(context) {
        acts[`${wallTime(context.view.now)}`]?.(context);
      },
      ...hooks,
    },
    {
      bars: [{ symbol: 'X', interval: '15m' }],
      timers: times.map((at) => ({ name: at, at })),
      ...needs,
    },
  );
  const set = (columns: typeof regular): BacktestBars => ({ symbol: 'X', interval: '15m', ...columns });
  return runBacktest(
    plainly({
      strategy,
      bars: [set(regular)],
      outside: { trade, bars: [set(outside)], ...(exDates && { exDates }) },
      fill: 'venue',
      slippage: 'none',
      ...options,
    }),
  );
}

/** `2026-03-06 03:30 buy 10 at 99`: each fill, with its time in New York. */
export const fillsIn = ({ fills }: BacktestResult): string[] =>
  fills.map(({ side, shares, price, at }) => `${wallTime(at)} ${side} ${shares} at ${price}`);

type Terms = Readonly<Record<string, unknown>>;

export const limit =
  (shares: number, price: number, more: Terms = {}) =>
  ({ order }: HookContext) =>
    order.limit('X', { side: 'buy', shares, price, ...more });
export const buy =
  (notional: number, more: Terms = {}) =>
  ({ order }: HookContext) =>
    order.buy('X', { notional, ...more });
