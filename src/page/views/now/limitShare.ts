import { parseDecimal } from '../../../core/amount.ts';
import type { LimitView } from '../../../ops/model/status.ts';

const MILLE = 1_000n;

/** Used part of a limit, 0 to 1 and above, for sorting and a bar; 0 where an order alone decides. */
export function shareOf({ used, limit }: Pick<LimitView, 'used' | 'limit'>): number {
  if (used === null) return 0;
  const [part, whole] = [parseDecimal(used, { signed: true }), parseDecimal(limit, { signed: true })];
  if (whole <= 0n) return part > 0n ? 1 : 0;
  return Number((part * MILLE) / whole) / Number(MILLE);
}
