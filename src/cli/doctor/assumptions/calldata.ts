import type { Calldata } from '../../../api/calldata.ts';
import type { VenueClient } from '../../../api/client.ts';
import { cash, parseDecimal, price, shares } from '../../../core/amount.ts';
import type { EpochSeconds } from '../../../core/brand.ts';
import type { Address, Ticker } from '../../../domain/instrument.ts';
import { bodyOf } from '../../../api/orderBody.ts';
import type { RouterCall } from '../../../wallet/routerAbi.ts';
import * as calls from '../../../wallet/routerCall.ts';

/** Subject of the calls: small amounts of a listed stock and of a cash token. */
export type Subject = Readonly<{
  userAddress: Address;
  symbol: Ticker;
  stock: Address;
  /** Price of the stock, as a wad. */
  quote: bigint;
  token: calls.CashToken | null;
  deadline: EpochSeconds;
  /** An open limit order, where there is one. */
  openOrder: string | null;
}>;

/** A question whose answer is calldata that nobody signs, and the call that it should be. */
export type Trial = Readonly<{
  call: RouterCall;
  /** The object whose names its body has, where the documentation leaves them open. */
  object?: 'depositOrder' | 'stockMove' | 'repayment';
  ask: (client: VenueClient) => Promise<Calldata>;
}>;

const SHARES = shares(parseDecimal('1'));
const CASH = cash(parseDecimal('100'));
const TOKENS = parseDecimal('100');

/** Every call of the router that can be asked for without sending anything. */
export function trialsOf(subject: Subject): readonly Trial[] {
  const { openOrder, deadline } = subject;
  const cancel = (orderId: string): Trial => ({
    call: calls.cancelCall(orderId, { deadline }),
    ask: (client) => client.orderCancelCalldata({ path: { orderId }, query: { deadline } }),
  });
  return [
    ...orderTrials(subject),
    ...(subject.token ? cashTrials(subject, subject.token) : []),
    ...stockTrials(subject),
    ...(openOrder === null ? [] : [cancel(openOrder)]),
  ];
}

/** Half of the quote: a limit that nothing fills. */
const far = (quote: bigint) => price((quote / 2n / 10n ** 16n) * 10n ** 16n);

function termsOf({ symbol, stock, quote }: Subject) {
  const limit = { symbol, stock, type: 'limit', quantity: SHARES, price: far(quote) } as const;
  const market = { symbol, stock, type: 'market' } as const;
  return {
    marketBuy: { ...market, side: 'buy', notional: CASH },
    marketSell: { ...market, side: 'sell', quantity: SHARES },
    limitBuy: { ...limit, side: 'buy' },
    limitSell: { ...limit, side: 'sell' },
  } as const;
}

function orderTrials(subject: Subject): readonly Trial[] {
  const { deadline } = subject;
  const { marketBuy, limitBuy, marketSell, limitSell } = termsOf(subject);
  const plain = ([marketBuy, limitBuy] as const).map((terms): Trial => ({
    call: calls.orderCall(terms, { deadline }),
    ask: (client) => client.orderCalldata({ body: { ...bodyOf(terms), deadline } }),
  }));
  const sells = [marketSell, limitSell] as const;
  const deferred = sells.map((terms): Trial => ({
    call: calls.deferredSellCall(terms, { deadline }),
    ask: (client) => client.orderCalldata({ body: { ...bodyOf(terms), deferred: true, deadline } }),
  }));
  const withStock = sells.map((terms): Trial => ({
    call: calls.sellWithDepositCall(terms, { amount: SHARES, deadline }),
    object: 'depositOrder',
    ask: (client) =>
      client.orderWithDepositCalldata({ body: { ...bodyOf(terms), tokenAmount: '1', deadline } }),
  }));
  return [...plain, ...deferred, ...withStock];
}

function cashTrials(subject: Subject, token: calls.CashToken): readonly Trial[] {
  const { userAddress, deadline } = subject;
  const { marketBuy, limitBuy } = termsOf(subject);
  const pay = { tokenAddress: token.address, tokenAmount: '100' };
  const buys = ([marketBuy, limitBuy] as const).map((terms): Trial => ({
    call: calls.buyWithDepositCall(terms, { token, amount: TOKENS, deadline }),
    object: 'depositOrder',
    ask: (client) => client.orderWithDepositCalldata({ body: { ...bodyOf(terms), ...pay, deadline } }),
  }));
  return [
    ...buys,
    {
      call: calls.depositCall(token, TOKENS),
      ask: (client) => client.cashDepositCalldata({ body: { userAddress, ...pay } }),
    },
    {
      call: calls.withdrawCall(token, CASH),
      ask: (client) =>
        client.cashWithdrawalCalldata({
          body: { userAddress, tokenAddress: token.address, creditAmount: '100' },
        }),
    },
  ];
}

function stockTrials({ userAddress, stock }: Subject): readonly Trial[] {
  const body = { userAddress, tokenAddress: stock, tokenAmount: '1' };
  return [
    {
      call: calls.depositStockCall(stock, SHARES),
      object: 'stockMove',
      ask: (client) => client.stockDepositCalldata({ body }),
    },
    {
      call: calls.withdrawStockCall(stock, SHARES),
      object: 'stockMove',
      ask: (client) => client.stockWithdrawalCalldata({ body }),
    },
    {
      call: calls.repayCall(stock, SHARES),
      object: 'repayment',
      ask: (client) => client.repayCalldata({ body: { userAddress, stockAddress: stock, quantity: '1' } }),
    },
  ];
}
