import type { Line } from '../../store/integrity.ts';
import { readJournal, type JournalReader } from '../../store/readJournal.ts';

/** Most entries of one read: a longer one would keep the run waiting. */
export const PAGE_MAX = 500;

/** Entries of the journal of a run by their numbers, over a connection of its own that only reads. */
export class JournalPages {
  readonly #file: string;
  #reader: JournalReader | null = null;

  constructor(file: string) {
    this.#file = file;
  }

  /**
   * Entries after a number, oldest first, at most `count` of them, and at most 500.
   * @throws {ConfigError} when the file cannot be read
   */
  after(seq: number, count = PAGE_MAX): Line[] {
    this.#reader ??= readJournal(this.#file);
    return this.#reader.after(seq, Math.min(count, PAGE_MAX));
  }

  close(): void {
    this.#reader?.close();
    this.#reader = null;
  }
}
