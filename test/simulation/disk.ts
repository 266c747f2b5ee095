import type { Entry, Journal } from '../../src/domain/fact.ts';
import { memoryJournal } from '../../src/store/memoryJournal.ts';
import type { Life } from './life.ts';

/** The disk outlives the processes that write to it. While it is full, nothing of a commit is kept. */
export class Disk {
  readonly lines: string[] = [];
  readonly #journal = memoryJournal(this.lines);
  readonly #onCommit: (batch: readonly Entry[]) => void;
  full = false;

  constructor(onCommit: (batch: readonly Entry[]) => void) {
    this.#onCommit = onCommit;
  }

  entries(): Iterable<Entry> {
    return this.#journal.entries();
  }

  /** The journal as one process has it open. */
  journal(life: Life, onFull: () => void): Journal {
    return {
      entries: () => this.#journal.entries(),
      close: () => undefined,
      commit: (batch) => {
        const isSend = batch.some(({ fact }) => fact.kind === 'order' && fact.request !== undefined);
        if (life.passes('beforeCommit', isSend)) throw new Error('this process is dead');
        if (this.full) {
          onFull();
          throw new Error('disk full');
        }
        this.#journal.commit(batch);
        this.#onCommit(batch);
        if (life.passes('afterCommit', isSend)) throw new Error('this process is dead');
      },
    };
  }
}
