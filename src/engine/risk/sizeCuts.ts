import {
  cash,
  notionalOf,
  roundTo,
  shares,
  sharesFor,
  stepOf,
  type Cash,
  type Price,
} from '../../core/amount.ts';
import type { AccountState } from '../../domain/account/accountState.ts';
import { MIN_NOTIONAL } from '../../domain/fees.ts';
import type { Instrument } from '../../domain/instrument.ts';
import type { Order } from '../../domain/orders/order.ts';
import { isTakeProfit } from '../../domain/orders/syntheticOrder.ts';
import type { OrderTerms } from '../../domain/venue.ts';
import { cutToStep } from '../state/market.ts';

const CENT = stepOf(2);
const PERCENT = 100n;
/** Percentage of a size limit that a market sell uses: the price may move before it is sent. */
const SIZE_PERCENT = 95n;

type Market = Readonly<{ instrument: Instrument; price: Price }>;

/** Terms of an order cut to a value, rounded down to the step; null below the venue's minimum. */
export function cutTerms(terms: OrderTerms, room: Cash, { instrument, price }: Market): OrderTerms | null {
  if (room < MIN_NOTIONAL) return null;
  if (terms.type === 'limit') {
    const quantity = shares(cutToStep(sharesFor(room, terms.price, 'down'), instrument));
    return notionalOf(quantity, terms.price, 'down') < MIN_NOTIONAL ? null : { ...terms, quantity };
  }
  if (terms.side === 'sell') {
    const part = cash((room * SIZE_PERCENT) / PERCENT);
    const quantity = shares(cutToStep(sharesFor(part, price, 'down'), instrument));
    return notionalOf(quantity, price, 'down') < MIN_NOTIONAL ? null : { ...terms, quantity };
  }
  if (terms.quantity === undefined) {
    const notional = cash(roundTo(room, CENT, 'down'));
    return { ...terms, notional };
  }
  const quantity = shares(cutToStep(sharesFor(room, price, 'down'), instrument));
  const notional = notionalOf(quantity, price, 'up');
  return notional < MIN_NOTIONAL ? null : { ...terms, quantity, notional };
}

/**
 * True for a protective sell: one of a flatten, or the exit of a synthetic order. It is never dropped for its size: it
 * is sent in parts, or whole if a limit allows less than the venue's minimum.
 */
export function isProtective(
  { intents, commands }: AccountState,
  { intentId, terms }: Pick<Order, 'intentId'> & Readonly<{ terms: Pick<OrderTerms, 'side'> }>,
): boolean {
  if (terms.side === 'buy') return false;
  const intent = intents.get(intentId);
  if (intent?.parent) return intent.parent.leg === 'exit' || isTakeProfit(intent.parent.leg);
  return intent?.command !== undefined && commands.of(intent.command)?.request.command.kind === 'flatten';
}
