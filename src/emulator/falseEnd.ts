import { cash, price } from '../core/amount.ts';
import type { EpochMs } from '../core/brand.ts';
import { hashHex } from '../core/random.ts';
import type { Mapping, Order, OrderChange } from './state.ts';

/** The end without a fill that the venue shows of an order at `now`, whatever has become of it; null where it shows the truth. */
export function falseEndOf(
  order: Order | undefined,
  { createdAt }: Mapping,
  now: EpochMs,
): OrderChange | null {
  if (order?.fate?.kind !== 'false-end') return null;
  const { word, afterMs, forMs } = order.fate;
  const from = createdAt + afterMs;
  if (now < from || (forMs !== undefined && now >= from + forMs)) return null;
  const nothing = { price: price(0n), pay: 0n, receive: 0n, mintFee: cash(0n), protocolFee: cash(0n) };
  return { at: now, word, raw: null, told: { ...nothing, txHash: hashHex(`false end ${order.orderId}`) } };
}
