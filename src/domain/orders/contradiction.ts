import type { EpochMs } from '../../core/brand.ts';
import type { Asset } from '../account/ledger.ts';
import type { OrderReport } from '../venue.ts';
import { assetOf, assetReceived, brokenRule, isDeferred, txHashOf, type Order, MINABLE_MS } from './order.ts';

/** True when a report shows an order open that has ended at the venue. */
export const isReopening = (order: Order, { txHash, orderId, status }: OrderReport): boolean =>
  (order.state.kind === 'closed' || order.state.kind === 'reverted') &&
  order.state.txHash === txHash &&
  orderId !== null &&
  (status === 'open' || status === 'canceling');

/** True when a report shows an order that has ended at the venue open again, or settled by other amounts. */
export const contradictsEnd = (order: Order, report: OrderReport): boolean =>
  isReopening(order, report) ||
  (isSettled(order) && settlementChange(order, report).some(([, amount]) => amount !== 0n));

/** True when a report shows no more of an order than the link of its transaction to the key: nothing is mined, or no longer. */
export const isBareLink = ({ orderId, status }: OrderReport): boolean =>
  orderId === null && status === 'pending';

/** True when a report shows no more than the link of an order that has settled, at a time when it can be mined no more. */
export const isUndone = (order: Order, report: OrderReport, now: EpochMs): boolean =>
  isBareLink(report) && isSettled(order) && now - order.plannedAt > MINABLE_MS;

/** True when a report shows the settlement that an order has. */
export const isSettledIn = (order: Order, report: OrderReport): boolean =>
  isSettled(order) && report.settlement !== null && !contradictsEnd(order, report);

const isSettled = ({ state }: Order): boolean => state.kind === 'closed' && state.settlement !== null;

/**
 * Amounts by which the account has more at the venue than the ledger expects if an order has settled as a report shows, 0 included;
 * none for a settlement that cannot be the order's. Those of deferred sells show in what is owed: none either.
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

/** Amounts that the ledger takes an order to have moved at the venue. */
function takenBy({ state, claim }: Order): Readonly<{ pay: bigint; receive: bigint }> {
  if (state.kind === 'closed' && state.settlement) return state.settlement;
  return { pay: state.kind === 'working' && !claim ? state.locked : 0n, receive: 0n };
}

const isEnding = (status: OrderReport['status']): boolean =>
  status === 'filled' || status === 'cancelled' || status === 'expired' || status === 'rejected';
