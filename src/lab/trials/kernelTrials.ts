import type { BacktestOptions } from '../../backtest/options.ts';
import { prepareBars } from '../../backtest/preparedBars.ts';
import type { BacktestResult } from '../../backtest/result.ts';
import { backtestId, runBacktest } from '../../backtest/runBacktest.ts';
import { tradingCalendar } from '../../calendar/index.ts';
import { ConfigError, messageOf, StrategyError } from '../../core/errors.ts';
import type { ParamSet } from '../search/space.ts';
import type { Span, StopRule, TrialOutcome, TrialRunner, TrialSetup, TrialTask } from './trial.ts';
import { hopelessScore, trialResultOf, type MeasuredRun } from './trialResult.ts';

/** Ends a hopeless backtest. */
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

/** Runs trials through the kernel. The bars of a span are prepared at its first trial. */
export class KernelTrials implements TrialRunner {
  readonly #setup: TrialSetup;
  /** Bars before the end of a span, by that end. */
  readonly #bars = new Map<number, BacktestOptions['bars']>();

  constructor(setup: TrialSetup) {
    this.#setup = setup;
  }

  async run({ params, span, stop }: TrialTask): Promise<TrialOutcome> {
    const begun = this.#setup.clock.monotonic();
    const elapsed = () => this.#setup.clock.monotonic() - begun;
    try {
      const options = { ...trialOptions(this.#setup, params, span), bars: this.barsTo(span.to) };
      try {
        const result = await runBacktest({ ...options, ...(stop && this.#watch(options, stop)) });
        return { state: 'done', ...trialResultOf(this.#setup, measured(result)), elapsedMs: elapsed() };
      } catch (error) {
        if (!(error instanceof Hopeless)) throw error;
        const { objective } = error;
        return { state: 'stopped', runId: backtestId(options), objective, elapsedMs: elapsed() };
      }
    } catch (error) {
      // A set that does not fit, or whose strategy throws, is a trial without a result; any other error ends the study.
      if (error instanceof StrategyError || error instanceof ConfigError)
        return { state: 'failed', why: messageOf(error) };
      throw error;
    }
  }

  /** Bars that start before an instant, prepared for many runs. */
  barsTo(to: number): BacktestOptions['bars'] {
    const known = this.#bars.get(to);
    if (known) return known;
    const { bars, calendar = tradingCalendar } = this.#setup.options;
    const prepared = prepareBars(bars, calendar, to);
    this.#bars.set(to, prepared);
    return prepared;
  }

  /** Ends a hopeless run after half of its bars. */
  #watch(options: BacktestOptions, stop: StopRule): Pick<BacktestOptions, 'onProgress'> {
    const equities = [Number(options.cash ?? 100_000)];
    let isMeasured = false;
    return {
      onProgress: ({ done, total, equity }) => {
        equities.push(equity);
        if (isMeasured || 2 * done < total) return;
        isMeasured = true;
        const score = hopelessScore(equities, stop, this.#setup);
        if (score !== null) throw new Hopeless(score);
      },
    };
  }
}

function measured({ marks, equity, ...result }: BacktestResult): MeasuredRun {
  const equities = [Number(equity.start), ...marks.map((mark) => mark.equity)];
  return {
    ...result,
    equities,
    dates: { first: marks[0]?.date ?? NO_DATE, last: marks.at(-1)?.date ?? NO_DATE },
  };
}

const NO_DATE = '1970-01-01';
