import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { rowsOf, wire } from '../wire.ts';

/**
 * Every listed stock with its latest price, in one answer. Rows are read one by one.
 *
 * Source: venue specification, "Symbol".
 */
export const symbols = defineEndpoint({
  method: 'GET',
  path: '/api/v1/symbols',
  access: 'READ_ONLY',
  repeat: 'always',
  lane: 'data',
  maxBytes: 16 * 2 ** 20,
  response: rowsOf(
    z.object({
      symbol: z.string(),
      /** The stock token. */
      contractAddress: wire.address,
      contractSymbol: z.string().nullish(),
      contractName: z.string().nullish(),
      decimals: z.number().nullish(),
      onChainDecimals: z.number().nullish(),
      tradable: z.boolean(),
      fractionable: z.boolean(),
      overnightTradable: z.boolean().nullish(),
      fractionalEhEnabled: z.boolean().nullish(),
      /** mUSD a share. */
      price: z.number(),
      change24H: z.number().nullish(),
      change24HPercent: z.number().nullish(),
      logoUrl: z.string().nullish(),
      /** Unix seconds. */
      lastUpdateTimestamp: z.number(),
      name: z.string().nullish(),
      pdfUrl: z.string().nullish(),
      volume24H: z.number().nullish(),
    }),
  ),
});
