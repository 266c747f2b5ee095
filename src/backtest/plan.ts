import { newYorkDate, tradingCalendar, type Session } from '../calendar/index.ts';
import { cash, type Cash } from '../core/amount.ts';
import { epochMs, toIso, type EpochMs } from '../core/brand.ts';
import { ConfigError } from '../core/errors.ts';
import {
  actionsOf,
  isSplit,
  unpaidAtStart,
  type PlannedAction,
  type PlannedPayment,
  type PlannedSplit,
} from './actions.ts';
import { endedSymbols, refuseEnded, type LastBar } from './delisting.ts';
import { benchmarkSymbol, marksPerYear, measuringOf, type MeasureOptions } from './figures.ts';
import { cashOf, modelOf, spanOf, statedModel, type BacktestOptions, type MarketModel } from './options.ts';
import { contentHash } from './preparedBars.ts';
import type { BacktestResult } from './result.ts';
import {
  requireData,
  requirePrices,
  runIdOf,
  strategiesOf,
  tapesOf,
  timersBetween,
  type PlannedStrategy,
} from './setup.ts';
import { phaseTapes, withPhases } from './outside.ts';
import { sessionBefore, type Hours, type Tape } from './tape.ts';

/** Market of a backtest, independent of the strategies' parameters. */
export type MarketPlan = Readonly<{
  options: BacktestOptions;
  model: MarketModel;
  money: Cash;
  unpaid: readonly PlannedPayment[];
  /** `money` plus `unpaid`. */
  startEquity: Cash;
  tapes: readonly Tape[];
  sessions: readonly Session[];
  /** Sessions, and the phases around them that are played. */
  hours: readonly Hours[];
  /** First instant that counts. */
  start: EpochMs;
  /** End of the timers, exclusive: the end of the span, moved past the bar in which it falls. */
  end: EpochMs;
  actions: readonly PlannedAction[];
  /** Symbols whose bars end before the run does. */
  ended: readonly LastBar[];
  /** Identity of the bars, by their hashes. */
  data: readonly unknown[];
  benchmark: string | null;
  measuring: MeasureOptions;
}>;

/** Checked options of a backtest. */
export type Plan = MarketPlan & Readonly<{ strategies: readonly PlannedStrategy[] }>;

/** @throws {ConfigError} for options, parameters or bars that do not fit */
export function planOf(options: BacktestOptions): Plan {
  const strategies = strategiesOf(options, cashOf(options));
  const market = marketPlanOf(options);
  requireData(strategies, market.tapes);
  const tapes = [...market.tapes, ...phaseTapes(strategies, market)];
  return { ...market, strategies, tapes, start: startOf(market, strategies) };
}

/** Start of a run: the first timer between `from` and the first bar, if there is one. Its orders fill in that bar. */
function startOf(
  { options, tapes, hours, start }: MarketPlan,
  strategies: readonly PlannedStrategy[],
): EpochMs {
  const { calendar = tradingCalendar } = options;
  const { from } = spanOf(options);
  const session = hours[0] && calendar.sessionOn(hours[0].date);
  if (!session || !Number.isFinite(from)) return start;
  const timersOf = timersBetween(strategies, { from, to: start, calendar });
  const before = sessionBefore(session, { tapes, calendar });
  const [first] = [...(before ? timersOf(before) : []), ...timersOf(session)];
  return first?.at ?? start;
}

/** @throws {ConfigError} for options or bars that do not fit */
export function marketPlanOf(options: BacktestOptions): MarketPlan {
  const { calendar = tradingCalendar } = options;
  const model = modelOf(options);
  const money = cashOf(options);
  const actions = actionsOf(options, calendar);
  const split = new Set<string>(actions.filter(isSplit).map(({ action }) => action.symbol));
  const tapes = tapesOf(options, calendar, split);
  const shown = (options.outside?.shown ?? []).map((columns) => ({ ...columns, columns }));
  const data = [...tapes, ...shown].map(({ symbol, interval, columns }) => [
    symbol,
    interval,
    contentHash(columns),
  ]);
  const measure = {
    benchmark: benchmarkSymbol(options),
    measuring: measuringOf(options, marksPerYear(options)),
  };
  const sessions = sessionsOf(tapes, options);
  const hours = withPhases(sessions, tapes, spanOf(options));
  const { from, to } = spanOf(options);
  const start = epochMs(Math.max(from, hours[0]?.open ?? 0));
  const close = hours.at(-1)?.close ?? start;
  const lastBar = Math.max(...tapes.map((tape) => tape.endOfLast(calendar)));
  const end = to < close ? epochMs(Math.max(to, lastBar + 1)) : to;
  requirePrices(tapes, sessions);
  const ended = endedSymbols(tapes, sessions, calendar);
  if (model.delisted === 'error') refuseEnded(ended, sessions);
  const unpaid = unpaidAtStart(options, calendar);
  const startEquity = unpaid.reduce((sum, { amount }) => cash(sum + amount), money);
  const account = { money, unpaid, startEquity };
  return { options, model, ...account, tapes, actions, ended, data, ...measure, sessions, hours, start, end };
}

/** Splits that take effect after the start, in time order. */
export const splitsAfter = (start: EpochMs, actions: readonly PlannedAction[]): PlannedSplit[] =>
  actions.filter(isSplit).filter(({ open }) => open > start);

/** All sessions in which a bar of the span ends. @throws {ConfigError} when there is none */
function sessionsOf(tapes: readonly Tape[], options: BacktestOptions): Session[] {
  const { from, to } = spanOf(options);
  const shown = tapes.filter(({ isShown }) => isShown);
  const all = new Set(shown.flatMap(({ parts }) => parts.map(({ session }) => session)));
  const within = [...all]
    .filter(({ open, close }) => close > from && open < to)
    .sort((a, b) => a.open - b.open);
  if (within.length === 0) throw noneWithin(options);
  return within;
}

const SETS_SHOWN = 5;

function noneWithin({ bars, outside }: BacktestOptions): ConfigError {
  const day = (at: number | undefined) => newYorkDate(epochMs(at ?? NaN));
  const spans = bars
    .slice(0, SETS_SHOWN)
    .map(
      ({ symbol, interval, start }) =>
        `of ${symbol} ${interval} from ${day(start[0])} to ${day(start.at(-1))}`,
    );
  const more = bars.length > spans.length ? `, and of ${bars.length - spans.length} more` : '';
  const what = outside ? 'no bar of a regular session, which a backtest needs,' : 'no bar';
  return new ConfigError(`${what} lies between --from and --to: there are bars ${spans.join(', ')}${more}`);
}

/** Strategies, bars and span of the run. */
export function setupOf(plan: Plan) {
  const { options, strategies, tapes, sessions, start } = plan;
  const last = plan.hours.at(-1);
  return {
    generated: options.generated ?? false,
    strategy: strategies.map(({ id }) => id).join(', '),
    params: strategies.length === 1 ? strategies[0]?.params : strategies.map(({ params }) => params),
    symbols: symbolsOf(tapes),
    sessions: sessions.length,
    marksPerYear: marksPerYear(options),
    from: toIso(start),
    to: toIso(last?.close ?? epochMs(0)),
    runId: runIdOf(plan),
    intervals: intervalsOf(tapes),
    model: statedModel(options),
  };
}

export const symbolsOf = (tapes: readonly Tape[]) => [...new Set(tapes.map(({ symbol }) => symbol))];

/** Bar lengths of each symbol, shortest first. */
const intervalsOf = (tapes: readonly Tape[]): BacktestResult['intervals'] =>
  Object.fromEntries(
    tapes.map(({ symbol }) => [
      symbol,
      tapes
        .filter((tape) => tape.symbol === symbol && tape.isShown && !tape.isOfPhases)
        .map(({ interval }) => interval),
    ]),
  );
