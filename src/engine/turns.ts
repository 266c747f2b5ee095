import type { Clock } from '../core/clock.ts';
import type { Entry, Fact, Journal } from '../domain/fact.ts';
import type { Effect } from './desk.ts';
import type { Kernel, KernelEvent } from './kernel.ts';
import type { Notice } from './notice.ts';

/** What strategies were shown: worth keeping, but not worth a synced write of its own. It rides on the next commit. */
const RIDERS: ReadonlySet<Fact['kind']> = new Set(['bar', 'quotes', 'timer', 'strategyState']);

export type TurnsOptions = Readonly<{
  kernel: Kernel;
  journal: Journal;
  clock: Clock;
  carry: (effect: Effect) => void;
  tell: (notice: Notice) => void;
}>;

/** One event at a time through the kernel: facts made durable first, then people told, then effects carried out. */
export class Turns {
  readonly #options: TurnsOptions;
  #pending: Entry[] = [];

  constructor(options: TurnsOptions) {
    this.#options = options;
  }

  /** @throws whatever the journal throws; nothing was carried out then */
  take(event: KernelEvent): void {
    const { kernel, clock, carry, tell } = this.#options;
    const { facts, effects, notices } = kernel.handle(event, clock.now());
    this.#pending.push(...facts);
    if (effects.length > 0 || facts.some(({ fact }) => !RIDERS.has(fact.kind))) this.flush();
    for (const notice of notices) tell(notice);
    for (const effect of effects) carry(effect);
  }

  flush(): void {
    if (this.#pending.length === 0) return;
    this.#options.journal.commit(this.#pending);
    this.#pending = [];
  }
}
