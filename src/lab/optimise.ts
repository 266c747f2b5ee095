import { tradingCalendar, type Session } from '../calendar/index.ts';
import { sessionParts } from '../backtest/preparedBars.ts';
import { marksPerYear } from '../backtest/figures.ts';
import { cashOf, type BacktestOptions } from '../backtest/options.ts';
import { tradedHours } from '../backtest/outside.ts';
import { toNumber } from '../core/amount.ts';
import { counted } from '../core/counted.ts';
import { ConfigError } from '../core/errors.ts';
import { ticker } from '../domain/instrument.ts';
import { samplerOf, trialsOf, type SamplerOptions } from './search/sampler.ts';
import { search, type SearchEnvironment, type SearchOptions, type SearchResult } from './study/search.ts';
import { WHOLE, type StudyFile } from './study/studyFile.ts';
import type { Span, TrialSetup } from './trials/trial.ts';
import { isHalfWay } from './trials/trialResult.ts';
import { tradeParts, type OutOfSample } from './walkForward/outOfSample.ts';
import { windowsOf, type Window } from './walkForward/windows.ts';

/** Walk-forward of a study, as given by the flags of that name. */
export type WalkForwardOptions = Readonly<{ text: string; isAnchored: boolean; embargo: number }>;

export type OptimiseOptions = Readonly<{
  setup: TrialSetup;
  /** Span of the whole study. */
  span: Span;
  sampling: SamplerOptions;
  /** Null: the parameters are chosen on the whole span, with no data left to check them on. */
  walkForward: WalkForwardOptions | null;
  stopEarly: boolean;
}>;

/** Search in each window, with the parts after them traded with the parameters chosen. */
export type WalkForward = Readonly<{
  windows: readonly Window[];
  searches: readonly SearchResult[];
  outOfSample: OutOfSample;
}>;

/** Finished study. `sessions`: those of the whole span. */
export type OptimisationResult = Readonly<{
  whole: SearchResult;
  walkForward: WalkForward | null;
  sessions: readonly Session[];
}>;

/** Searches of a study: one over the whole span, and one for each window of its walk-forward. */
export type StudyPlan = Readonly<{ sessions: readonly Session[]; windows: readonly Window[] }>;

/**
 * Plans a study without running anything.
 * @throws {ConfigError} for a space that cannot be searched, windows that do not fit, or a stop rule without a metric
 */
export function planStudy({ setup, span, sampling, walkForward, stopEarly }: OptimiseOptions): StudyPlan {
  samplerOf(sampling);
  const [first] = setup.objectives;
  if (stopEarly && first && !isHalfWay(first))
    throw new ConfigError(
      `--stop-early needs a first objective that half of a run has: totalReturn, cagr, volatility, sharpe, sortino, maxDrawdown or calmar, not ${first.name}`,
    );
  const sessions = sessionsOf(setup, span);
  const { options, strategy } = setup;
  const endOf = endingOf({ ...options, strategies: [strategy] });
  const windows = walkForward
    ? windowsOf({ ...walkForward, sessions, endOf, span, marksPerYear: marksPerYear(options) })
    : [];
  return { sessions, windows };
}

/**
 * Runs a study to its end: the search over the whole span and, with a walk-forward, one in each window with its results
 * out of sample. Null if it was stopped before.
 * @throws {ConfigError} as `planStudy`, if the objective is undefined in all trials, and for fewer trials than booked
 */
export async function optimise(
  options: OptimiseOptions,
  environment: SearchEnvironment,
): Promise<OptimisationResult | null> {
  const { setup, span, sampling, walkForward, stopEarly } = options;
  const { sessions, windows } = planStudy(options);
  const of = (window: number, part: Span): SearchOptions => ({
    window,
    span: part,
    sampler: samplerOf(sampling),
    objectives: setup.objectives,
    stopEarly,
    riskFree: setup.options.riskFree,
  });
  requireAll(environment.study, trialsOf(sampling));
  const whole = await search(of(WHOLE, span), environment);
  if (!whole) return null;
  if (whole.best === null) throw noneDefined(whole, setup);
  const searches: SearchResult[] = [];
  for (const [index, { inSample }] of windows.entries()) {
    const found = await search(of(index, inSample), environment);
    if (!found) return null;
    searches.push(found);
  }
  if (!walkForward) return { whole, walkForward: null, sessions };
  const parts = windows.map(({ outOfSample }, index) => ({
    span: outOfSample,
    params: searches[index]?.best?.params ?? null,
  }));
  const datesOf = ({ from, to }: Span) =>
    sessions.filter(({ open }) => open >= from && open < to).map(({ date, close }) => ({ date, at: close }));
  const outOfSample = await tradeParts(parts, {
    setup,
    datesOf,
    startEquity: toNumber(cashOf(setup.options)),
  });
  return { whole, walkForward: { windows, searches, outOfSample }, sessions };
}

/** Last close of a day: that of its session, or of the last phase after it that is played. */
function endingOf(options: BacktestOptions): (session: Session) => number {
  const hours = tradedHours(options, options.calendar ?? tradingCalendar);
  return ({ date, close }) => hours?.sessions(date, date).at(-1)?.close ?? close;
}

/** Sessions of a span in which a bar ends. */
function sessionsOf({ options }: TrialSetup, { from, to }: Span): Session[] {
  const { bars, calendar = tradingCalendar } = options;
  const all = new Map<string, Session>();
  for (const { symbol, interval, ...columns } of bars)
    for (const { session } of sessionParts({ symbol: ticker(symbol), interval, columns }, calendar))
      if (session.close > from && session.open < to) all.set(session.date, session);
  return [...all.values()].sort((a, b) => a.open - b.open);
}

/** Requires at least the booked number of trials, because it determines how much luck can explain. */
function requireAll(study: StudyFile, trials: number): void {
  const booked = study.count(WHOLE);
  if (booked > trials)
    throw new ConfigError(
      `${study.file} has ${counted(booked, 'trial')} already: --trials ${trials} would not count all of them. Give ${booked} or more`,
      { file: study.file },
    );
}

/** Error when no trial has the first objective, with the most frequent reason. */
function noneDefined({ trials }: SearchResult, { objectives }: TrialSetup): ConfigError {
  if (trials.length === 0)
    return new ConfigError(
      'no trial was run: no set of the space fits the constraint and the parameters of the strategy. Widen the one, or loosen the other',
    );
  const name = objectives[0]?.name ?? 'the objective';
  const reasons = new Map<string, number>();
  for (const { outcome } of trials) {
    const why = outcome.state === 'stopped' ? 'it was stopped early' : (outcome.why ?? `${name} gave null`);
    reasons.set(why, (reasons.get(why) ?? 0) + 1);
  }
  const [[why, count] = ['', 0]] = [...reasons].sort(([, a], [, b]) => b - a);
  const most = count === trials.length ? '' : `in ${count} of them because `;
  return new ConfigError(`none of ${counted(trials.length, 'trial')} has a value of ${name}: ${most}${why}`);
}
