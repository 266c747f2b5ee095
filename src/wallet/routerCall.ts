import { toTokenUnits, type Cash, type Shares } from '../core/amount.ts';
import type { EpochSeconds } from '../core/brand.ts';
import type { Address } from '../domain/instrument.ts';
import type { OrderTerms } from '../domain/venue.ts';
import type { Hex, RouterCall } from './routerAbi.ts';

/** Time in force, as the router counts it. */
const DAY = 0;

/** A token of the chain with its places. */
export type CashToken = Readonly<{ address: Address; decimals: number }>;
export type BuyTerms = OrderTerms & Readonly<{ side: 'buy' }>;
export type SellTerms = OrderTerms & Readonly<{ side: 'sell' }>;

type Until = Readonly<{ deadline: EpochSeconds }>;

/** A sell is a negative amount. */
const signed = ({ side }: OrderTerms, size: bigint): bigint => (side === 'buy' ? size : -size);
const sizeOf = (terms: OrderTerms): bigint => ('quantity' in terms ? terms.quantity : terms.notional);

/** The router's call for an order that pays with what lies on the exchange. */
export function orderCall(terms: OrderTerms, { deadline }: Until): RouterCall {
  const { stock } = terms;
  const size = signed(terms, sizeOf(terms));
  return terms.type === 'limit'
    ? { kind: 'placeLimitOrder', stock, quantity: size, price: terms.price, tif: DAY, deadline }
    : { kind: 'placeMarketOrder', stock, amount: size, deadline };
}

/** A sell of stock that is delivered later. */
export function deferredSellCall(terms: SellTerms, { deadline }: Until): RouterCall {
  const { stock, quantity } = terms;
  return terms.type === 'limit'
    ? { kind: 'placeDeferredLimitSell', stock, quantity, price: terms.price, tif: DAY, deadline }
    : { kind: 'placeDeferredMarketSell', stock, quantity, deadline };
}

/**
 * Deposits cash and buys with it in one step. `amount` in whole units of the token, as a wad.
 * @throws {InvalidValueError} when the token has fewer places than the amount
 */
export function buyWithDepositCall(
  terms: BuyTerms,
  { token, amount, deadline }: Until & Readonly<{ token: CashToken; amount: bigint }>,
): RouterCall {
  const deposit = { depositToken: token.address, depositAmount: toTokenUnits(amount, token.decimals) };
  const { stock } = terms;
  return terms.type === 'limit'
    ? {
        ...{ kind: 'depositAndLimitBuy', ...deposit, stock },
        ...{ quantity: terms.quantity, price: terms.price, tif: DAY, deadline },
      }
    : { kind: 'depositAndMarketBuy', ...deposit, stock, usdAmount: terms.notional, deadline };
}

/** Moves stock of the wallet on to the exchange and sells in one step. */
export function sellWithDepositCall(
  terms: SellTerms,
  { amount, deadline }: Until & Readonly<{ amount: Shares }>,
): RouterCall {
  const deposit = { stock: terms.stock, depositAmount: amount, quantity: -terms.quantity };
  return terms.type === 'limit'
    ? { kind: 'depositStockAndLimitSell', ...deposit, price: terms.price, tif: DAY, deadline }
    : { kind: 'depositStockAndMarketSell', ...deposit, deadline };
}

/** `orderId` with or without `0x` before its 64 digits. */
export const cancelCall = (orderId: string, { deadline }: Until): RouterCall => ({
  ...{
    kind: 'cancelLimitOrder',
    orderId: (/^0x/i.test(orderId) ? orderId : `0x${orderId}`) as Hex,
    deadline,
  },
});

/** `amount` in whole units of the token, as a wad. @throws {InvalidValueError} when the token has fewer places */
export const depositCall = ({ address, decimals }: CashToken, amount: bigint): RouterCall => ({
  ...{ kind: 'deposit', token: address, amount: toTokenUnits(amount, decimals) },
});

/** `credit` in mUSD, whatever the token's places. */
export const withdrawCall = ({ address }: CashToken, credit: Cash): RouterCall => ({
  ...{ kind: 'withdraw', token: address, amountWad: credit },
});

export const depositStockCall = (stock: Address, amount: Shares): RouterCall => ({
  ...{ kind: 'depositStock', token: stock, amount },
});

export const withdrawStockCall = (stock: Address, amount: Shares): RouterCall => ({
  ...{ kind: 'withdrawStock', token: stock, amount },
});

/** Stock of the wallet against the debt of deferred sells. */
export const repayCall = (stock: Address, amount: Shares): RouterCall => ({
  ...{ kind: 'repayDeferredStockDebt', stock, amount },
});
