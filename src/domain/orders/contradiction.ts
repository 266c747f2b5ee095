import type { EpochMs } from '../../core/brand.ts';
import type { Asset } from '../account/ledger.ts';
import type { OrderReport } from '../venue.ts';
import { assetOf, assetReceived, brokenRule, isDeferred, txHashOf, type Order, MINABLE_MS } from './order.ts';

/** True when a report shows an order as open although it has ended at the venue. */
export const isReopening = (order: Order, { txHash, orderId, status }: OrderReport): boolean =>
  (order.state.kind === 'closed' || order.state.kind === 'reverted') &&
  order.state.txHash === txHash &&
  orderId !== null &&
  (status === 'open' || status === 'canceling');

/** True when a report shows an order that has ended at the venue as open again, or settled with other amounts. */
export const contradictsEnd = (order: Order, report: OrderReport): boolean =>
  isReopening(order, report) ||
  (isSettled(order) && settlementChange(order, report).some(([, amount]) => amount !== 0n));

/** True when a report only links an order's transaction to the key: it is not mined yet, or no longer. */
export const isBareLink = ({ orderId, status }: OrderReport): boolean =>
  orderId === null && status === 'pending';

/** True when a report only links a settled order's transaction to the key, although it can no longer be mined. */
export const isUndone = (order: Order, report: OrderReport, now: EpochMs): boolean =>
  isBareLink(report) && isSettled(order) && now - order.plannedAt > MINABLE_MS;

/** True when a report shows the settlement that an order already has. */
export const isSettledIn = (order: Order, report: OrderReport): boolean =>
  isSettled(order) && report.settlement !== null && !contradictsEnd(order, report);

const isSettled = ({ state }: Order): boolean => state.kind === 'closed' && state.settlement !== null;

/**
 * Amounts by which the venue's balances exceed the ledger if an order has settled as a report shows, including 0; none
 * for a settlement that cannot be the order's, or for a deferred sell, which shows in the debt.
 */
export function settlementChange(
  order: Order,
  { txHash, status, settlement: after }: OrderReport,
): readonly (readonly [Asset, bigint])[] {
  if (txHashOf(order) !== txHash || isDeferred(order.terms) || !isEnding(status)) return [];
  if (after ? brokenRule(order, after) !== null : status === 'filled') return [];
  const { pay, receive } = takenBy(order);
  return [
    [assetOf(order), pay - (after?.pay ?? 0n)],
    [assetReceived(order), (after?.receive ?? 0n) - receive],
  ];
}

/** Amounts that the ledger assumes an order to have moved at the venue. */
function takenBy({ state, claim }: Order): Readonly<{ pay: bigint; receive: bigint }> {
  if (state.kind === 'closed' && state.settlement) return state.settlement;
  return { pay: state.kind === 'working' && !claim ? state.locked : 0n, receive: 0n };
}

const isEnding = (status: OrderReport['status']): boolean =>
  status === 'filled' || status === 'cancelled' || status === 'expired' || status === 'rejected';
