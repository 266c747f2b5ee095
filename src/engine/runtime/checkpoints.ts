import { turnOver } from '../../core/clock.ts';
import { InvariantError, JournalError, JournalLostError, messageOf } from '../../core/errors.ts';
import { hashHex } from '../../core/random.ts';
import { VERSION } from '../../core/version.ts';
import type { Journal, JournalEntry } from '../../domain/journalEvent.ts';
import { JournalFold } from '../kernel/journalFold.ts';
import type { Kernel } from '../kernel/kernel.ts';
import type { Notify } from '../state/notice.ts';

/** Format of a checkpoint: the program version, and a number raised when the content changes within one. No other is read. */
const FORM = `${VERSION} 9`;

/** Starting point of a fold: `from` is the number of its next entry. `problem`: why a checkpoint was skipped; null if none. */
export type Resumption = Readonly<{ from: number; problem: string | null }>;

/**
 * Restores the latest checkpoint of a journal into an empty fold. A checkpoint that is damaged, of another version, or
 * does not match its entry leaves the fold unchanged: everything is read then.
 */
export function resume(journal: Pick<Journal, 'entries' | 'saved'>, fold: JournalFold): Resumption {
  try {
    const kept = journal.saved?.read() ?? null;
    if (kept === null) return { from: 1, problem: null };
    const text = Buffer.from(kept.buffer, kept.byteOffset, kept.length);
    const end = text.indexOf('\n');
    const [form, from] = JSON.parse(text.toString('utf8', 0, end)) as [string, number];
    if (form !== FORM) return left(`it is of version ${form}`);
    const body = text.subarray(end + 1);
    const [entry] = journal.entries(from);
    if (entry?.fact.kind !== 'checkpoint') return left(`entry ${from} of the journal is not about one`);
    if (entry.fact.hash !== hashHex(body)) return left(`entry ${from} of the journal is about another one`);
    fold.restore(body);
    return { from, problem: null };
  } catch (error) {
    return left(messageOf(error));
  }
}

const left = (why: string): Resumption => ({ from: 1, problem: `the checkpoint was left out (${why})` });

/** Folds a journal, starting from its latest checkpoint. */
export function foldJournal<F extends JournalFold>(journal: Pick<Journal, 'entries' | 'saved'>, fold: F): F {
  for (const entry of journal.entries(resume(journal, fold).from)) fold.apply(entry);
  return fold;
}

/**
 * Writes a checkpoint of all entries of a journal. Returns its journal entry, which holds the hash of the state. The state itself is
 * written afterwards: after a kill in between, the previous checkpoint is still read. `fold`: of all entries, if the caller has it.
 * @throws whatever the journal throws
 */
export function keepCheckpoint(
  journal: Journal,
  fold: JournalFold = foldJournal(journal, new JournalFold()),
): readonly JournalEntry[] {
  const { saved } = journal;
  if (!saved || fold.lastAt === null) return [];
  const body = fold.text();
  const fact = { kind: 'checkpoint', form: FORM, hash: hashHex(body) } as const;
  const entries = [{ at: fold.lastAt, fact }];
  journal.commit(entries);
  saved.write(Buffer.concat([Buffer.from(`${JSON.stringify([FORM, journal.length()])}\n`), body]));
  return entries;
}

/** Compares each checkpoint of a journal with the state that the entries before it lead to. */
export class CheckpointProof {
  /** Number of checkpoints compared; those of another version prove nothing and are skipped. */
  compared = 0;
  /** Entry numbers of the wrong checkpoints. */
  readonly wrong: number[] = [];
  readonly #fold = new JournalFold();
  #isFolding = true;

  /** Checks the entry with this number. Entries that a start could not read make the later checkpoints wrong too. */
  take(entry: JournalEntry, number: number): void {
    if (entry.fact.kind === 'checkpoint' && entry.fact.form === FORM) {
      this.compared++;
      if (!this.#isFolding || entry.fact.hash !== hashHex(this.#fold.text())) this.wrong.push(number);
    }
    if (!this.#isFolding) return;
    try {
      this.#fold.apply(entry);
    } catch (error) {
      if (!(error instanceof InvariantError)) throw error;
      this.#isFolding = false;
    }
  }
}

/** Entries folded before signals and requests are handled, and those after a checkpoint that call for a new one at once. */
const TURN_ENTRIES = 5_000;
const LONG_TAIL = 20_000;

type CheckpointOptions = Readonly<{
  kernel: Kernel;
  journal: Journal;
  committed: (entries: readonly JournalEntry[]) => void;
  notify: Notify;
}>;

/** Recovers a run from its journal, and writes the checkpoints that later runs recover from. */
export class Checkpoints {
  readonly #options: CheckpointOptions;
  #isRecovered = false;

  constructor(options: CheckpointOptions) {
    this.#options = options;
  }

  /** True once the kernel has the whole journal; before that, nothing may be decided on its state. */
  get isRecovered(): boolean {
    return this.#isRecovered;
  }

  /** Recovers the kernel, and handles signals and requests in between. Returns false as soon as `isOver`. */
  async recoverInTurns(isOver: () => boolean): Promise<boolean> {
    for (const _ of this.#recover()) {
      await turnOver();
      if (isOver()) return false;
    }
    return true;
  }

  /** Recovers the kernel, unless it already has been. */
  recover(): void {
    for (const _ of this.#recover());
  }

  /** Reads the checkpoint and the entries after it, in batches. */
  *#recover(): Generator<void> {
    if (this.#isRecovered) return;
    const { kernel, journal, committed, notify } = this.#options;
    const { from, problem } = resume(journal, kernel.fold);
    if (problem !== null) notify('info', `${problem}: the whole journal is read`);
    let count = 0;
    for (const entry of journal.entries(from)) {
      kernel.fold.apply(entry);
      if (++count % TURN_ENTRIES === 0) yield;
    }
    if (count > LONG_TAIL) committed(keepCheckpoint(journal, kernel.fold));
    kernel.recover([]);
    this.#isRecovered = true;
  }

  /**
   * Writes a checkpoint once everything is committed. It folds the latest checkpoint and the entries after it again,
   * because a live kernel knows more than its journal. If the disk refuses, the next commit handles that.
   */
  keep(): void {
    const { journal, committed } = this.#options;
    if (!this.#isRecovered || !journal.saved) return;
    try {
      committed(keepCheckpoint(journal));
    } catch (error) {
      if (!(error instanceof JournalError) && !(error instanceof JournalLostError)) throw error;
    }
  }
}
