import type { JournalEntry, Journal } from '../../src/domain/journalEvent.ts';
import { entryOf, memoryJournal } from '../store/memoryJournal.ts';
import type { Life } from './life.ts';

/** A disk that outlives the processes which write to it. While it is full, a commit leaves nothing behind. */
export class Disk {
  readonly lines: string[] = [];
  readonly #journal = memoryJournal(this.lines);
  /** Parsed entries by line, cached because each process reads all earlier lines again, and none changes an entry. */
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

  /** The journal as opened by one process. */
  journal(life: Life, onFull: () => void): Journal {
    return {
      entries: () => this.entries(),
      length: () => this.lines.length,
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
