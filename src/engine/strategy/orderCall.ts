import type { OrderCall } from '../../domain/orders/orderIntent.ts';
import type { Side } from '../../domain/venue.ts';
import type { HeldTiming, TargetSize, Timing } from '../../strategy/contract.ts';

/** Calls that protect what is held. */
export const PROTECTIVE: ReadonlySet<OrderCall> = new Set(['stop', 'trail', 'oco']);

/** A call of `order` for one stock, and what every call has. */
export type Call = Readonly<{
  call: OrderCall;
  side: Side;
  symbol: string;
  timing: Timing & HeldTiming;
  reason: string | undefined;
}>;

/** Side of a call that may have another than the usual one. Its terms are checked later. */
export const sideOf = (terms: Readonly<{ side?: Side }> | null, usual: Side): Side =>
  terms?.side === 'buy' || terms?.side === 'sell' ? terms.side : usual;

/** Side that a refused target is shown with. */
export const sideTowards = (size: TargetSize): Side =>
  Object.values(size).some((value) => Number(value) === 0) ? 'sell' : 'buy';
