import { tradingCalendar } from '../calendar/index.ts';
import { cash, formatDecimal, shares, toNumber } from '../core/amount.ts';
import { systemClock } from '../core/clock.ts';
import { ConfigError } from '../core/errors.ts';
import { barSetName, type Bar } from '../domain/bar.ts';
import type { AccountReport } from '../domain/venue.ts';
import { tradedEquity } from '../engine/state/exposure.ts';
import { warmUpGaps } from '../engine/strategy/warmUp.ts';
import { Kernel } from '../engine/kernel/kernel.ts';
import { barEnd } from '../market/series.ts';
import { ActionReplay } from './actions.ts';
import {
  outcomesOf,
  pendingOf,
  tagOutcomes,
  unpaidOf,
  type PendingOrder,
  type BacktestResult,
} from './result.ts';
import { Decisions, heldOf, Recorder } from './recorder.ts';
import { Delistings, endedOf } from './delisting.ts';
import { Exchange } from './exchange.ts';
import { measuredOf, type Measures } from './figures.ts';
import type { BacktestOptions, SaleAtClose } from './options.ts';
import { PhaseTally } from './phaseTally.ts';
import { BarReplay } from './replay/barReplay.ts';
import { DayReplay } from './replay/dayReplay.ts';
import { planOf, setupOf, splitsAfter, symbolsOf, type Plan } from './plan.ts';
import { instrumentOf, rulesOf, runIdOf, timersBetween } from './setup.ts';
import { tapeOf, type Tape } from './tape.ts';
import { Trades } from './trades.ts';

/**
 * Runs strategies over bars on a simulated exchange, with the live trading engine. The same options give the same
 * result to the last digit, and the same `runId`.
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

type FinishedRun = Readonly<{
  kernel: Kernel;
  replay: BarReplay;
  recorder: Recorder;
  trades: Trades;
  phases: PhaseTally | null;
  actions: ActionReplay;
}>;

function play({ options, model, money, strategies, tapes, sessions, ...plan }: Plan): FinishedRun {
  const { calendar = tradingCalendar, tokenPrices, onProgress, onFact } = options;
  const kernel = new Kernel({
    calendar,
    strategies,
    quiet: true,
    rules: rulesOf(options, { model, tapes }),
    obstacles: { reason: () => null },
  });
  const { context } = kernel;
  const pricesOf = new Map(tapes.flatMap((tape) => (tape.last ? [[tape.symbol, tape] as const] : [])));
  const shown = tapes.filter(({ isShown }) => isShown);
  for (const [symbol, tape] of pricesOf) {
    context.market.instruments.set(symbol, instrumentOf(tape, options));
    const own = shown.filter((each) => each.symbol === symbol).map(({ series }) => series);
    const { last } = tape;
    if (last) context.market.follow(symbol, last.sourceAt(context), own);
  }
  const exchange = new Exchange({
    model,
    spare: (strategyId) => context.accountState.ledger.balance(strategyId, 'free', 'mUSD'),
  });
  const decisions = new Decisions(context);
  const recorder = new Recorder(context, pricesOf, decisions);
  const trades = new Trades((symbol) => columnsOf(pricesOf.get(symbol)), decisions);
  const { start } = plan;
  const actions = new ActionReplay({ kernel, tapes, trades, planned: plan.actions, unpaid: plan.unpaid });
  actions.begin(start);
  for (const tape of shown) tape.watchers = kernel.strategies.barNews.watching(tape.series.set);
  const timersOf = timersBetween(strategies, { from: start, to: plan.end, calendar });
  const delistings = new Delistings(model.delisted === 'zero' ? plan.ended : []);
  const phases = plan.hours === sessions ? null : new PhaseTally(context.calendar, money);
  const played = { tapes, ambiguous: model.ambiguous, tokenPrices };
  const bars = new BarReplay({ kernel, exchange, ...played, recorder, trades, phases, onFact });
  const book = { recorder, trades, phases, actions, delistings };
  const replay = new DayReplay({ kernel, bars, tapes, ...book, start, timersOf });
  begin({
    kernel,
    replay: bars,
    tapes,
    money,
    strategies,
    start,
    actions: plan.actions,
    unpaid: plan.unpaid,
  });
  const total = tapes.reduce((sum, tape) => sum + (tape.isOfPhases ? 0 : (tape.parts.at(-1)?.to ?? 0)), 0);
  for (const [index, hours] of plan.hours.entries()) {
    const days = recorder.marks.length;
    replay.play(hours, phases ? plan.hours[index + 1] : undefined);
    const mark = recorder.marks.at(-1);
    if (mark && recorder.marks.length > days) onProgress?.({ done: bars.bars, total, equity: mark.equity });
  }
  options.onEnd?.(salesAtClose(exchange, tapes, (symbol) => heldOf(context.accountState.ledger, symbol)));
  replay.end(plan.hours.at(-1)?.close ?? start);
  recorder.end();
  return { kernel, replay: bars, recorder, trades, phases, actions };
}

/** Sales of all holdings, each at the close of its stock's last bar. */
const salesAtClose = (
  exchange: Exchange,
  tapes: readonly Tape[],
  held: (symbol: Tape['symbol']) => bigint,
): SaleAtClose[] =>
  tapes.flatMap((tape) => {
    const { symbol, last } = tape;
    const quantity = shares(held(symbol));
    if (!last || quantity <= 0n) return [];
    const { price, sold } = exchange.saleAtClose(tape, quantity);
    return [{ symbol, sold: toNumber(sold), price: toNumber(price) }];
  });

function columnsOf(tape: Tape | undefined) {
  if (!tape) throw new ConfigError('an order of a symbol without bars');
  return tape.columns;
}

type StartState = Readonly<
  Pick<Plan, 'tapes' | 'money' | 'unpaid' | 'strategies' | 'start' | 'actions'> & {
    kernel: Kernel;
    replay: BarReplay;
  }
>;

/** Opens the account with the cash, shows the warm-up, and starts the strategies. */
function begin({ kernel, replay, tapes, money, unpaid, strategies, start, actions }: StartState): void {
  const [first] = strategies;
  kernel.recover(
    unpaid.map(({ action, amount }) => {
      const parts = [[first?.id ?? '', amount]] as const;
      return { at: start, fact: { kind: 'entitled', action, parts, receivable: true } };
    }),
  );
  const account: AccountReport = { cash: money, holdings: new Map() };
  replay.take({ kind: 'opened', account }, start);
  replay.take({ kind: 'account', asked: start, report: account }, start);
  const bars = warmUp(tapes, { strategies, start }, kernel);
  const splits = splitsAfter(start, actions);
  for (const { signals } of strategies) signals?.compute({ tapes, splits });
  replay.take({ kind: 'warm', bars }, start);
  replay.take({ kind: 'start' }, start);
}

/** Warm-up bars that strategies request, ordered by end time; earlier bars are history. */
function warmUp(
  tapes: readonly Tape[],
  given: Pick<StartState, 'strategies' | 'start'>,
  kernel: Kernel,
): Bar[] {
  const { calendar } = kernel.context;
  const bars = tapes.flatMap((tape) => {
    const needs = given.strategies.flatMap(({ needs }) => needs.bars ?? []);
    const own = needs.filter((need) => tapeOf([tape], need));
    const count = Math.max(0, ...own.map(({ warmUp = 0 }) => warmUp));
    const before = tape.skipTo(given.start, calendar);
    const from = Math.max(before - count, 0);
    tape.beginAt(from);
    return Array.from({ length: before - from }, (_, index) => tape.bar(from + index));
  });
  const endOf = (bar: Bar) => barEnd(bar, calendar);
  // The same bar of the session may be on two tapes.
  const known = new Map(bars.map((bar) => [`${barSetName(bar)} ${bar.start}`, bar]));
  return [...known.values()].sort((a, b) => endOf(a) - endOf(b));
}

/** Computes the metrics at first access: a run needed only for its events or profit does not compute them. */
function measuring(plan: Plan, played: FinishedRun): () => Measures & Readonly<{ ms: number }> {
  const { clock = systemClock } = plan.options;
  let measured: (Measures & Readonly<{ ms: number }>) | null = null;
  return () => {
    if (measured) return measured;
    const begun = clock.monotonic();
    const { recorder, trades } = played;
    const made = measuredOf(plan, { marks: recorder.marks, orders: recorder.all.orders, trades });
    return (measured = { ...made, ms: clock.monotonic() - begun });
  };
}

type RunTimes = Readonly<{
  elapsed: Readonly<{ load: number; run: number }>;
  measured: ReturnType<typeof measuring>;
}>;

function resultOf(
  plan: Plan,
  { kernel, replay, recorder, trades, phases, actions, elapsed, measured }: FinishedRun & RunTimes,
): BacktestResult {
  const { strategies, money, startEquity } = plan;
  const end = tradedEquity(kernel.context);
  const rest = cash(money - strategies.reduce((sum, { capital }) => sum + capital, 0n));
  const pnl = cash(end + rest - startEquity);
  const ids = strategies.map(({ id }) => id);
  return {
    ...setupOf(plan),
    bars: replay.bars,
    warmUp: warmUpGaps(strategies, (need) => tapeOf(plan.tapes, need)?.skipped ?? 0),
    trades: trades.closed.length,
    orders: recorder.all.orders,
    dropped: recorder.all.dropped,
    heldOrders: recorder.heldOrders,
    pnl: formatDecimal(pnl),
    ...outcomesOf(ids, pnl, { context: kernel.context, recorder, trades }),
    ...(trades.closed.hasTags ? { tags: tagOutcomes(trades) } : {}),
    ...(phases && { phases: phases.outcomes }),
    fees: formatDecimal(trades.fees),
    slippage: formatDecimal(trades.slippage),
    dividends: formatDecimal(actions.paid),
    equity: { start: formatDecimal(startEquity), end: formatDecimal(cash(end + rest)) },
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
    ...recorder.annotations,
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

/** The `runId` of a backtest without running it. @throws {ConfigError} as `runBacktest` does */
export const backtestId = (options: BacktestOptions): string => runIdOf(planOf(options));

/** Holdings, dividends due and pending orders at the end, and the symbols whose bars ended before it. */
function leftOf(
  { ended, model, tapes }: Plan,
  { kernel, recorder }: Pick<FinishedRun, 'kernel' | 'recorder'>,
): Pick<BacktestResult, 'receivable' | 'unpaid' | 'open' | 'pending' | 'ended' | 'writtenOff'> {
  const { ledger, intents, actions } = kernel.context.accountState;
  const pending: PendingOrder[] = pendingOf(intents.values());
  const { writtenOff: lost } = recorder;
  return {
    receivable: formatDecimal(cash(actions.receivables)),
    unpaid: unpaidOf(actions),
    open: symbolsOf(tapes).flatMap((symbol) => {
      const held = heldOf(ledger, symbol);
      return held === 0n ? [] : [{ symbol, quantity: formatDecimal(held) }];
    }),
    pending,
    ended: endedOf(ended, {
      priceOf: (symbol) => tapes.find((tape) => tape.symbol === symbol && tape.last)?.last?.price ?? NaN,
      held: (symbol) => heldOf(ledger, symbol),
      pending,
      writtenOff: model.delisted === 'zero' ? lost : null,
    }),
    writtenOff: formatDecimal(cash([...lost.values()].reduce<bigint>((sum, value) => sum + value, 0n))),
  };
}
