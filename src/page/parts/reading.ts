import { useSignal, type Signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { browser } from '../browser.ts';
import { SHOWN_KINDS } from '../../domain/journalEvent.ts';
import type { Connection } from '../connection/connection.ts';

/** Value of an endpoint for a view: null until it has been read. `problem`: reason why it could not be read. */
export type Reading<T> = Readonly<{ value: T | null; problem: string | null }>;

export const isPrice = ({ kind }: Readonly<{ kind: string }>): boolean => SHOWN_KINDS.has(kind);

/** Minimum time in ms between two reads. */
const AGAIN_MS = 2_000;

/** How to read only new data once there is a value. */
export type Growth<T> = Readonly<{
  /** Path of the data that is newer than a value. */
  next: (value: T) => string;
  /** A value extended by newer data; null if that does not continue it, and everything must be reread. */
  join: (value: T, newer: T) => T | null;
}>;

type ReadingOptions<T> = Readonly<{
  /** Minimum time in ms between two reads. */
  againMs?: number;
  /** True for a value that also changes with prices. */
  isOfPrices?: boolean;
  /** Incremental reading; without it, everything is reread each time. */
  growth?: Growth<T>;
}>;

/** Value of a daemon's endpoint, read when a view is shown and again after events there. */
export function useReading<T>(
  daemon: Connection,
  path: string,
  { againMs = AGAIN_MS, isOfPrices = false, growth }: ReadingOptions<T> = {},
): Reading<T> {
  const reading: Signal<Reading<T>> = useSignal({ value: null, problem: null });
  useEffect(() => {
    reading.value = { value: null, problem: null };
    const reader = new Reader(daemon, { path, againMs, growth }, reading);
    const unlisten = daemon.onEntry((entry) => {
      if (isOfPrices || !isPrice(entry)) reader.plan();
    });
    return () => {
      unlisten();
      reader.leave();
    };
  }, [daemon, path, againMs, isOfPrices]);
  return reading.value;
}

type ReaderOptions<T> = Readonly<{ path: string; againMs: number; growth: Growth<T> | undefined }>;

/** Rereads an endpoint, with one read at a time. */
class Reader<T> {
  readonly #daemon: Connection;
  readonly #options: ReaderOptions<T>;
  readonly #reading: Signal<Reading<T>>;
  #isLeft = false;
  #isReading = false;
  /** True if something has happened since the current read began. */
  #isStale = false;
  #planned: (() => void) | null = null;

  constructor(daemon: Connection, options: ReaderOptions<T>, reading: Signal<Reading<T>>) {
    this.#daemon = daemon;
    this.#options = options;
    this.#reading = reading;
    void this.#read();
  }

  plan(): void {
    this.#isStale = true;
    if (this.#isReading || this.#isLeft) return;
    this.#planned ??= browser.after(this.#options.againMs, () => {
      this.#planned = null;
      void this.#read();
    });
  }

  leave(): void {
    this.#isLeft = true;
    this.#planned?.();
  }

  async #read(): Promise<void> {
    this.#isReading = true;
    this.#isStale = false;
    const { value } = this.#reading.value;
    const next = await this.#next(value);
    if (this.#isLeft) return;
    this.#isReading = false;
    // Data that does not continue the value is reread from the beginning.
    if (next.value === null && next.problem === null) this.#isStale = true;
    this.#reading.value = next;
    if (this.#isStale) this.plan();
  }

  async #next(value: T | null): Promise<Reading<T>> {
    const { path, growth } = this.#options;
    try {
      if (value === null || !growth) return { value: await this.#daemon.get<T>(path), problem: null };
      return { value: growth.join(value, await this.#daemon.get<T>(growth.next(value))), problem: null };
    } catch (error) {
      return { value, problem: error instanceof Error ? error.message : 'It could not be read.' };
    }
  }
}
