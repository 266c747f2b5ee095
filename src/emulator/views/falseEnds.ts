import { cash, price } from '../../core/amount.ts';
import type { EpochMs } from '../../core/brand.ts';
import { hashHex } from '../../core/random.ts';
import type { Address } from '../../domain/instrument.ts';
import { balanceOf } from '../state/ledger.ts';
import type { Mapping, Order, OrderChange, Asset } from '../state/state.ts';
import type { VenueState } from '../state/venueState.ts';

type FalseEnd = Extract<NonNullable<Order['fate']>, { kind: 'false-end' }>;

/** The active false end of a linked order at `now`; null if the venue shows the truth. */
function lieOf({ fate }: Order, { createdAt }: Mapping, now: EpochMs): FalseEnd | null {
  if (fate?.kind !== 'false-end') return null;
  const from = createdAt + fate.afterMs;
  return now < from || (fate.forMs !== undefined && now >= from + fate.forMs) ? null : fate;
}

/** The false end without a fill shown for an order at `now`; null if the venue shows the truth. */
export function falseEndOf(order: Order | undefined, mapping: Mapping, now: EpochMs): OrderChange | null {
  const lie = order && lieOf(order, mapping, now);
  if (!order || !lie) return null;
  const nothing = { price: price(0n), pay: 0n, receive: 0n, mintFee: cash(0n), protocolFee: cash(0n) };
  const told = { ...nothing, txHash: hashHex(`false end ${order.orderId}`) };
  return { at: now, word: lie.word, raw: null, told };
}

/** Free amount of an asset as shown in the account: without orders that both account and list deny. */
export function shownFree(
  venue: VenueState,
  { holder, asset }: Readonly<{ holder: Address; asset: Asset }>,
  now: EpochMs,
): bigint {
  let amount = balanceOf(venue.state.balances, { holder, bucket: 'exchange' }, asset);
  for (const order of venue.state.orders) {
    if (order.fate?.kind !== 'false-end' || !order.fate.account || order.userAddress !== holder) continue;
    const mapping = venue.mappings.get(order.txHash);
    if (mapping && lieOf(order, mapping, now)) amount -= movedBy(order, asset);
  }
  return amount > 0n ? amount : 0n;
}

/** Amount by which an order changed the free balance of an asset. */
function movedBy(
  { side, symbol, settlement, partly, reserve, minedAt, word, deferred }: Order,
  asset: Asset,
) {
  const [paid, received] = side === 'buy' ? ['mUSD', symbol] : [symbol, 'mUSD'];
  const isLocked = minedAt !== null && word !== 'Failed' && !deferred;
  if (asset === paid) return deferred ? 0n : -(settlement?.pay ?? (isLocked ? reserve : 0n));
  return asset === received ? ((settlement ?? partly)?.receive ?? 0n) : 0n;
}
