import type { BacktestOptions, BacktestStrategy } from '../../backtest/options.ts';
import { prepareBars } from '../../backtest/preparedBars.ts';
import type { BacktestResult } from '../../backtest/result.ts';
import { backtestId, runBacktest } from '../../backtest/runBacktest.ts';
import { tradingCalendar } from '../../calendar/index.ts';
import type { Clock } from '../../core/clock.ts';
import { ConfigError, messageOf, StrategyError } from '../../core/errors.ts';
import { dayOf } from '../../statistics/sample.ts';
import { scoreOf, type Objective } from '../search/objective.ts';
import type { ParamSet } from '../search/space.ts';
import { HEADLINE, headlineOf, type Headline, type HeadlineName, type ReturnSpan } from './headline.ts';
import type {
  ObjectiveFunction,
  Span,
  StopRule,
  TrialOutcome,
  TrialResult,
  TrialRunner,
  TrialTask,
} from './trial.ts';

/** What all trials of a study have in common. */
export type TrialSetup = Readonly<{
  /** Options of each backtest, without strategies. Its bars are not changed, and not copied. */
  options: Omit<
    BacktestOptions,
    'strategy' | 'strategies' | 'params' | 'from' | 'to' | 'onFact' | 'onProgress'
  >;
  /** The searched strategy, with the values of the parameters that are not searched. */
  strategy: BacktestStrategy;
  objectives: readonly Objective[];
  /** Functions of the objectives that are no metric, by name. */
  functions: Readonly<Record<string, ObjectiveFunction>>;
  clock: Clock;
}>;

/** Ends a backtest that is hopeless. */
class Hopeless extends Error {
  readonly objective: number;

  constructor(objective: number) {
    super('hopeless');
    this.objective = objective;
  }
}

/** Options of the backtest of one parameter set over one span. */
export function trialOptions(
  { options, strategy }: Pick<TrialSetup, 'options' | 'strategy'>,
  params: ParamSet,
  { from, to }: Span,
): BacktestOptions {
  const own = { ...strategy, params: { ...(strategy.params as object), ...params } };
  return {
    ...options,
    strategies: [own],
    ...(Number.isFinite(from) && { from }),
    ...(Number.isFinite(to) && { to }),
  };
}

/** Runs trials through the engine. Bars of a span are prepared at its first trial. */
export class KernelTrials implements TrialRunner {
  readonly #setup: TrialSetup;
  /** Bars that end with a span, by its end. */
  readonly #bars = new Map<number, BacktestOptions['bars']>();

  constructor(setup: TrialSetup) {
    this.#setup = setup;
  }

  async run({ params, span, stop }: TrialTask): Promise<TrialOutcome> {
    const begun = this.#setup.clock.monotonic();
    const elapsed = () => this.#setup.clock.monotonic() - begun;
    try {
      const options = { ...trialOptions(this.#setup, params, span), bars: this.#barsTo(span.to) };
      try {
        const result = await runBacktest({ ...options, ...(stop && this.#watch(options, stop)) });
        return { state: 'done', ...this.#resultOf(result), elapsedMs: elapsed() };
      } catch (error) {
        if (!(error instanceof Hopeless)) throw error;
        const { objective } = error;
        return { state: 'stopped', runId: backtestId(options), objective, elapsedMs: elapsed() };
      }
    } catch (error) {
      // A set whose parameters do not fit, or whose strategy throws, is a trial without a result; all else ends the study.
      if (error instanceof StrategyError || error instanceof ConfigError)
        return { state: 'failed', why: messageOf(error) };
      throw error;
    }
  }

  #barsTo(to: number): BacktestOptions['bars'] {
    const known = this.#bars.get(to);
    if (known) return known;
    const { bars, calendar = tradingCalendar } = this.#setup.options;
    const prepared = prepareBars(bars, calendar, to);
    this.#bars.set(to, prepared);
    return prepared;
  }

  /** Measures the first objective after half of the bars. */
  #watch(options: BacktestOptions, { below }: StopRule): Pick<BacktestOptions, 'onProgress'> {
    const [first] = this.#setup.objectives;
    const equities = [Number(options.cash ?? 100_000)];
    let isMeasured = false;
    return {
      onProgress: ({ done, total, equity }) => {
        equities.push(equity);
        if (isMeasured || 2 * done < total || !first) return;
        isMeasured = true;
        const objective = partOf(returnsOf(equities), first, this.#spanOf(equities.length - 1));
        if (objective !== null && objective < below) throw new Hopeless(objective);
      },
    };
  }

  /** Span of so many sessions: a half-way measure needs no dates. */
  #spanOf(sessions: number): ReturnSpan {
    const marksPerYear = 252;
    return { years: sessions / marksPerYear, marksPerYear, riskFree: this.#setup.options.riskFree ?? 0 };
  }

  #resultOf(result: BacktestResult): Omit<TrialResult, 'elapsedMs'> {
    const { marks, runId, marksPerYear, trades } = result;
    const returns = returnsOf([Number(result.equity.start), ...marks.map(({ equity }) => equity)]);
    const [first, last] = [marks[0]?.date ?? '1970-01-01', marks.at(-1)?.date ?? '1970-01-01'];
    const years = (dayOf(last) - dayOf(first)) / YEAR_DAYS;
    const headline = headlineOf(returns, {
      years,
      marksPerYear,
      riskFree: this.#setup.options.riskFree ?? 0,
    });
    const found = this.#setup.objectives.map((objective) =>
      this.#valueOf(objective, { result, headline, returns }),
    );
    return {
      runId,
      objectives: found.map(({ value }) => value),
      why: found.find(({ value }) => value === null)?.why ?? null,
      headline,
      trades,
      fees: Number(result.fees),
      returns,
    };
  }

  #valueOf(
    { name, metric }: Objective,
    {
      result,
      headline,
      returns,
    }: Readonly<{ result: BacktestResult; headline: Headline; returns: Float64Array }>,
  ): Readonly<{ value: number | null; why: string | null }> {
    if (metric === null) return ownValue(name, this.#setup.functions[name], { result, returns });
    const quick = isHeadline(metric) ? headline[metric] : result.metrics[metric];
    return { value: quick, why: quick === null ? (result.notes[metric] ?? null) : null };
  }
}

const YEAR_DAYS = 365.25;

const isHeadline = (name: string): name is HeadlineName => (HEADLINE as readonly string[]).includes(name);

/** True for an objective that a stop rule can measure half-way. */
export const isHalfWay = ({ metric }: Objective): boolean => metric !== null && isHeadline(metric);

/** First objective of a trial's first returns, the higher the better; null where it is undefined. */
export function partOf(returns: Float64Array, objective: Objective, span: ReturnSpan): number | null {
  const { metric } = objective;
  return metric !== null && isHeadline(metric) ? scoreOf(objective, headlineOf(returns, span)[metric]) : null;
}

function ownValue(
  name: string,
  make: ObjectiveFunction | undefined,
  { result, returns }: Readonly<{ result: BacktestResult; returns: Float64Array }>,
): Readonly<{ value: number | null; why: string | null }> {
  if (!make) throw new ConfigError(`the objective ${name} has no function`);
  const value: unknown = make({ metrics: result.metrics, returns, trades: result.trades });
  if (value === null || (typeof value === 'number' && Number.isFinite(value))) return { value, why: null };
  const found = typeof value === 'number' ? `${value}` : `a value of type ${typeof value}`;
  const why = `the objective ${name} gave ${found}, neither a number nor null`;
  return { value: null, why };
}

/** Returns from one equity to the next; they end where nothing is left. */
function returnsOf(equities: readonly number[]): Float64Array {
  const ruined = equities.findIndex((equity) => equity <= 0);
  const count = ruined < 0 ? equities.length - 1 : ruined;
  const returns = new Float64Array(Math.max(count, 0));
  for (let index = 0; index < count; index++)
    returns[index] = (equities[index + 1] ?? NaN) / (equities[index] ?? NaN) - 1;
  return returns;
}
