import type { Host } from '../../core/clock.ts';
import { toJson } from '../../core/json.ts';
import { readJournal, type JournalReader } from '../../store/readJournal.ts';
import { recordOf } from '../../store/storedNames.ts';
import type { Line } from '../../store/codec.ts';

/** Maximum number of entries in a response, and the size in bytes after which no more are added. */
export const PAGE_MAX = 500;
const PAGE_MAX_BYTES = 1_000_000;
/** Maximum number of entries read at once, and of their bytes: the run waits for them, one or two milliseconds. */
const SLICE = 100;
const SLICE_BYTES = 128_000;

/** Entries read at once. `isEnd`: there are no more at the moment. */
export type Slice = Readonly<{ lines: readonly Line[]; isEnd: boolean }>;

/** Entries of a run's journal by number, read in small slices over a separate read-only connection. */
export class JournalPages {
  readonly #file: string;
  readonly #host: Pick<Host, 'turn'>;
  #reader: JournalReader | null = null;
  #turns: Promise<void> = Promise.resolve();

  constructor(file: string, host: Pick<Host, 'turn'>) {
    this.#file = file;
    this.#host = host;
  }

  /** Entries after a number, oldest first. @throws {ConfigError} when the file cannot be read */
  after(seq: number, count = SLICE): Slice {
    this.#reader ??= readJournal(this.#file);
    return this.#reader.after(seq, Math.min(count, SLICE), SLICE_BYTES);
  }

  /** Resolves in a separate turn of the event loop: each turn reads only one slice for all readers together. */
  turn(): Promise<void> {
    return (this.#turns = this.#turns.then(() => this.#host.turn()));
  }

  /**
   * JSON of at most `limit` entries after a number, fewer if they are long; `next` is the number to continue after.
   * @throws {ConfigError} when the file cannot be read
   */
  async page(seq: number, limit: number): Promise<string> {
    const records: string[] = [];
    let [next, bytes] = [seq, 0];
    for (;;) {
      const { lines, isEnd } = this.after(next, limit - records.length);
      for (const line of lines) {
        const record = toJson(recordOf(line));
        records.push(record);
        bytes += record.length;
        next = line.seq;
      }
      if (isEnd || records.length >= limit || bytes >= PAGE_MAX_BYTES) break;
      await this.turn();
    }
    return `{"entries":[${records.join(',')}],"next":${next}}`;
  }

  close(): void {
    this.#reader?.close();
    this.#reader = null;
  }
}
