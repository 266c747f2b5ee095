import { useSignal, type Signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { browser } from '../browser.ts';
import type { Connection } from '../connection/connection.ts';

/** Value of an endpoint as a view shows it: null until it is there. `problem`: reason why it could not be read. */
export type Reading<T> = Readonly<{ value: T | null; problem: string | null }>;

/** Kinds of entries that only show prices. */
const PRICES: ReadonlySet<string> = new Set(['quotes', 'bar', 'barsShown']);
export const isPrice = ({ kind }: Readonly<{ kind: string }>): boolean => PRICES.has(kind);

/** Least time in ms between two reads. */
const AGAIN_MS = 2_000;

type ReadingOptions = Readonly<{
  /** Least time in ms between two reads. */
  againMs?: number;
  /** True for what changes with the prices, too. */
  isOfPrices?: boolean;
}>;

/** Value of an endpoint of a daemon, read when a view is shown and again after something has happened there. */
export function useReading<T>(
  daemon: Connection,
  path: string,
  { againMs = AGAIN_MS, isOfPrices = false }: ReadingOptions = {},
): Reading<T> {
  const reading: Signal<Reading<T>> = useSignal({ value: null, problem: null });
  useEffect(() => {
    let isLeft = false;
    let planned: (() => void) | null = null;
    const read = () =>
      daemon.get<T>(path).then(
        (value) => {
          if (!isLeft) reading.value = { value, problem: null };
        },
        (error: unknown) => {
          const problem = error instanceof Error ? error.message : 'It could not be read.';
          if (!isLeft) reading.value = { value: reading.value.value, problem };
        },
      );
    reading.value = { value: null, problem: null };
    void read();
    const unlisten = daemon.onEntry((entry) => {
      if (!isOfPrices && isPrice(entry)) return;
      planned ??= browser.after(againMs, () => {
        planned = null;
        void read();
      });
    });
    return () => {
      isLeft = true;
      unlisten();
      planned?.();
    };
  }, [daemon, path, againMs, isOfPrices]);
  return reading.value;
}
