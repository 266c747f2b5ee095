import { z } from 'zod';
import { defineEndpoint, type RequestOf, type ResponseOf } from '../endpoint.ts';
import { asItCame, symbolPath } from '../wire.ts';
import { basicInfo } from './underlying.ts';

/**
 * The real-time quote: the stock's, and its token's on the scoped chain.
 *
 * Source: venue specification, "Real-time quote"; the sub-fields of `onChain` are not documented and are passed on
 * unchanged.
 *
 * @example
 * const { basicInfo } = await client.prices({ path: { symbol: 'AAPL' } });
 */
export const prices = defineEndpoint({
  method: 'GET',
  path: '/api/v1/prices/{symbol}',
  access: 'READ_ONLY',
  repeat: 'always',
  lane: 'data',
  params: symbolPath,
  response: z.object({ basicInfo, onChain: asItCame.nullish() }),
});

export type PricesRequest = RequestOf<typeof prices>;
export type PricesResponse = ResponseOf<typeof prices>;
