import { epochMs, type EpochMs } from '../../core/brand.ts';
import type { State } from './state.ts';

/** The chain up to here is visible at `now`. Never goes back, also when the lag grows. */
export const indexedUntil = ({ indexer }: Pick<State, 'indexer'>, now: EpochMs): EpochMs =>
  epochMs(Math.max(indexer.seen, now - indexer.lagMs));

/** From `now` on the indexer is so far behind. What it has seen stays seen. */
export function setLag(state: Pick<State, 'indexer'>, lagMs: number, now: EpochMs): void {
  state.indexer.seen = indexedUntil(state, now);
  state.indexer.lagMs = lagMs;
}

/** The last change that the indexer has seen. Null while it has seen nothing. */
export function visibleChange<C extends Readonly<{ at: EpochMs }>>(
  { changes }: Readonly<{ changes: readonly C[] }>,
  until: EpochMs,
): C | null {
  for (let index = changes.length - 1; index >= 0; index--) {
    const change = changes[index];
    if (change && change.at <= until) return change;
  }
  return null;
}
