import type { Range } from '../scale.ts';
import type { Plot } from './plot.ts';

/** Minimum number of units shown, and the minimum for figures with intraday data. */
const [LEAST, LEAST_WITHIN] = [5, 0.25];

/** Plots that share an axis: their ranges and cross-hairs move together. */
export class SharedAxis {
  readonly plots: readonly Plot[];
  readonly #span: number;
  readonly #least: number;
  readonly #whenShown: (() => void)[] = [];
  #range: Range;
  #next: Range | null = null;

  constructor(plots: readonly Plot[]) {
    this.plots = plots;
    this.#range = plots[0]?.range ?? { from: 0, to: 1 };
    this.#span = this.#range.to;
    this.#least = plots.some(({ isIntraday }) => isIntraday) ? LEAST_WITHIN : LEAST;
  }

  get range(): Range {
    return this.#next ?? this.#range;
  }

  get span(): number {
    return this.#span;
  }

  get isWhole(): boolean {
    const { from, to } = this.range;
    return from <= 0 && to >= this.#span;
  }

  onShown(run: () => void): void {
    this.#whenShown.push(run);
  }

  /** Shows a range, moved to lie within the axis. */
  show(range: Range): void {
    this.#next = null;
    this.#range = this.#inside(range);
    for (const plot of this.plots) plot.show(this.#range);
    for (const run of this.#whenShown) run();
  }

  /** Shows a range at the next frame, because a gesture requests many per frame. */
  follow(range: Range): void {
    const isWaiting = this.#next !== null;
    this.#next = this.#inside(range);
    if (!isWaiting)
      requestAnimationFrame(() => {
        if (this.#next) this.show(this.#next);
      });
  }

  /** Zooms by a factor around a position, which stays in place if it is visible. */
  zoom(factor: number, place: number): void {
    const { from, to } = this.range;
    const width = Math.max((to - from) * factor, Math.min(this.#least, this.#span));
    const start = place - ((place - from) / (to - from)) * width;
    this.follow({ from: start, to: start + width });
  }

  cross(place: number, but: Plot): void {
    for (const plot of this.plots) if (plot !== but && plot.isInSight) plot.cross(place);
  }

  clear(): void {
    for (const plot of this.plots) plot.clear();
  }

  #inside({ from, to }: Range): Range {
    const width = Math.min(Math.max(to - from, this.#least), this.#span);
    const start = Math.max(0, Math.min(from, this.#span - width));
    return { from: start, to: start + width };
  }
}
