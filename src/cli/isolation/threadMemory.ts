import { getHeapStatistics } from 'node:v8';
import { everyMs } from '../../core/clock.ts';
import { SIGNAL } from './messages.ts';

/** Kept from before the strategy is loaded: it may replace the globals. */
const { add, store } = Atomics;
const heap = getHeapStatistics;

/** Interval in ms at which a thread reports what it holds. */
const REPORT_MS = 100;

/** Bytes that this thread holds, on its heap and outside. */
export function heldBytes(): number {
  const { used_heap_size: used, external_memory: external } = heap();
  return used + external;
}

/** Reports what this thread holds, whenever it is free. */
export function reportMemory(signals: SharedArrayBuffer): void {
  const words = new Int32Array(signals);
  everyMs(REPORT_MS, () => {
    store(words, SIGNAL.heldKb, Math.ceil(heldBytes() / 1024));
    add(words, SIGNAL.reports, 1);
  });
}
