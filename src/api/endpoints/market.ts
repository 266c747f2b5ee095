import { z } from 'zod';
import { brokenBar, INTERVALS } from '../../domain/bar.ts';
import { configData, corporateActionQuery, corporateActionRow } from '../assumptions/venueRules.ts';
import { basicInfo } from '../views.ts';
import { defineEndpoint, type RequestOf, type ResponseOf } from '../endpoint.ts';
import { DATA_READ } from './kinds.ts';
import { asItCame, rowsOf, symbolPath, wire } from '../wire.ts';

/**
 * Cashier buffers, fee rates and cash tokens of the scoped chain and product.
 *
 * Source: venue specification, "Market data"; the sub-fields are assumed.
 *
 * @example
 * const { exchangeFeeConfig } = await client.config();
 */
export const config = defineEndpoint({
  ...DATA_READ,
  path: '/api/v1/config',
  response: configData,
});

export type ConfigResponse = ResponseOf<typeof config>;

/**
 * Every listed stock with its latest price, in one response. Rows are parsed one by one.
 *
 * Source: venue specification, "Symbol".
 *
 * @example
 * const listed = await client.symbols();
 */
export const symbols = defineEndpoint({
  ...DATA_READ,
  path: '/api/v1/symbols',
  maxBytes: 16 * 2 ** 20,
  response: rowsOf(
    basicInfo.omit({ exchange: true, status: true }).extend({
      /** Stock token. */
      contractAddress: wire.address,
      contractName: z.string().nullish(),
      /** Decimals of the amounts shown by the venue. */
      decimals: z.number().nullish(),
      tradable: z.boolean(),
      fractionable: z.boolean(),
      overnightTradable: z.boolean().nullish(),
      fractionalEhEnabled: z.boolean().nullish(),
      logoUrl: z.string().nullish(),
      lastUpdateTimestamp: z.number(),
      pdfUrl: z.string().nullish(),
    }),
  ),
});

export type SymbolsResponse = ResponseOf<typeof symbols>;

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
  ...DATA_READ,
  path: '/api/v1/prices/{symbol}',
  params: symbolPath,
  response: z.object({ basicInfo, onChain: asItCame.nullish() }),
});

export type PricesRequest = RequestOf<typeof prices>;
export type PricesResponse = ResponseOf<typeof prices>;

/**
 * Bars of one symbol, ascending; the last one may still be forming. Rows are parsed one by one; one
 * whose numbers cannot be a bar (high below low, a price of 0) is unreadable.
 *
 * Times are Unix seconds; `timestamp` is the start of the bar. A range with more than `limit` bars (100 unless
 * given, 5000 at most) keeps the newest.
 *
 * Source: venue specification, "K-line"; the order and the meaning of `timestamp` are assumed.
 *
 * @example
 * const bars = await client.history({
 *   path: { symbol: 'AAPL' },
 *   query: { endTime: 1_773_234_000, interval: '1m', limit: 500 },
 * });
 */
export const history = defineEndpoint({
  ...DATA_READ,
  path: '/api/v1/prices/{symbol}/history',
  maxBytes: 4 * 2 ** 20,
  params: symbolPath,
  query: z.strictObject({
    /** Unix seconds, 0 or more. */
    startTime: z.int().min(0).optional(),
    /** Unix seconds, 0 or more. */
    endTime: z.int().min(0),
    interval: z.enum(INTERVALS),
    /** `all` when absent. */
    adjustment: z.enum(['raw', 'split', 'dividend', 'spin-off', 'all']).optional(),
    /** Number of bars, 1 to 5000; 100 when absent. */
    limit: z.int().min(1).max(5000).optional(),
  }),
  response: rowsOf(
    z
      .object({
        /** mUSD a share, above 0, as are `high`, `low` and `close`. */
        open: z.number(),
        high: z.number(),
        low: z.number(),
        close: z.number(),
        /** Shares, 0 or more. */
        volume: z.number(),
        /** Start of the bar, in Unix seconds. */
        timestamp: z.int(),
      })
      .superRefine((bar, context) => {
        const message = brokenBar(bar);
        if (message !== null) context.addIssue({ code: 'custom', message });
      }),
  ),
});

export type HistoryRequest = RequestOf<typeof history>;
export type HistoryResponse = ResponseOf<typeof history>;

/**
 * The quote and basic info of the underlying stock.
 *
 * Source: venue specification, "Underlying quote".
 *
 * @example
 * const { price } = await client.underlying({ path: { symbol: 'AAPL' } });
 */
export const underlying = defineEndpoint({
  ...DATA_READ,
  path: '/api/v1/underlying/{symbol}/price',
  params: symbolPath,
  response: basicInfo,
});

export type UnderlyingRequest = RequestOf<typeof underlying>;
export type UnderlyingResponse = ResponseOf<typeof underlying>;

/**
 * Splits, dividends and spin-offs, possibly none. Dates are days of the exchange. Rows are parsed one by one.
 *
 * Source: venue specification, "Market data"; the query and the fields are assumed.
 *
 * @example
 * const actions = await client.corporateActions({ query: { start: '2026-01-01', end: '2026-12-31' } });
 */
export const corporateActions = defineEndpoint({
  ...DATA_READ,
  path: '/api/v1/corporate-action',
  maxBytes: 4 * 2 ** 20,
  query: corporateActionQuery,
  response: rowsOf(corporateActionRow),
});

export type CorporateActionsRequest = RequestOf<typeof corporateActions>;
export type CorporateActionsResponse = ResponseOf<typeof corporateActions>;
