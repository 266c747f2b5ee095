import { marksPerYear } from '../../backtest/figures.ts';
import {
  dividendsOf,
  spanOf,
  type BacktestBars,
  type BacktestOptions,
  type DividendOptions,
} from '../../backtest/options.ts';
import type { BacktestResult } from '../../backtest/result.ts';
import { runBacktest } from '../../backtest/runBacktest.ts';
import { toNumber } from '../../core/amount.ts';
import { seededRandom } from '../../core/seededRandom.ts';
import type { Missing, RunFigures } from '../../statistics/figures.ts';
import { sampleOf } from '../../statistics/sample.ts';
import type { OptimisationResult, OptimiseOptions } from '../optimise.ts';
import { requireRepeatable } from '../study/repeats.ts';
import type { BookedTrial } from '../study/studyFile.ts';
import { trialOptions } from '../trials/kernelTrials.ts';
import { StudyTrials } from '../trials/studyTrials.ts';
import { evidenceOf, type Evidence, type Study } from '../significance/evidence.ts';
import type { Holding } from '../significance/entryTest.ts';
import { metricIntervals } from '../significance/intervals.ts';
import { parameterEffects, type ParameterEffects } from '../significance/parameterEffects.ts';
import { shuffleTrades, type TradeShuffle } from '../significance/tradeShuffle.ts';
import { verdict, type Verdict } from '../significance/verdict.ts';
import { scoresOf } from '../study/search.ts';
import { comparisonOf, laterRange, type Comparison, type HeldIn } from './comparison.ts';
import {
  costsDoubled,
  crisisReturns,
  priceNoise,
  type CostsDoubled,
  type CrisisReturn,
  type PriceNoise,
  type Watch,
} from './stress.ts';
import { actionsOf, actionsOfHolder, isSplit, worthOfOne } from '../../backtest/actions.ts';
import { barsOfPhases, tradedHours } from '../../backtest/outside.ts';
import { sessionParts } from '../../backtest/preparedBars.ts';
import { partsOf, type Part } from '../../backtest/tape.ts';
import { tradingCalendar, type Session } from '../../calendar/index.ts';
import { INTERVAL_MS } from '../../domain/bar.ts';
import { ticker } from '../../domain/instrument.ts';
import { countBefore } from '../../market/mergeBars.ts';
import { needsOf, symbolsOf } from '../../strategy/dataNeeds.ts';

/** Verdict on a study, with its basis. */
export type Judgement = Readonly<{
  verdict: Verdict;
  evidence: Evidence;
  /** Backtest of the chosen parameters over the whole span, by the engine. */
  chosen: BacktestResult;
  options: BacktestOptions;
  /** Returns of holding the stocks, over all sessions; null if they have no price. */
  held: Float64Array | null;
  heldIn: HeldIn;
}>;

/** Verdict, with the results of the chosen parameters under other assumptions. */
export type Belief = Judgement &
  Readonly<{
    comparison: Comparison;
    intervals: ReturnType<typeof metricIntervals>;
    shuffle: TradeShuffle | Missing;
    effects: ParameterEffects | Missing;
    costs: CostsDoubled;
    noise: PriceNoise | Missing;
    crises: readonly CrisisReturn[];
  }>;

const drawing = ({ sampling }: OptimiseOptions, name: string) => ({
  random: seededRandom(`${sampling.seed} ${name}`),
});

/**
 * Judges a finished study. Repeats the chosen backtest.
 * @throws {StrategyError} for a study whose trials depend on each other
 */
export async function judgementOf(
  optimised: OptimisationResult,
  options: OptimiseOptions,
): Promise<Judgement> {
  const { whole, sessions } = optimised;
  await requireRepeatable(whole, new StudyTrials(options.setup));
  const own = trialOptions(options.setup, whole.best?.params ?? {}, whole.span);
  const chosen = await runBacktest(own);
  const bars = tradedBars(own, chosen);
  const heldIn: HeldIn = (from, to) => heldReturns({ ...own, bars }, sessions.slice(from, to));
  const held = heldIn(0, sessions.length);
  const holding = holdingOf(chosen, held, bars);
  const study = studyOf(optimised, options, { chosen, held, heldIn, holding });
  const evidence = evidenceOf(study, drawing(options, 'evidence'));
  return { verdict: verdict(evidence), evidence, chosen, options: own, held, heldIn };
}

/** Bars of the stocks that a study trades, without those of a benchmark only. */
const tradedBars = (
  { bars, benchmark = '', strategies: [strategy] = [] }: BacktestOptions,
  { params }: BacktestResult,
): BacktestOptions['bars'] =>
  strategy && symbolsOf(needsOf({ id: '', definition: strategy.definition, params })).has(benchmark)
    ? bars
    : bars.filter(({ symbol }) => symbol !== benchmark);

/**
 * Judges a study, and also repeats the chosen backtest with doubled costs and with noisy prices. Null when stopped
 * before all was done.
 */
export async function beliefOf(
  optimised: OptimisationResult,
  options: OptimiseOptions,
  { onStep = () => undefined, isStopped = () => false }: Partial<Omit<Watch, 'clock'>> = {},
): Promise<Belief | null> {
  const { setup, sampling } = options;
  const statistics = { riskFree: setup.options.riskFree ?? 0, marksPerYear: marksPerYear(setup.options) };
  onStep('tests of luck');
  const judgement = await judgementOf(optimised, options);
  const { chosen, options: own, held, heldIn, evidence } = judgement;
  const figures = figuresOf(chosen);
  onStep('doubled costs');
  const costs = await costsDoubled(own);
  const noise = await priceNoise(own, sampling.seed, { onStep, isStopped, clock: setup.clock });
  if (noise === null) return null;
  return {
    ...judgement,
    comparison: comparisonOf(optimised, { heldIn, evidence, statistics }),
    intervals: metricIntervals(figures, statistics, drawing(options, 'intervals')),
    shuffle: shuffleTrades(figures, drawing(options, 'trades')),
    effects: effectsOf(optimised, options),
    costs,
    noise,
    crises: chosen.generated ? [] : crisisReturns(chosen, optimised.sessions, held),
  };
}

function effectsOf({ whole }: OptimisationResult, { setup }: OptimiseOptions): ParameterEffects | Missing {
  const [first] = setup.objectives;
  const values = whole.trials.map(({ params, outcome }) => ({
    params,
    value: (first ? scoresOf(outcome, [first])[0] : null) ?? NaN,
  }));
  return parameterEffects(values.filter(({ value }) => Number.isFinite(value)));
}

const figuresOf = ({ equity, marks, tradeList, fills, benchmark, lots }: BacktestResult): RunFigures => ({
  startEquity: Number(equity.start),
  marks,
  trades: tradeList.map((trade) => ({ ...trade, pnl: toNumber(trade.pnl) })),
  lots,
  fills,
  benchmark,
});

/** Study as input for the statistics: every trial completed over all sessions, and the number of trials made. */
function studyOf(
  { whole, walkForward, sessions }: OptimisationResult,
  { setup, sampling }: OptimiseOptions,
  { chosen, held, heldIn, holding }: Pick<Judgement, 'chosen' | 'held' | 'heldIn'> & Pick<Study, 'holding'>,
): Study {
  const finished = whole.trials.flatMap((trial) =>
    trial.outcome.state === 'done'
      ? [{ trial, params: trial.params, returns: filled(trial.outcome.returns, sessions.length) }]
      : [],
  );
  const { riskFree = 0 } = setup.options;
  const perYear = marksPerYear(setup.options);
  return {
    trials: finished.map(({ params, returns }) => ({ params, returns })),
    chosen: finished.findIndex(({ trial }: Readonly<{ trial: BookedTrial }>) => trial === whole.best),
    trialCount: whole.trials.length,
    trades: chosen.trades,
    benchmark: held,
    riskFree: (1 + riskFree) ** (1 / perYear) - 1,
    marksPerYear: perYear,
    holding,
    logarithmic: new Set(
      sampling.space.flatMap((one) => (one.kind === 'range' && one.log ? [one.name] : [])),
    ),
    outOfSample: walkForward && laterReturns({ walkForward, sessions }, heldIn),
  };
}

/** Returns over all sessions, with 0 after the account was ruined. */
function filled(returns: Float64Array, sessions: number): Float64Array {
  if (returns.length === sessions) return returns;
  const all = new Float64Array(sessions);
  all.set(returns.subarray(0, sessions));
  return all;
}

/** Position of the chosen run at each close, held over the next session, if it trades one stock. */
function holdingOf(
  { marks }: BacktestResult,
  held: Float64Array | null,
  bars: BacktestOptions['bars'],
): Holding | null {
  if (held === null || new Set(bars.map(({ symbol }) => symbol)).size !== 1 || marks.length < 2) return null;
  const positions = Float64Array.from(
    marks.slice(0, -1),
    ({ positions: own, equity }) => Object.values(own).reduce((sum, worth) => sum + worth, 0) / equity,
  );
  return { returns: held.slice(1, marks.length), positions };
}

function laterReturns(
  { walkForward, sessions }: Pick<OptimisationResult, 'walkForward' | 'sessions'>,
  heldIn: HeldIn,
): NonNullable<Study['outOfSample']> | null {
  if (!walkForward) return null;
  const { figures } = walkForward.outOfSample;
  const returns = filled(Float64Array.from(sampleOf(figures).returns), figures.marks.length);
  return { returns, benchmark: heldIn(...laterRange(sessions, walkForward)) };
}

type Market = Pick<
  BacktestOptions,
  'bars' | 'actions' | 'calendar' | 'outside' | 'strategies' | 'from' | 'to'
> &
  DividendOptions;

/**
 * Equal-weighted returns of holding the stocks, session by session: the mean over those with a price, using the last
 * one where a bar is missing. Like a run, they start at the first price of the first session; a day ends with its last
 * traded phase. Adjusted for splits; payments count on their ex-date. Null if no stock has a price.
 */
export function heldReturns(market: Market, sessions: readonly Session[]): Float64Array | null {
  const symbols = [...new Set(market.bars.map(({ symbol }) => symbol))];
  const columns = symbols.map((symbol) => returnsOfStock(symbol, market, sessions));
  const known = sessions.map((_, at) => columns.map((column) => column[at] ?? NaN).filter(Number.isFinite));
  if (known.every((values) => values.length === 0)) return null;
  return Float64Array.from(known, (values) =>
    values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length,
  );
}

/** Returns of one stock; NaN before its first session and after its last. */
function returnsOfStock(symbol: string, market: Market, sessions: readonly Session[]): Float64Array {
  const returns = new Float64Array(sessions.length).fill(NaN);
  const bars = shortest(symbol, market.bars);
  if (!bars) return returns;
  const { calendar = tradingCalendar } = market;
  const hours = tradedHours(market, calendar);
  const { symbol: _symbol, interval, ...regular } = bars;
  const set = { symbol: ticker(symbol), interval, columns: regular };
  const columns = barsOfPhases(set, market, hours);
  const parts = columns && hours ? partsOf({ ...set, columns }, hours) : sessionParts(set, calendar);
  const { start, open, close } = columns ?? regular;
  const begin = columns ? countBefore(start, spanOf(market).from) : 0;
  const placeOf = new Map(sessions.map(({ date }, place) => [date, place]));
  const all = actionsOfHolder(actionsOf(market, calendar), dividendsOf(market));
  const actions = all.filter(({ action }) => action.symbol === symbol);
  let [before, at, next] = [NaN, Infinity, 0];
  const move = ({ date, close: end }: Session, price?: number) => {
    const between = actions.filter(({ open: due }) => due > at && due < end);
    const last = price ?? before / worthOfOne(1, between.filter(isSplit));
    const place = placeOf.get(date);
    if (place !== undefined) returns[place] = worthOfOne(last, between) / before - 1;
    [before, at] = [last, end - 1];
  };
  for (const [index, { session, from, to }] of parts.entries()) {
    const isOfDay = (part?: Part) => part?.session.date === session.date;
    const isFirst = placeOf.get(session.date) === 0 || Number.isNaN(before);
    if (!isOfDay(parts[index - 1]) && isFirst)
      [before, at] = [open[Math.max(from, begin)] ?? NaN, session.open];
    if (isOfDay(parts[index + 1])) continue;
    for (let gap = sessions[next]; gap && gap.date < session.date; gap = sessions[++next])
      if (gap.open > at) move(gap);
    move(session, close[to - 1] ?? NaN);
  }
  return returns;
}

const shortest = (symbol: string, bars: readonly BacktestBars[]): BacktestBars | undefined =>
  bars
    .filter((one) => one.symbol === symbol)
    .sort((a, b) => INTERVAL_MS[a.interval] - INTERVAL_MS[b.interval])[0];
