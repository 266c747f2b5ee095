import { cash, price, roundTo, stepOf, WAD, type Cash, type Price } from '../core/amount.ts';
import { hashHex } from '../core/random.ts';
import { chargesOf, type Charges } from './charges.ts';
import { balanceOf, transfer, type Asset, type Place } from './ledger.ts';
import type { Hex, Order, Settlement } from './state.ts';
import type { World } from './world.ts';

type Executed = Pick<Order, 'filled' | 'cost'>;

/** Settles the executed part of an order, with the present fees. */
export function settlementOf(world: World, { order, hash }: Settled, { filled, cost }: Executed): Settlement {
  const common = { txHash: hash, price: averageOf({ filled, cost }) };
  const charges = chargesOf(cost, order.side, world.state.constants);
  if (order.side === 'buy') {
    const { mintFee, protocolFee } = payable(world, { order, cost }, charges);
    return { ...common, pay: cost + mintFee + protocolFee, receive: filled, mintFee, protocolFee };
  }
  return { ...common, pay: filled, receive: cost - charges.protocolFee, ...charges };
}

type Settled = Readonly<{ order: Order; hash: Hex }>;

/** Fees that have risen since a buy locked its money are taken out of what its user has left, as far as that goes. */
function payable(
  { state: { balances } }: World,
  { order: { userAddress: holder, reserve }, cost }: Readonly<{ order: Order; cost: Cash }>,
  charges: Charges,
): Charges {
  const left = reserve + balanceOf(balances, { holder, bucket: 'exchange' }, 'mUSD') - cost;
  const mintFee = least(charges.mintFee, left);
  return { mintFee, protocolFee: least(charges.protocolFee, left - mintFee) };
}

const least = (fee: Cash, left: bigint): Cash => (fee <= left ? fee : cash(left > 0n ? left : 0n));

/** To six places, so that one execution shows exactly its own price. */
const averageOf = ({ filled, cost }: Executed): Price => {
  if (filled === 0n) return price(0n);
  const step = stepOf(6);
  return price(roundTo((cost * WAD) / filled + step / 2n, step, 'down'));
};

type Moved = Pick<Settlement, 'pay' | 'receive'>;
export const NOTHING: Moved = { pay: 0n, receive: 0n };

/** What of the lock is given back once so much is paid. A deferred sell has locked nothing. */
export const restOf = ({ reserve, deferred }: Order, { pay }: Moved): bigint =>
  deferred ? 0n : reserve - pay;

/** From what was moved for an order to what is to be; `release` of its lock is given back, or taken again when negative. */
export type Movement = Readonly<{ order: Order; from: Moved; to: Moved; release: bigint }>;

/** What a deferred sell executes is owed. The caller has looked before. */
export function moveFor({ state: { balances } }: World, { order, from, to, release }: Movement): void {
  const { side, symbol, userAddress: holder, deferred } = order;
  const free: Place = { holder, bucket: 'exchange' };
  const locked: Place = { holder, bucket: 'locked' };
  const debt: Place = { holder, bucket: 'debt' };
  const [given, gotten]: [Asset, Asset] = side === 'buy' ? ['mUSD', symbol] : [symbol, 'mUSD'];
  const pass = (asset: Asset, amount: bigint, [source, target]: readonly [Place, Place]): void => {
    if (amount >= 0n) transfer(balances, { asset, amount, from: source, to: target });
    else transfer(balances, { asset, amount: -amount, from: target, to: source });
  };
  pass(given, release, [locked, free]);
  pass(given, to.pay - from.pay, deferred ? ['venue', debt] : [locked, 'venue']);
  pass(gotten, to.receive - from.receive, ['venue', free]);
}

/** Of the transaction that settles it next. */
export const settlementHash = ({ orderId, settled }: Order): Hex =>
  hashHex(settled === 0 ? `settlement ${orderId}` : `settlement ${orderId} ${settled}`);
