import type { JournalEntry, Journal } from '../../src/domain/journalEvent.ts';
import { entryOf, memoryJournal } from '../store/memoryJournal.ts';
import type { Life } from './life.ts';

/** The disk outlives the processes that write to it. While it is full, nothing of a commit is kept. */
export class Disk {
  readonly lines: string[] = [];
  readonly #journal = memoryJournal(this.lines);
  /** Entries by their line: each process reads the lines of all before it again, and none changes an entry. */
  readonly #decoded = new Map<string, JournalEntry>();
  readonly #onCommit: (batch: readonly JournalEntry[]) => void;
  full = false;

  constructor(onCommit: (batch: readonly JournalEntry[]) => void) {
    this.#onCommit = onCommit;
  }

  *entries(): Iterable<JournalEntry> {
    for (const line of this.lines) yield this.#decoded.get(line) ?? this.#decode(line);
  }

  #decode(line: string): JournalEntry {
    const entry = entryOf(line);
    this.#decoded.set(line, entry);
    return entry;
  }

  /** The journal as one process has it open. */
  journal(life: Life, onFull: () => void): Journal {
    return {
      entries: () => this.entries(),
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
