import { z } from 'zod';
import { brokenBar, INTERVALS } from '../../domain/bar.ts';
import { defineEndpoint } from '../endpoint.ts';
import { rowsOf, symbolPath } from '../wire.ts';

/**
 * Bars of one symbol, ascending; the last one may still be forming. Rows are read one by one; one
 * whose numbers can be no bar's is unreadable.
 *
 * Times are Unix seconds; `timestamp` is the start of the bar. A range that holds more than `limit` bars (100 unless
 * given, 5000 at most) keeps the newest.
 *
 * Source: venue specification, "K-line"; the order and the meaning of `timestamp` are adopted.
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
    startTime: z.int().min(0).optional(),
    endTime: z.int().min(0),
    interval: z.enum(INTERVALS),
    /** `all` unless given. */
    adjustment: z.enum(['raw', 'split', 'dividend', 'spin-off', 'all']).optional(),
    limit: z.int().min(1).max(5000).optional(),
  }),
  response: rowsOf(
    z
      .object({
        open: z.number(),
        high: z.number(),
        low: z.number(),
        close: z.number(),
        volume: z.number(),
        timestamp: z.int(),
      })
      .superRefine((bar, context) => {
        const message = brokenBar(bar);
        if (message !== null) context.addIssue({ code: 'custom', message });
      }),
  ),
});
