import type { Clock } from '../../../core/clock.ts';
import type { Objective } from '../../../lab/search/objective.ts';
import { scoresOf } from '../../../lab/study/search.ts';
import { WHOLE, type BookedTrial } from '../../../lab/study/studyFile.ts';
import { spanText } from '../daemon/screenText.ts';
import type { Terminal } from '../../../process/terminal.ts';

type ProgressOptions = Readonly<{
  terminal: Terminal;
  clock: Clock;
  /** Number of trials in all searches together, as far as known in advance. */
  total: number;
  objectives: readonly Objective[];
  /** Number of trials finished before this start, which take no time now. */
  booked: number;
}>;

/** Minimum interval between two lines: on a terminal, which overwrites them, and elsewhere. */
const STATUS_MS = 100;
const LINE_MS = 30_000;

/** Progress of a study: on a terminal's status line, otherwise an occasional line on stderr. */
export class StudyProgress {
  readonly #options: ProgressOptions;
  readonly #begun: number;
  #shownAt: number;
  #done = 0;
  #failed = 0;
  #best = -Infinity;
  #bestText = '';
  #place = '';

  constructor(options: ProgressOptions) {
    this.#options = options;
    this.#begun = options.clock.monotonic();
    this.#shownAt = this.#begun;
  }

  /** Counts a finished trial. */
  add(trial: BookedTrial): void {
    this.#done++;
    if (trial.outcome.state === 'failed' || trial.outcome.state === 'crashed') this.#failed++;
    if (trial.window === WHOLE) this.#compare(trial);
    this.#showTrials();
  }

  /** Sets the text about where trials run. */
  place(text: string): void {
    this.#place = text;
    this.#showTrials();
  }

  /** Shows a step of the evaluation after the trials. */
  step(text: string): void {
    this.#show(() => `judging the result: ${text}`);
  }

  #showTrials(): void {
    this.#show(() => this.#text(this.#options.objectives));
  }

  /** Shows a text, unless another was shown just before. */
  #show(textOf: () => string): void {
    const { clock, terminal } = this.#options;
    const now = clock.monotonic();
    if (now - this.#shownAt < (terminal.status ? STATUS_MS : LINE_MS)) return;
    this.#shownAt = now;
    if (terminal.status) terminal.status(textOf());
    else terminal.err(textOf());
  }

  end(): void {
    this.#options.terminal.status?.('');
  }

  #compare({ outcome }: BookedTrial): void {
    const { objectives } = this.#options;
    const [score] = scoresOf(outcome, objectives);
    if (score === null || score === undefined || score <= this.#best || outcome.state !== 'done') return;
    this.#best = score;
    this.#bestText = (outcome.objectives[0] ?? NaN).toPrecision(4);
  }

  /** `312 of 400 trials, 78 %, 1 min left, 2 failed; best sharpe in sample 1.204`. */
  #text([first]: readonly Objective[]): string {
    const { clock, total, booked } = this.#options;
    const ran = this.#done - Math.min(booked, this.#done);
    const left = Math.max(total - this.#done, 0);
    const leftMs = ran > 0 ? ((clock.monotonic() - this.#begun) / ran) * left : null;
    const parts = [
      `${this.#done} of ${total} trials, ${Math.floor((100 * this.#done) / total)} %`,
      ...(leftMs === null ? [] : [`${spanText(leftMs)} left`]),
      ...(this.#failed > 0 ? [`${this.#failed} failed`] : []),
    ];
    const best = this.#bestText === '' || !first ? '' : `; best ${first.name} in sample ${this.#bestText}`;
    return `${parts.join(', ')}${best}${this.#place === '' ? '' : `; ${this.#place}`}`;
  }
}
