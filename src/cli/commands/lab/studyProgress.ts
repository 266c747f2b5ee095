import type { Clock } from '../../../core/clock.ts';
import type { Objective } from '../../../lab/search/objective.ts';
import { scoresOf } from '../../../lab/study/search.ts';
import { WHOLE, type BookedTrial } from '../../../lab/study/studyFile.ts';
import { spanText } from '../daemon/screenText.ts';
import type { Terminal } from '../../../process/terminal.ts';

type ProgressOptions = Readonly<{
  terminal: Terminal;
  clock: Clock;
  /** Trials of all searches together, as far as they are known before. */
  total: number;
  objectives: readonly Objective[];
  /** Trials that the study had before this start: they take no time now. */
  booked: number;
}>;

/** Minimum time between two lines: on a terminal, which overwrites them, and elsewhere. */
const STATUS_MS = 100;
const LINE_MS = 30_000;

/** Progress of a study: on the status line of a terminal, else a line on stderr now and then. */
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

  /** Counts a trial that has ended. */
  add(trial: BookedTrial): void {
    this.#done++;
    if (trial.outcome.state === 'failed' || trial.outcome.state === 'crashed') this.#failed++;
    if (trial.window === WHOLE) this.#compare(trial);
    this.#showTrials();
  }

  /** Shows the place where the trials run, from now on. */
  place(text: string): void {
    this.#place = text;
    this.#showTrials();
  }

  /** Shows a step of the judgement that follows the trials. */
  step(text: string): void {
    this.#show(() => `judging the result: ${text}`);
  }

  #showTrials(): void {
    this.#show(() => this.#text(this.#options.objectives));
  }

  /** Shows a text, unless another has just been shown. */
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
