import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { everyMs } from '../../core/clock.ts';
import { SIGNAL, type ThreadData } from './messages.ts';

const heap = getHeapStatistics;
const collectGarbage = collector();

/** Interval in ms at which a thread reports what it holds. */
const REPORT_MS = 100;

/**
 * Bytes that this thread holds, on its heap and outside. More than `most` is only given back after a garbage collection: what
 * V8 has not thrown away yet is not what a strategy needs.
 */
export function heldBytes(most: number): number {
  const allocated = allocatedBytes();
  if (allocated <= most) return allocated;
  collectGarbage();
  return allocatedBytes();
}

function allocatedBytes(): number {
  const { used_heap_size: used, external_memory: external } = heap();
  return used + external;
}

/** V8's own collection of the whole heap. A context that is made after this flag was set has it, and the strategy's was made before. */
function collector(): () => void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  return () => collect();
}

/** Reports what this thread holds, whenever it is free. */
export function reportMemory({ signals, maxBytes }: Pick<ThreadData, 'signals' | 'maxBytes'>): void {
  const words = new Int32Array(signals);
  everyMs(REPORT_MS, () => {
    store(words, SIGNAL.heldKb, Math.ceil(heldBytes(maxBytes) / 1024));
    add(words, SIGNAL.reports, 1);
  });
}
