import type { JournalEntry, Journal, SavedText } from '../../src/domain/journalEvent.ts';
import { entryOf, memoryJournal } from '../store/memoryJournal.ts';
import type { CheckpointPlan } from './checkpoints.ts';
import type { Life } from './life.ts';

/** A disk that outlives the processes which write to it. While it is full, a commit leaves nothing behind. */
export class Disk {
  readonly lines: string[] = [];
  readonly #journal = memoryJournal(this.lines);
  /** Parsed entries by line, cached because each process reads all earlier lines again, and none changes an entry. */
  readonly #decoded = new Map<string, JournalEntry>();
  readonly #onCommit: (batch: readonly JournalEntry[]) => void;
  full = false;
  /** Text of the latest checkpoint, and how many have been written. */
  #checkpoint: Uint8Array | null = null;
  #checkpoints = 0;

  constructor(onCommit: (batch: readonly JournalEntry[]) => void) {
    this.#onCommit = onCommit;
  }

  /** Entries from a number on. */
  readonly entries = (from = 1): Iterable<JournalEntry> => this.#from(from);

  readonly saved: SavedText = {
    read: () => this.#checkpoint,
    write: (text) => void (this.#checkpoint = text),
  };

  *#from(first: number): Iterable<JournalEntry> {
    for (const line of this.lines.slice(first - 1)) yield this.#decoded.get(line) ?? this.#decode(line);
  }

  #decode(line: string): JournalEntry {
    const entry = entryOf(line);
    this.#decoded.set(line, entry);
    return entry;
  }

  /** The journal as opened by one process. */
  journal(life: Life, onFull: () => void, plan: CheckpointPlan | null): Journal {
    return {
      entries: this.entries,
      saved: { read: this.saved.read, write: (text) => this.#save(text, life, plan) },
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

  /** Writes a checkpoint, or as much of it as the process lives for. */
  #save(text: Uint8Array, life: Life, plan: CheckpointPlan | null): void {
    const death = plan?.deaths.get(++this.#checkpoints);
    if (death === 'within') this.saved.write(text.subarray(0, text.length / 2));
    else if (death !== 'before') this.saved.write(text);
    if (death === undefined) return;
    life.die(`killed ${death} checkpoint ${this.#checkpoints}`);
    throw new Error('this process is dead');
  }
}
