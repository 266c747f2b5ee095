import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { asItCame, symbolPath } from '../wire.ts';
import { basicInfo } from './underlying.ts';

/**
 * The real-time quote: the stock's, and its token's on the scoped chain.
 *
 * Source: venue specification, "Real-time quote"; the sub-fields of `onChain` are not documented and pass as they are.
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
