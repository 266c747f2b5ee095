import { newYorkDate, tradingCalendar, type Session } from '../calendar/index.ts';
import { cash, formatDecimal, type Cash } from '../core/amount.ts';
import { epochMs, toIso, type EpochMs } from '../core/brand.ts';
import { systemClock } from '../core/clock.ts';
import { ConfigError } from '../core/errors.ts';
import type { Bar } from '../domain/bar.ts';
import type { AccountReport } from '../domain/venue.ts';
import { tradedEquity } from '../engine/state/exposure.ts';
import { warmUpGaps } from '../engine/strategy/warmUp.ts';
import { Kernel } from '../engine/kernel/kernel.ts';
import { barEnd } from '../market/series.ts';
import { sharesPer } from '../domain/corporateAction.ts';
import type { LotAction } from '../statistics/lotTrades.ts';
import { metricsOf } from '../statistics/metrics.ts';
import { ActionReplay, actionsOf, isSplit, type PlannedAction } from './actions.ts';
import { outcomesOf, pendingOf, tagOutcomes, type PendingOrder, type BacktestResult } from './result.ts';
import { Decisions, heldOf, Recorder } from './recorder.ts';
import { Delistings, endedOf, endedSymbols, refuseEnded, type LastBar } from './delisting.ts';
import { Exchange } from './exchange.ts';
import { measuringOf, type Measuring, benchmarkSymbol, figuresOf, marksPerYear } from './figures.ts';
import { cashOf, modelOf, spanOf, statedModel, type BacktestOptions, type MarketModel } from './options.ts';
import { BarReplay } from './barReplay.ts';
import {
  instrumentOf,
  requireData,
  requirePrices,
  rulesOf,
  runIdOf,
  strategiesOf,
  tapesOf,
  timersIn,
  type PlannedStrategy,
} from './setup.ts';
import type { Tape } from './tape.ts';
import { contentHash } from './preparedBars.ts';
import { Trades } from './trades.ts';

type Plan = Readonly<{
  options: BacktestOptions;
  model: MarketModel;
  money: Cash;
  strategies: readonly PlannedStrategy[];
  tapes: readonly Tape[];
  sessions: readonly Session[];
  actions: readonly PlannedAction[];
  /** Symbols whose bars end before the run does. */
  ended: readonly LastBar[];
  /** Identity of the bars, by their hashes. */
  data: readonly unknown[];
  benchmark: string | null;
  measuring: Measuring;
}>;

/**
 * Runs strategies over bars on a simulated exchange, with the engine that trades live. The same options give the same result
 * to the last digit, and the same `runId`.
 * @throws {ConfigError} for options, parameters or bars that do not fit, {StrategyError} when a strategy throws
 */
export function runBacktest(options: BacktestOptions): Promise<BacktestResult> {
  const { clock = systemClock } = options;
  const begun = clock.monotonic();
  return new Promise((resolve) => {
    const plan = planOf(options);
    const loaded = clock.monotonic();
    const played = play(plan);
    const elapsed = { load: loaded - begun, run: clock.monotonic() - loaded };
    resolve(resultOf(plan, { ...played, elapsed, measured: measuring(plan, played) }));
  });
}

function planOf(options: BacktestOptions): Plan {
  const { calendar = tradingCalendar } = options;
  const model = modelOf(options);
  const money = cashOf(options);
  const strategies = strategiesOf(options, money);
  const actions = actionsOf(options, calendar);
  const split = new Set<string>(actions.filter(isSplit).map(({ action }) => action.symbol));
  const tapes = tapesOf(options, calendar, split);
  const data = tapes.map(({ symbol, interval, columns }) => [symbol, interval, contentHash(columns)]);
  requireData(strategies, tapes);
  const measure = {
    benchmark: benchmarkSymbol(options),
    measuring: measuringOf(options, marksPerYear(options)),
  };
  const sessions = sessionsOf(tapes, options);
  requirePrices(tapes, sessions);
  const ended = endedSymbols(tapes, sessions, calendar);
  if (model.delisted === 'error') refuseEnded(ended, sessions);
  return { options, model, money, strategies, tapes, actions, ended, data, ...measure, sessions };
}

/** Every session in which a bar of the span ends. @throws {ConfigError} when there is none */
function sessionsOf(tapes: readonly Tape[], options: BacktestOptions): Session[] {
  const { from, to } = spanOf(options);
  const all = new Set(tapes.flatMap(({ parts }) => parts.map(({ session }) => session)));
  const within = [...all]
    .filter(({ open, close }) => close > from && open < to)
    .sort((a, b) => a.open - b.open);
  if (within.length === 0) throw noneWithin(options);
  return within;
}

const SETS_SHOWN = 5;

function noneWithin({ bars }: BacktestOptions): ConfigError {
  const day = (at: number | undefined) => newYorkDate(epochMs(at ?? NaN));
  const spans = bars
    .slice(0, SETS_SHOWN)
    .map(
      ({ symbol, interval, start }) =>
        `of ${symbol} ${interval} from ${day(start[0])} to ${day(start.at(-1))}`,
    );
  const more = bars.length > spans.length ? `, and of ${bars.length - spans.length} more` : '';
  return new ConfigError(`no bar lies between --from and --to: there are bars ${spans.join(', ')}${more}`);
}

type Played = Readonly<{
  kernel: Kernel;
  replay: BarReplay;
  recorder: Recorder;
  trades: Trades;
  actions: ActionReplay;
}>;

function play({ options, model, money, strategies, tapes, sessions, ...plan }: Plan): Played {
  const { calendar = tradingCalendar, onProgress, onFact } = options;
  const kernel = new Kernel({
    calendar,
    strategies,
    quiet: true,
    rules: rulesOf(options, model),
    obstacles: { reason: () => null },
  });
  const { context } = kernel;
  const pricesOf = new Map(tapes.flatMap((tape) => (tape.last ? [[tape.symbol, tape] as const] : [])));
  for (const [symbol, { last }] of pricesOf) {
    context.market.instruments.set(symbol, instrumentOf(symbol));
    const own = tapes.filter((tape) => tape.symbol === symbol).map(({ series }) => series);
    if (last) context.market.follow(symbol, () => last.quote(context.now), own);
  }
  const exchange = new Exchange({
    model,
    spare: (strategyId) => context.accountState.ledger.balance(strategyId, 'free', 'mUSD'),
  });
  const decisions = new Decisions(context);
  const priceOf = (symbol: string) => pricesOf.get(symbol as Tape['symbol'])?.last?.price ?? NaN;
  const recorder = new Recorder(context, priceOf, decisions);
  const trades = new Trades((symbol) => columnsOf(pricesOf.get(symbol)), decisions);
  const start = epochMs(Math.max(spanOf(options).from, sessions[0]?.open ?? 0));
  const actions = new ActionReplay({ kernel, tapes, trades, planned: plan.actions });
  actions.begin(start);
  for (const tape of tapes) tape.watchers = kernel.strategies.watching(tape.symbol, tape.interval);
  const timersOf = (session: Session) =>
    timersIn(session, strategies, { from: start, calendar: kernel.context.calendar });
  const delistings = new Delistings(model.delisted === 'zero' ? plan.ended : []);
  const book = { recorder, trades, actions, delistings };
  const { ambiguous } = model;
  const replay = new BarReplay({ kernel, exchange, tapes, ambiguous, ...book, start, timersOf, onFact });
  begin({ kernel, replay, tapes, money, strategies, start });
  const total = tapes.reduce((sum, { parts }) => sum + (parts.at(-1)?.to ?? 0), 0);
  for (const session of sessions) {
    replay.play(session);
    onProgress?.({ done: replay.bars, total, equity: recorder.marks.at(-1)?.equity ?? NaN });
  }
  replay.end(sessions.at(-1)?.close ?? start);
  recorder.end();
  return { kernel, replay, recorder, trades, actions };
}

function columnsOf(tape: Tape | undefined) {
  if (!tape) throw new ConfigError('an order of a symbol without bars');
  return tape.columns;
}

type Beginning = Readonly<
  Pick<Plan, 'tapes' | 'money' | 'strategies'> & { kernel: Kernel; replay: BarReplay; start: EpochMs }
>;

/** Opens the account with the cash, shows the warm-up, and starts the strategies. */
function begin({ kernel, replay, tapes, money, strategies, start }: Beginning): void {
  const account: AccountReport = { cash: money, holdings: new Map() };
  replay.take({ kind: 'opened', account }, start);
  replay.take({ kind: 'account', asked: start, report: account }, start);
  replay.take({ kind: 'warm', bars: warmUp(tapes, { strategies, start }, kernel) }, start);
  replay.take({ kind: 'start' }, start);
}

/** Warm-up bars that strategies request, in the order of their ends; earlier ones are history. */
function warmUp(
  tapes: readonly Tape[],
  given: Pick<Beginning, 'strategies' | 'start'>,
  kernel: Kernel,
): Bar[] {
  const { calendar } = kernel.context;
  const bars = tapes.flatMap((tape) => {
    const needs = given.strategies.flatMap(({ needs }) => needs.bars ?? []);
    const own = needs.filter(({ symbol, interval }) => symbol === tape.symbol && interval === tape.interval);
    const count = Math.max(0, ...own.map(({ warmUp = 0 }) => warmUp));
    const before = tape.skipTo(given.start, calendar);
    const from = Math.max(before - count, 0);
    tape.series.beginAt(from);
    return Array.from({ length: before - from }, (_, index) => tape.bar(from + index));
  });
  const endOf = (bar: Bar) => barEnd(bar, calendar);
  return bars.sort((a, b) => endOf(a) - endOf(b));
}

type Measured = Pick<BacktestResult, 'metrics' | 'notes' | 'tradeMetricsFrom' | 'benchmark' | 'lots'>;

/** Computes the metrics at the first access: a run for its events or its profit does not pay for them. */
function measuring(plan: Plan, played: Played): () => Measured & Readonly<{ ms: number }> {
  const { clock = systemClock } = plan.options;
  let measured: (Measured & Readonly<{ ms: number }>) | null = null;
  return () => {
    if (measured) return measured;
    const begun = clock.monotonic();
    const made = measuredOf(plan, played);
    return (measured = { ...made, ms: clock.monotonic() - begun });
  };
}

function measuredOf(plan: Plan, { recorder, trades }: Played): Measured {
  const { options, benchmark: symbol } = plan;
  const { riskFree, trials, stakeOf } = plan.measuring;
  const { seed = 0 } = options;
  const { marks, all } = recorder;
  const outcome = {
    ...plan,
    marks,
    orders: all.orders,
    trades: trades.closed.all,
    fills: trades.fills.all,
    lotActions: [...splitsOf(plan), ...trades.writeOffs],
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

const splitsOf = ({ actions }: Plan): LotAction[] =>
  actions
    .filter(isSplit)
    .map(({ action, open }) => ({ kind: 'split', at: open, symbol: action.symbol, per: sharesPer(action) }));

type Timed = Readonly<{
  elapsed: Readonly<{ load: number; run: number }>;
  measured: ReturnType<typeof measuring>;
}>;

function resultOf(
  plan: Plan,
  { kernel, replay, recorder, trades, actions, elapsed, measured }: Played & Timed,
): BacktestResult {
  const { strategies, money } = plan;
  const end = tradedEquity(kernel.context);
  const rest = cash(money - strategies.reduce((sum, { capital }) => sum + capital, 0n));
  const pnl = cash(end + rest - money);
  const ids = strategies.map(({ id }) => id);
  return {
    ...setupOf(plan),
    bars: replay.bars,
    warmUp: warmUpGaps(strategies, (symbol, interval) => skippedOf(plan.tapes, symbol, interval)),
    trades: trades.closed.length,
    orders: recorder.all.orders,
    dropped: recorder.all.dropped,
    heldOrders: recorder.heldOrders,
    pnl: formatDecimal(pnl),
    ...outcomesOf(ids, pnl, { context: kernel.context, recorder, trades }),
    ...(trades.closed.hasTags ? { tags: tagOutcomes(trades) } : {}),
    fees: formatDecimal(trades.fees),
    slippage: formatDecimal(trades.slippage),
    dividends: formatDecimal(actions.paid),
    equity: { start: formatDecimal(money), end: formatDecimal(cash(end + rest)) },
    ...leftOf(plan, { kernel, recorder }),
    get metrics() {
      return measured().metrics;
    },
    get notes() {
      return measured().notes;
    },
    get tradeMetricsFrom() {
      return measured().tradeMetricsFrom;
    },
    get benchmark() {
      return measured().benchmark;
    },
    get lots() {
      return measured().lots;
    },
    elapsedMs: {
      ...elapsed,
      get report() {
        return measured().ms;
      },
    },
    marks: recorder.marks,
    ...(recorder.logs.length === 0 ? {} : { logs: recorder.logs }),
    events: actions.events,
    get tradeList() {
      return trades.closed.all;
    },
    get fills() {
      return trades.fills.all;
    },
    limitOrders: trades.limits,
  };
}

/** Bars of a series before the first that counts. */
const skippedOf = (tapes: readonly Tape[], symbol: string, interval: string): number =>
  tapes.find((tape) => tape.symbol === symbol && tape.interval === interval)?.skipped ?? 0;

type Setup = Pick<
  BacktestResult,
  'strategy' | 'params' | 'symbols' | 'sessions' | 'marksPerYear' | 'from' | 'to' | 'runId'
> &
  Pick<BacktestResult, 'intervals' | 'model'>;

/** Strategies, bars and span of the run. */
function setupOf(plan: Plan): Setup {
  const { options, strategies, tapes, sessions } = plan;
  const [first, last] = [sessions[0], sessions.at(-1)];
  return {
    strategy: strategies.map(({ id }) => id).join(', '),
    params: strategies.length === 1 ? strategies[0]?.params : strategies.map(({ params }) => params),
    symbols: symbolsOf(tapes),
    sessions: sessions.length,
    marksPerYear: marksPerYear(options),
    from: toIso(epochMs(Math.max(spanOf(options).from, first?.open ?? 0))),
    to: toIso(last?.close ?? epochMs(0)),
    runId: runIdOf(plan),
    intervals: intervalsOf(tapes),
    model: statedModel(options),
  };
}

/**
 * The `runId` of a backtest without running it.
 * @throws {ConfigError} as `runBacktest` does
 */
export const backtestId = (options: BacktestOptions): string => runIdOf(planOf(options));

const symbolsOf = (tapes: readonly Tape[]) => [...new Set(tapes.map(({ symbol }) => symbol))];

/** Lengths of the bars of each symbol, the shortest first. */
const intervalsOf = (tapes: readonly Tape[]): BacktestResult['intervals'] =>
  Object.fromEntries(
    tapes.map(({ symbol }) => [
      symbol,
      tapes.filter((tape) => tape.symbol === symbol).map(({ interval }) => interval),
    ]),
  );

/** Holdings and pending orders at the end, and the symbols whose bars ended before it. */
function leftOf(
  { ended, model, tapes }: Plan,
  { kernel, recorder }: Pick<Played, 'kernel' | 'recorder'>,
): Pick<BacktestResult, 'open' | 'pending' | 'ended' | 'writtenOff'> {
  const { ledger, intents } = kernel.context.accountState;
  const pending: PendingOrder[] = pendingOf(intents.values());
  const { writtenOff: lost } = recorder;
  return {
    open: symbolsOf(tapes).flatMap((symbol) => {
      const held = heldOf(ledger, symbol);
      return held === 0n ? [] : [{ symbol, quantity: formatDecimal(held) }];
    }),
    pending,
    ended: endedOf(ended, {
      priceOf: (symbol) => tapes.find((tape) => tape.symbol === symbol)?.last?.price ?? NaN,
      held: (symbol) => heldOf(ledger, symbol),
      pending,
      writtenOff: model.delisted === 'zero' ? lost : null,
    }),
    writtenOff: formatDecimal(cash([...lost.values()].reduce<bigint>((sum, value) => sum + value, 0n))),
  };
}
