import { signal } from '@preact/signals';
import type { Cancel, Surroundings } from '../connection/surroundings.ts';

/** Page of rows, newest first. `next`: number before which the next page begins; null at the end. */
export type Page<Row> = Readonly<{ rows: readonly Row[]; next: number | null }>;

/** Minimum time in ms between two reads of the newest rows. */
const REFRESH_MS = 2_000;

/** List of numbered rows, newest first, that is read page by page: older rows on demand, newer ones after events. */
export class Pages<Row extends Readonly<{ seq: number }>> {
  readonly rows = signal<readonly Row[]>([]);
  readonly isReading = signal(false);
  /** Reason why the last page could not be read. */
  readonly problem = signal<string | null>(null);
  /** Number of changes not shown yet. */
  readonly unseen = signal(0);
  readonly #read: (before: number | null) => Promise<Page<Row>>;
  readonly #after: Surroundings['after'];
  #next: number | null = Infinity;
  #planned: Cancel | null = null;
  #isClosed = false;

  constructor(read: (before: number | null) => Promise<Page<Row>>, { after }: Pick<Surroundings, 'after'>) {
    this.#read = read;
    this.#after = after;
  }

  /** True once the oldest row has been read. */
  get isWhole(): boolean {
    return this.#next === null;
  }

  /** Reads the next page of older rows, if there is one and no read is in progress. */
  async more(): Promise<void> {
    if (this.#next === null || this.isReading.value || this.problem.value !== null) return;
    const before = Number.isFinite(this.#next) ? this.#next : null;
    await this.#take(before, ({ rows, next }) => {
      this.#next = next;
      this.rows.value = [...this.rows.value, ...rows];
    });
  }

  /** Rereads the newest rows, now or as soon as the current read has ended. */
  async refresh(): Promise<void> {
    this.problem.value = null;
    if (this.isReading.value) {
      this.plan();
      return;
    }
    this.unseen.value = 0;
    await this.#take(null, ({ rows, next }) => {
      const oldest = rows.at(-1)?.seq ?? Infinity;
      const [newest = null] = this.rows.value;
      // If the rows read are all newer than the known ones, others may be missing in between.
      const isGapless = next !== null && newest !== null && newest.seq >= oldest;
      const kept = isGapless ? this.rows.value.filter(({ seq }) => seq < oldest) : [];
      if (kept.length === 0) this.#next = next;
      this.rows.value = [...rows, ...kept];
    });
  }

  /** Schedules a refresh, once for all events until then. */
  plan(): void {
    this.#planned ??= this.#after(REFRESH_MS, () => {
      this.#planned = null;
      void this.refresh();
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#planned?.();
  }

  async #take(before: number | null, apply: (page: Page<Row>) => void): Promise<void> {
    this.isReading.value = true;
    try {
      const page = await this.#read(before);
      if (!this.#isClosed) apply(page);
    } catch (error) {
      this.problem.value = error instanceof Error ? error.message : 'The rows could not be read.';
    } finally {
      this.isReading.value = false;
    }
  }
}
