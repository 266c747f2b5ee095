import { ConfigError } from '../core/errors.ts';
import type {
  BenchmarkFigures,
  RunFigures,
  StatisticsOptions,
  TradeFigures,
  TradeLots,
} from '../statistics/figures.ts';
import { sharesPer } from '../domain/corporateAction.ts';
import { metricsOf } from '../statistics/metrics.ts';
import { actionsOfHolder, isSplit, type PlannedAction } from './actions.ts';
import { dividendsOf, type BacktestOptions } from './options.ts';
import type { MarketPlan } from './plan.ts';
import type { BacktestResult } from './result.ts';
import type { Session } from '../calendar/index.ts';
import { toNumber, type Cash } from '../core/amount.ts';
import { WEEKS_A_YEAR } from '../statistics/markName.ts';
import type { BacktestOrders } from './orderTally.ts';
import type { Mark } from './recorder.ts';
import type { Tape } from './tape.ts';
import type { Trade } from '../sim/roundTrips.ts';
import type { Trades } from './trades.ts';
import { tradeLotsOf, withExcursions, type LotAction, type LotFill } from '../statistics/lotTrades.ts';
import type { BacktestFill } from './rows.ts';

/** Checked settings of a run's figures. */
export type MeasureOptions = Readonly<{
  riskFree: number;
  trials: StatisticsOptions['trials'];
  /** mUSD at risk in a trade; null when unknown. */
  stakeOf: ((trade: Pick<TradeFigures, 'shares' | 'entryPrice'>) => number) | null;
}>;

/** Checks the figures' options. @throws {ConfigError} for an invalid rate, number of runs or stake */
export const measuringOf = (options: BacktestOptions, marksPerYear: number): MeasureOptions => ({
  riskFree: riskFreeOf(options),
  trials: trialsOf(options, marksPerYear),
  stakeOf: stakeOf(options),
});

function riskFreeOf({ riskFree = 0 }: BacktestOptions): number {
  if (riskFree > -1 && riskFree < 1) return riskFree;
  throw new ConfigError(`riskFree ${riskFree}: write the annual rate as a fraction, 0.04 for 4 %`);
}

function trialsOf(
  { trials, trialVariance }: BacktestOptions,
  marksPerYear: number,
): MeasureOptions['trials'] {
  if (trials === undefined && trialVariance === undefined) return undefined;
  if (trials === undefined || !Number.isInteger(trials) || trials < 2)
    throw new ConfigError(
      `trials ${trials ?? 'not given'}: write the number of runs this one was chosen from, itself included: 2 or more`,
    );
  if (trialVariance === undefined) return { count: trials };
  if (trialVariance >= 0 && trialVariance < Infinity)
    return { count: trials, variance: trialVariance / marksPerYear };
  throw new ConfigError(
    `trialVariance ${trialVariance}: write the variance of their Sharpe ratios, 0 or more`,
  );
}

const BPS = 10_000;

function stakeOf({ initialRisk }: BacktestOptions): MeasureOptions['stakeOf'] {
  if (initialRisk === undefined) return null;
  const [, kind, digits] = /^(bps|cash):(\d+(?:\.\d+)?)$/.exec(initialRisk) ?? [];
  const value = Number(digits);
  if (kind === 'cash' && value > 0) return () => value;
  if (kind === 'bps' && value > 0) return ({ shares, entryPrice }) => (shares * entryPrice * value) / BPS;
  throw new ConfigError(
    `initialRisk "${initialRisk}": write "bps:200" of the cost of a trade's shares, or "cash:100" in mUSD`,
  );
}

const DAYS_A_YEAR = 252;

type Bars = Pick<BacktestOptions, 'bars'>;

export const isWeekly = ({ bars }: Bars): boolean => bars.every(({ interval }) => interval === '1w');

/** Number of marks a year: one per session, or per week where all bars are weekly. */
export const marksPerYear = (given: Bars): number => (isWeekly(given) ? WEEKS_A_YEAR : DAYS_A_YEAR);

/** Equal-weighted benchmark of all stocks. */
const ALL = 'all';

/** Benchmark symbol of a run, `all`, or null. @throws {ConfigError} for one without bars */
export function benchmarkSymbol({
  benchmark,
  bars,
}: Pick<BacktestOptions, 'benchmark' | 'bars'>): string | null {
  if (benchmark === 'none') return null;
  const symbols = [...new Set(bars.map(({ symbol }) => symbol))];
  if (benchmark === undefined || benchmark === ALL) return symbols.length > 1 ? ALL : (symbols[0] ?? null);
  if (symbols.includes(benchmark)) return benchmark;
  throw new ConfigError(
    `benchmark "${benchmark}": there are bars of ${symbols.join(', ')}. Give bars of it too, or write "all" or "none"`,
  );
}

type Outcome = Readonly<{
  sessions: readonly Session[];
  tapes: readonly Tape[];
  startEquity: Cash;
  marks: readonly Mark[];
  trades: readonly Trade[];
  fills: readonly BacktestFill[];
  brought: readonly LotFill[];
  orders: BacktestOrders;
  lotActions: readonly LotAction[];
  actions: readonly PlannedAction[];
}> &
  Pick<MeasureOptions, 'stakeOf'>;

/** Input of a run's statistics. @param benchmark the symbol, `all`, or null */
export function figuresOf(
  outcome: Outcome,
  benchmark: string | null,
): RunFigures & Required<Pick<RunFigures, 'lots'>> {
  const { sessions, tapes, startEquity, marks, orders, stakeOf } = outcome;
  const pricing = new Map<string, Tape>(tapes.flatMap((tape) => (tape.last ? [[tape.symbol, tape]] : [])));
  const closes = new Map([...pricing].map(([symbol, tape]) => [symbol, closesOf(tape, sessions)]));
  const prices = { marks, closes: Object.fromEntries(closes) };
  const measuring = [...pricing].filter(([symbol]) => benchmark === symbol || benchmark === ALL);
  const held = measuring.flatMap(([, tape]) => benchmarkOf(tape, outcome) ?? []);
  return {
    startEquity: toNumber(startEquity),
    marks,
    orders,
    closes: prices.closes,
    trades: outcome.trades.map((trade) => ({
      ...trade,
      pnl: toNumber(trade.pnl),
      ...(stakeOf && { risk: stakeOf(trade) }),
    })),
    lots: lotsOf(outcome, prices),
    fills: outcome.fills,
    benchmark: held.length > 1 ? inEqualParts(held) : (held[0] ?? null),
  };
}

/** Lots of all fills and stock dividends, computed after the run: an order of several bars is reported late. */
function lotsOf(
  { fills, brought, lotActions, stakeOf }: Outcome,
  prices: Parameters<typeof withExcursions>[1],
): TradeLots {
  const booked = fills.map((fill, place) => ({ ...fill, place }));
  const inTime = [...brought, ...booked].sort((one, other) => one.at - other.at);
  const { closed, open } = tradeLotsOf(inTime, lotActions);
  const trades = withExcursions(closed, prices, lotActions);
  return { open, closed: stakeOf ? trades.map((trade) => ({ ...trade, risk: stakeOf(trade) })) : trades };
}

/** Return from the open of the first bar played, or from the previous close where the first session has none. */
function benchmarkOf(
  tape: Tape,
  { sessions, actions }: Pick<Outcome, 'sessions' | 'actions'>,
): BenchmarkFigures | null {
  const { symbol, parts, skipped, columns } = tape;
  const isOfFirst = parts.find(({ to }) => to > skipped)?.session.date === sessions[0]?.date;
  const start = isOfFirst || skipped === 0 ? columns.open[skipped] : columns.close[skipped - 1];
  if (start === undefined) return null;
  const own = actions.filter(({ action }) => action.symbol === symbol);
  return { symbol, start, closes: withPayments(closesOf(tape, sessions), sessions, own) };
}

/** Equal-weighted benchmark of several stocks, rebalanced each session: the mean return of those that have a price. */
function inEqualParts(stocks: readonly BenchmarkFigures[]): BenchmarkFigures {
  const before = stocks.map(({ start }) => start);
  let worth = 1;
  const closes = (stocks[0]?.closes ?? []).map((_, place) => {
    const returns = stocks.flatMap(({ closes: own }, index) => {
      const close = own[place] ?? null;
      const last = before[index] ?? NaN;
      if (close === null) return [];
      before[index] = close;
      return [close / last - 1];
    });
    if (returns.length > 0) worth *= 1 + returns.reduce((sum, value) => sum + value, 0) / returns.length;
    return worth;
  });
  return { symbol: `${stocks.length} stocks in equal parts`, start: 1, closes };
}

/** Value of one share with its payments to holders reinvested at the close of each ex-date. */
function withPayments(
  closes: readonly (number | null)[],
  sessions: readonly Session[],
  actions: readonly PlannedAction[],
): (number | null)[] {
  if (actions.every(isSplit)) return [...closes];
  let [growth, since] = [1, sessions[0]?.open ?? NaN];
  return closes.map((close, place) => {
    const until = sessions[place]?.close ?? NaN;
    const paid = actions
      .filter(({ action, open }) => action.kind === 'payment' && open > since && open < until)
      .reduce((sum, payment) => sum + perPresentShare(payment, actions), 0);
    since = until - 1;
    if (close === null) return null;
    growth *= 1 + paid / close;
    return close * growth;
  });
}

/** Payment per share in the units of the end of the run; it is paid on pre-split shares of its day. */
const perPresentShare = ({ action, open }: PlannedAction, actions: readonly PlannedAction[]): number =>
  action.kind === 'payment'
    ? toNumber(action.perShare) /
      actions
        .filter(isSplit)
        .reduce((per, split) => (split.open >= open ? per * sharesPer(split.action) : per), 1)
    : 0;

/** Last price by the end of each day played; null before the first bar and after the day of the last one. */
function closesOf({ parts, columns }: Tape, sessions: readonly Session[]): (number | null)[] {
  const end = parts.at(-1)?.session.date ?? '';
  let [next, close]: [number, number | null] = [0, null];
  return sessions.map(({ date }) => {
    for (let part = parts[next]; part && part.session.date <= date; part = parts[++next])
      close = columns.close[part.to - 1] ?? null;
    return date > end ? null : close;
  });
}

/** Figures of a run that are computed from its marks, orders and trades. */
export type Measures = Pick<BacktestResult, 'metrics' | 'notes' | 'tradeMetricsFrom' | 'benchmark' | 'lots'>;

/** Account and orders of a run that has ended. The bars of its plan are in the shares of its end. */
type RunOutcome = Readonly<{ marks: readonly Mark[]; orders: BacktestOrders; trades: Trades }>;

export function measuredOf(plan: MarketPlan, { marks, orders, trades }: RunOutcome): Measures {
  const { options, benchmark: symbol } = plan;
  const { riskFree, trials, stakeOf } = plan.measuring;
  const { seed = 0 } = options;
  const outcome = {
    ...plan,
    actions: actionsOfHolder(plan.actions, dividendsOf(options)),
    marks,
    orders,
    trades: trades.closed.all,
    fills: trades.fills.all,
    brought: trades.brought,
    lotActions: trades.lotActions,
    stakeOf,
  };
  const figures = figuresOf(outcome, symbol);
  const { benchmark, lots } = figures;
  return {
    ...metricsOf(figures, { riskFree, trials, seed, marksPerYear: marksPerYear(options) }),
    benchmark,
    lots,
  };
}
