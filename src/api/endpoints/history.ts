import { z } from 'zod';
import { brokenBar, INTERVALS } from '../../domain/bar.ts';
import { defineEndpoint, type RequestOf, type ResponseOf } from '../endpoint.ts';
import { rowsOf, symbolPath } from '../wire.ts';

/**
 * Bars of one symbol, ascending; the last one may still be forming. Rows are read one by one; one
 * whose numbers cannot be a bar (high below low, a price of 0) is unreadable.
 *
 * Times are Unix seconds; `timestamp` is the start of the bar. A range that holds more than `limit` bars (100 unless
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
  method: 'GET',
  path: '/api/v1/prices/{symbol}/history',
  access: 'READ_ONLY',
  repeat: 'always',
  lane: 'data',
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
