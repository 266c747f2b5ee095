import type { PlannedAction } from '../../backtest/actions.ts';
import { type BacktestOptions, type BacktestStrategy, cashOf, modelOf } from '../../backtest/options.ts';
import { tradedPhases } from '../../backtest/outside.ts';
import { marketPlanOf, splitsAfter, type MarketPlan, type Plan } from '../../backtest/plan.ts';
import { signalRunOf, type SignalRun } from '../../backtest/playedSignals.ts';
import { playedLimits, requireData, strategiesOf, type PlannedStrategy } from '../../backtest/setup.ts';
import type { Tape } from '../../backtest/tape.ts';
import { tradingCalendar } from '../../calendar/index.ts';
import { InvariantError } from '../../core/errors.ts';
import type { Ticker } from '../../domain/instrument.ts';
import { resultOf, type ColumnarResult } from './columnarResult.ts';
import { DELAY_MAX_MS, startedTapes, timelineOf, unplayable, type Timeline } from './timeline.ts';
import { parseCash } from '../../core/amount.ts';
import type { Limits } from '../../domain/limits.ts';
import { isSignals, type SignalsDefinition } from '../../strategy/signals/defineSignals.ts';

/** Backtest with a prepared market, for many parameter sets of its strategy. */
export type Columnar = Readonly<
  | {
      supported: true;
      /** Number of sessions after which half of all bars have been played; Infinity if that is never reached. */
      halfway: number;
      /**
       * @throws {ConfigError} for parameters that do not fit, {StrategyError} for an error of its code and for signals
       * that look ahead
       */
      run(params: unknown): ColumnarResult;
    }
  | {
      supported: false;
      /** Options and data that only the kernel supports, in the terms of the options. */
      why: readonly string[];
    }
>;

/**
 * Prepares a signals backtest for the columnar engine, which plays target weights exactly as the kernel does, and many
 * times as fast. Bars are neither changed nor copied, unless a symbol has a split.
 * @throws {ConfigError} for options or bars that do not fit
 */
export function prepareColumnar(options: BacktestOptions): Columnar {
  const why = unsupported(options);
  const strategy = onlyStrategy(options);
  if (why.length > 0 || !strategy || !hasSignals(strategy)) return { supported: false, why };
  const market = marketPlanOf(options);
  const tapes = startedTapes(market);
  const trials = new Trials(strategy, market, tapes);
  const problem = unplayable(trials.timeline(tapes.map(({ symbol }) => symbol)), market.model.settlementMs);
  if (problem !== null) return { supported: false, why: [problem] };
  return { supported: true, halfway: halfwayOf(market, tapes), run: (params) => trials.run(params) };
}

/** Counts like the progress of a backtest: skipped bars are part of the total, but are never played. */
function halfwayOf({ sessions }: MarketPlan, tapes: readonly Tape[]): number {
  const total = tapes.reduce((sum, { parts }) => sum + (parts.at(-1)?.to ?? 0), 0);
  const played = new Map<unknown, number>();
  for (const { parts, skipped } of tapes)
    for (const { session, from, to } of parts)
      played.set(session, (played.get(session) ?? 0) + Math.max(to - Math.max(from, skipped), 0));
  let done = 0;
  const half = sessions.findIndex((session) => 2 * (done += played.get(session) ?? 0) >= total);
  return half < 0 ? Infinity : half + 1;
}

/**
 * Maximum number of rows of the histories on which trials after the first are tested for look-ahead. Longer ones would
 * take more time than the trial; the first trial is tested on all.
 */
const HISTORY_MAX = 10_000;

/** Trials of one strategy over one market. */
class Trials {
  readonly #strategy: SignalsStrategy;
  readonly #market: MarketPlan;
  readonly #tapes: readonly Tape[];
  /** Actions after the start. */
  readonly #actions: readonly PlannedAction[];
  readonly #timelines = new Map<string, Timeline>();
  #isChecked = false;

  constructor(strategy: SignalsStrategy, market: MarketPlan, tapes: readonly Tape[]) {
    this.#strategy = strategy;
    this.#market = market;
    this.#tapes = tapes;
    this.#actions = market.actions.filter(({ open }) => open > market.start);
  }

  run(params: unknown): ColumnarResult {
    const plan = this.#planOf(params);
    const [strategy] = plan.strategies as readonly [PlannedStrategy];
    const needed = this.#tapes.filter(({ symbol }) =>
      strategy.needs.bars?.some((need) => need.symbol === symbol),
    );
    const timeline = this.timeline(needed.map(({ symbol }) => symbol));
    const signals = this.#signalsOf(strategy, timeline);
    const places = signals.symbols.map((name) => timeline.symbols.findIndex(({ symbol }) => symbol === name));
    const trial = { plan, timeline, signals, places, actions: this.#actions };
    return resultOf(trial, this.#tapes);
  }

  /** Plan of the backtest that the kernel would run. */
  #planOf(params: unknown): Plan {
    const { options, money } = this.#market;
    const given = {
      ...options,
      ...(options.strategies ? { strategies: [{ ...this.#strategy, params }] } : { params }),
    };
    const strategies = strategiesOf(given, money);
    requireData(strategies, this.#tapes);
    return { ...this.#market, options: given, strategies };
  }

  timeline(symbols: readonly Ticker[]): Timeline {
    const name = symbols.join(' ');
    const known = this.#timelines.get(name);
    if (known) return known;
    const { options, sessions } = this.#market;
    const own = this.#tapes.filter(({ symbol }) => symbols.includes(symbol));
    const [first] = own;
    if (!first) throw new InvariantError('a timeline without symbols');
    const { calendar = tradingCalendar } = options;
    const made = timelineOf(own, { interval: first.interval, sessions, calendar });
    this.#timelines.set(name, made);
    return made;
  }

  #signalsOf({ id, params, needs, explain }: PlannedStrategy, timeline: Timeline): SignalRun {
    const { definition } = this.#strategy;
    const tapes = this.#tapes.map(({ symbol, interval, columns, skipped }) => {
      const need = needs.bars?.find((each) => each.symbol === symbol);
      return { symbol, interval, columns, skipped, first: Math.max(skipped - (need?.warmUp ?? 0), 0) };
    });
    const splits = splitsAfter(this.#market.start, this.#market.actions);
    const signals = signalRunOf(
      { id, definition, params, needs, explain },
      { tapes, splits, historyMax: this.#isChecked ? HISTORY_MAX : Infinity },
    );
    this.#isChecked = true;
    if (signals.start.length !== timeline.start.length)
      throw new InvariantError('signals have other rows than their bars', { rows: timeline.start.length });
    return signals;
  }
}

/** Strategy of a trial; its parameters are given with each trial. */
type SignalsStrategy = BacktestStrategy & Readonly<{ definition: SignalsDefinition }>;

/** Maximum number of symbols that change at one bar: the kernel refuses more orders within a minute. */
const SYMBOLS_MAX = 2_000;

/** Only strategy of the options, with signals or not; null for several or none. */
function onlyStrategy({ strategy, strategies }: BacktestOptions): BacktestStrategy | null {
  if (strategies) return strategies.length === 1 ? (strategies[0] ?? null) : null;
  return strategy ? { definition: strategy } : null;
}

const hasSignals = (strategy: BacktestStrategy): strategy is SignalsStrategy =>
  isSignals(strategy.definition);

/** Features of a backtest that the columnar engine does not support, in the terms of its options. */
function unsupported(options: BacktestOptions): string[] {
  const { bars, limits = {}, onFact } = options;
  const strategy = onlyStrategy(options);
  const capital = strategy?.capital;
  const model = modelOf(options);
  const { fill, own, slippage, volumeCap, latencyMs, settlementMs, delisted } = model;
  const { dividends, stockDividends, withheldPercent } = model;
  const lengths = [...new Set(bars.map(({ interval }) => interval))];
  const reasons: readonly (readonly [isUnsupported: boolean, what: string])[] = [
    [strategy === null, 'several strategies'],
    [strategy !== null && !hasSignals(strategy), 'a strategy that is not of defineSignals'],
    [strategy?.createRuntime !== undefined, 'a strategy in a thread of its own (--isolate)'],
    [
      capital !== undefined && parseCash(capital) !== cashOf(options),
      "a strategy's capital separate from the cash",
    ],
    [binds(limits, options) || binds(strategy?.limits ?? {}, options), 'limits'],
    [own !== undefined, `the fill model ${own?.name ?? ''}`],
    [slippage.kind === 'volume', `slippage ${slippage.kind}`],
    [volumeCap !== null, 'a volume cap'],
    [latencyMs > 0, 'latency'],
    [settlementMs > (fill === 'close' ? 0 : DELAY_MAX_MS), 'a delay of settlements'],
    [delisted === 'zero', 'delisted zero'],
    [dividends !== undefined, `dividends ${dividends ?? ''}`],
    [stockDividends !== undefined, 'dividends of single stocks'],
    [withheldPercent !== undefined, 'dividends with withheld tax'],
    [lengths.length > 1, `bars of several lengths (${lengths.join(', ')})`],
    [lengths.includes('1w'), 'weekly bars'],
    [bars.length > SYMBOLS_MAX, `more than ${SYMBOLS_MAX} symbols`],
    [tradedPhases(options) !== null, 'phases outside the session'],
    [onFact !== undefined, 'events of the journal (onFact)'],
  ];
  return reasons.flatMap(([isUnsupported, what]) => (isUnsupported ? [what] : []));
}

const binds = (limits: Limits, options: BacktestOptions): boolean => {
  const { limitPolicy: _, ...played } = playedLimits(limits, options);
  return Object.values(played).some((limit) => limit !== undefined);
};
