import type { EndpointCalls } from '../../src/api/client.ts';
import * as endpoints from '../../src/api/endpoints/index.ts';
import type { Stage, StageClient } from './stage.ts';

export type Body = Readonly<Record<string, unknown>>;
export type Name = keyof EndpointCalls;

/** Calls an endpoint like an untyped program. */
export const ask = (client: StageClient, name: Name, request: object) =>
  (client[name] as unknown as (request: object) => Promise<unknown>)(request);

export const endpointOf = (name: Name) => endpoints[name];

/** A valid body of each kind of write. */
export const marketBuy = (stage: Stage): Body => ({
  stockAddress: stage.stock('AAPL'),
  side: 'Buy',
  type: 'Market',
  notional: '10',
  deadline: stage.deadline(),
});
export const marketSell = (stage: Stage): Body => ({
  ...marketBuy(stage),
  side: 'Sell',
  notional: undefined,
  quantity: '1',
});
export const limitBuy = (stage: Stage): Body => ({
  ...marketBuy(stage),
  type: 'Limit',
  notional: undefined,
  quantity: '1',
  price: '100',
  timeInForce: 'DAY',
});
export const withDeposit = (stage: Stage): Body => ({
  ...marketBuy(stage),
  tokenAddress: stage.cash,
  tokenAmount: '90',
});
export const cashIn = (stage: Stage): Body => ({ tokenAddress: stage.cash, tokenAmount: '90' });
export const cashOut = (stage: Stage): Body => ({ tokenAddress: stage.cash, creditAmount: '10' });
export const stockMove = (stage: Stage): Body => ({ tokenAddress: stage.stock('AAPL'), tokenAmount: '1' });
export const repayment = (stage: Stage): Body => ({ stockAddress: stage.stock('AAPL'), quantity: '1' });
export const user = (stage: Stage): Body => ({ userAddress: stage.account(0).userAddress });
