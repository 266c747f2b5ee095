import { turnOver } from '../../core/clock.ts';
import { InvariantError, JournalError, JournalLostError, messageOf } from '../../core/errors.ts';
import { hashHex } from '../../core/random.ts';
import { VERSION } from '../../core/version.ts';
import type { Journal, JournalEntry } from '../../domain/journalEvent.ts';
import { JournalFold } from '../kernel/journalFold.ts';
import type { Kernel } from '../kernel/kernel.ts';
import type { Notify } from '../state/notice.ts';

/** Form of a checkpoint: of this program, and raised when it keeps other things within one version. Any other is not read. */
const FORM = `${VERSION} 9`;

/** Where a fold continues: `from` is the number of its next entry. `problem`: reason why a checkpoint was left out; null for none. */
export type Resumption = Readonly<{ from: number; problem: string | null }>;

/**
 * Restores the latest checkpoint of a journal into a fold of nothing. One that is damaged, of another version, or not the one that its
 * entry is about leaves the fold as it was: everything is read then.
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

/** Folds a journal from its latest checkpoint on. */
export function foldJournal<F extends JournalFold>(journal: Pick<Journal, 'entries' | 'saved'>, fold: F): F {
  for (const entry of journal.entries(resume(journal, fold).from)) fold.apply(entry);
  return fold;
}

/**
 * Keeps a checkpoint of all entries of a journal; returns its entry, which says what the state is that they lead to. The state itself is
 * written after it: killed in between, the one before is still read. `fold`: of all entries, where the caller has it.
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

/** Comparison of the checkpoints of a journal with the state that all entries before each lead to. */
export class CheckpointProof {
  /** Number of those that were compared: one of another version proves nothing. */
  compared = 0;
  /** Numbers of the entries of those that are wrong. */
  readonly wrong: number[] = [];
  readonly #fold = new JournalFold();
  #isFolding = true;

  /** Takes the entry of a number. Entries that no start could read prove no checkpoint either. */
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

/** Entries that are folded before signals and requests are looked at, and those of a tail that is worth a checkpoint at once. */
const TURN_ENTRIES = 5_000;
const LONG_TAIL = 20_000;

type CheckpointOptions = Readonly<{
  kernel: Kernel;
  journal: Journal;
  committed: (entries: readonly JournalEntry[]) => void;
  notify: Notify;
}>;

/** Recovery of a run from its journal, and its checkpoints, from which later runs recover. */
export class Checkpoints {
  readonly #options: CheckpointOptions;
  #isRecovered = false;

  constructor(options: CheckpointOptions) {
    this.#options = options;
  }

  /** True once the kernel has everything that the journal has: before, nothing may follow from what it knows. */
  get isRecovered(): boolean {
    return this.#isRecovered;
  }

  /** Recovers the kernel. Lets signals and requests in between; false, without an end, once `isOver`. */
  async recoverInTurns(isOver: () => boolean): Promise<boolean> {
    for (const _ of this.#recover()) {
      await turnOver();
      if (isOver()) return false;
    }
    return true;
  }

  /** Recovers the kernel, unless it is. */
  recover(): void {
    for (const _ of this.#recover());
  }

  /** Reads the checkpoint and the entries after it, some at a time. */
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
   * Keeps a checkpoint, once all is committed: of the latest one and what came after it, folded again, because a kernel at work knows
   * more than its journal. A disk that refuses it is met by the next commit.
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
