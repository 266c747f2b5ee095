import { ConfigError, InvalidValueError, StrategyError } from '../../core/errors.ts';
import type { ColumnarResult } from '../columnar/columnarResult.ts';
import { prepareColumnar, type Columnar } from '../columnar/prepareColumnar.ts';
import { KernelTrials, trialOptions } from './kernelTrials.ts';
import type { Span, TrialOutcome, TrialRunner, TrialSetup, TrialTask } from './trial.ts';
import { hopelessScore, trialResultOf } from './trialResult.ts';

/** Engine for the trials of a study. `why`: features that only the kernel supports, in the terms of the options. */
export type TrialEngine = Readonly<{ name: 'columnar' | 'kernel'; why: readonly string[] }>;

/** @throws {ConfigError} for bars or options that do not fit */
export function trialEngineOf(setup: TrialSetup, span: Span): TrialEngine {
  const columnar = prepareColumnar(trialOptions(setup, {}, span));
  return columnar.supported ? { name: 'columnar', why: [] } : { name: 'kernel', why: columnar.why };
}

/** Runs the trials of a study with the columnar engine if it supports them, and otherwise through the kernel. */
export class StudyTrials implements TrialRunner {
  readonly #setup: TrialSetup;
  readonly #kernel: KernelTrials;
  readonly #prepared = new Map<string, Columnar>();

  constructor(setup: TrialSetup) {
    this.#setup = setup;
    this.#kernel = new KernelTrials(setup);
  }

  async run(task: TrialTask): Promise<TrialOutcome> {
    return this.#played(task) ?? this.#kernel.run(task);
  }

  /** Outcome from the columnar engine; null if the kernel has to run the trial, to its end or to its error. */
  #played({ params, span, stop }: TrialTask): TrialOutcome | null {
    const { clock, strategy } = this.#setup;
    const begun = clock.monotonic();
    try {
      const columnar = this.#columnarOf(span);
      if (!columnar.supported) return null;
      const result = columnar.run({ ...(strategy.params as object), ...params });
      const hopeless = stop ? hopelessScore(halfOf(result, columnar.halfway), stop, this.#setup) : null;
      const elapsedMs = clock.monotonic() - begun;
      if (hopeless !== null) return { state: 'stopped', runId: result.runId, objective: hopeless, elapsedMs };
      return { state: 'done', ...trialResultOf(this.#setup, result), elapsedMs };
    } catch (error) {
      if (
        error instanceof StrategyError ||
        error instanceof ConfigError ||
        error instanceof InvalidValueError
      )
        return null;
      throw error;
    }
  }

  #columnarOf(span: Span): Columnar {
    const name = `${span.from} ${span.to}`;
    const known = this.#prepared.get(name);
    if (known) return known;
    const bars = this.#kernel.barsTo(span.to);
    const made = prepareColumnar({ ...trialOptions(this.#setup, {}, span), bars });
    this.#prepared.set(name, made);
    return made;
  }
}

/** Equities up to the close at which a stop rule applies; empty if it never does. */
const halfOf = ({ equities }: ColumnarResult, halfway: number): Float64Array =>
  Number.isFinite(halfway) ? equities.subarray(0, halfway + 1) : new Float64Array();
