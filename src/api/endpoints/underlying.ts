import { z } from 'zod';
import { defineEndpoint, type RequestOf, type ResponseOf } from '../endpoint.ts';
import { symbolPath } from '../wire.ts';

/** Stock quote and basic info, the same on every chain. */
export const basicInfo = z.object({
  symbol: z.string(),
  contractAddress: z.string().nullish(),
  contractSymbol: z.string().nullish(),
  onChainDecimals: z.number().nullish(),
  name: z.string().nullish(),
  exchange: z.string().nullish(),
  /** `active` or `inactive`. */
  status: z.string().nullish(),
  /** mUSD a share. */
  price: z.number(),
  /** mUSD a share, over the last 24 hours. */
  change24H: z.number().nullish(),
  /** Percentage over the last 24 hours, as the venue gives it. */
  change24HPercent: z.number().nullish(),
  /** Volume of the last 24 hours, in shares. */
  volume24H: z.number().nullish(),
  tradable: z.boolean().nullish(),
  fractionable: z.boolean().nullish(),
  /** Time of the price, in Unix seconds. */
  lastUpdateTimestamp: z.number().nullish(),
});

/**
 * The quote and basic info of the underlying stock.
 *
 * Source: venue specification, "Underlying quote".
 *
 * @example
 * const { price } = await client.underlying({ path: { symbol: 'AAPL' } });
 */
export const underlying = defineEndpoint({
  method: 'GET',
  path: '/api/v1/underlying/{symbol}/price',
  access: 'READ_ONLY',
  repeat: 'always',
  lane: 'data',
  params: symbolPath,
  response: basicInfo,
});

export type UnderlyingRequest = RequestOf<typeof underlying>;
export type UnderlyingResponse = ResponseOf<typeof underlying>;
