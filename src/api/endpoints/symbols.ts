import { z } from 'zod';
import { defineEndpoint, type ResponseOf } from '../endpoint.ts';
import { rowsOf, wire } from '../wire.ts';

/**
 * Every listed stock with its latest price, in one answer. Rows are read one by one.
 *
 * Source: venue specification, "Symbol".
 *
 * @example
 * const listed = await client.symbols();
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
      /** Stock token. */
      contractAddress: wire.address,
      contractSymbol: z.string().nullish(),
      contractName: z.string().nullish(),
      /** Decimals of the amounts that the venue shows. */
      decimals: z.number().nullish(),
      /** Decimals of the token on the chain. */
      onChainDecimals: z.number().nullish(),
      tradable: z.boolean(),
      fractionable: z.boolean(),
      overnightTradable: z.boolean().nullish(),
      fractionalEhEnabled: z.boolean().nullish(),
      /** mUSD a share. */
      price: z.number(),
      /** mUSD a share, over the last 24 hours. */
      change24H: z.number().nullish(),
      /** Percentage over the last 24 hours, as the venue gives it. */
      change24HPercent: z.number().nullish(),
      logoUrl: z.string().nullish(),
      /** Time of the price, in Unix seconds. */
      lastUpdateTimestamp: z.number(),
      name: z.string().nullish(),
      pdfUrl: z.string().nullish(),
      /** Volume of the last 24 hours, in shares. */
      volume24H: z.number().nullish(),
    }),
  ),
});

export type SymbolsResponse = ResponseOf<typeof symbols>;
