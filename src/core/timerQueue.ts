import type { EpochMs } from './brand.ts';
import type { Cancel } from './clock.ts';

type Timer = { readonly due: EpochMs; readonly order: number; run: (() => void) | null };

const before = (a: Timer, b: Timer): boolean => a.due < b.due || (a.due === b.due && a.order < b.order);

/** Timers by due time, those of one instant in the order they were set. A binary heap; a cancelled one is skipped. */
export class TimerQueue {
  readonly #heap: Timer[] = [];
  #order = 0;

  add(due: EpochMs, run: () => void): Cancel {
    const timer: Timer = { due, order: this.#order++, run };
    this.#heap.push(timer);
    this.#up(this.#heap.length - 1);
    return () => {
      timer.run = null;
    };
  }

  /** When the next timer is due, if there is one. */
  next(): EpochMs | undefined {
    while (this.#heap[0]?.run === null) this.#pop();
    return this.#heap[0]?.due;
  }

  fireNext(): void {
    if (this.next() === undefined) return;
    this.#pop()?.run?.();
  }

  #pop(): Timer | undefined {
    const [first] = this.#heap;
    const last = this.#heap.pop();
    if (last && this.#heap.length > 0) {
      this.#heap[0] = last;
      this.#down(0);
    }
    return first;
  }

  #up(from: number): void {
    for (let index = from; index > 0;) {
      const parent = (index - 1) >> 1;
      if (!this.#swapIfBefore(index, parent)) return;
      index = parent;
    }
  }

  #down(from: number): void {
    for (let index = from; ;) {
      const left = 2 * index + 1;
      const [a, b] = [this.#heap[left], this.#heap[left + 1]];
      const child = a && b && before(b, a) ? left + 1 : left;
      if (!this.#swapIfBefore(child, index)) return;
      index = child;
    }
  }

  #swapIfBefore(index: number, other: number): boolean {
    const [a, b] = [this.#heap[index], this.#heap[other]];
    if (!a || !b || !before(a, b)) return false;
    this.#heap[index] = b;
    this.#heap[other] = a;
    return true;
  }
}
