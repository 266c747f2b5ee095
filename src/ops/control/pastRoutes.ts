import { z } from 'zod';
import { INTERVAL_MS, INTERVALS, isIntraday } from '../../domain/bar.ts';
import {
  dayEquitySchema,
  journalPageSchema,
  orderLifeSchema,
  orderPageSchema,
  plotAnswerSchema,
  quoteCandlesSchema,
  runComparisonSchema,
  runListSchema,
} from '../model/past.ts';
import type { PastReads } from '../past/pastReads.ts';
import type { Question } from '../past/question.ts';
import { count, numberIn, ok, type Route } from './route.ts';
import { symbol } from './steering.ts';

export type PastParts = Readonly<{ past: PastReads }>;

/** Field that may be missing: null is then asked for. */
const orNull = <T extends z.ZodType>(optional: T) => optional.transform((value) => value ?? null);
const word = z.string().min(1).max(100);
const strategy = orNull(word.optional().describe('id of a strategy; the whole account without it'));
const date = z.string().regex(/^\d{4}-\d\d-\d\d$/, 'must be a date: YYYY-MM-DD');
const instant = numberIn(0, Number.MAX_SAFE_INTEGER).describe('ms since 1970, UTC');

const before = orNull(
  numberIn(1, Number.MAX_SAFE_INTEGER).optional().describe('number of the entry before which to look'),
);

const searchQuery = z.strictObject({
  kind: orNull(
    z
      .string()
      .max(500)
      .optional()
      .describe('kinds of entries with commas between; all but prices without it'),
  ),
  strategy: orNull(word.optional()),
  symbol: orNull(symbol.optional()),
  text: orNull(word.optional().describe('text that an entry has somewhere')),
  before,
  count,
});
const orderQuery = z.strictObject({
  strategy: orNull(word.optional()),
  symbol: orNull(symbol.optional()),
  status: orNull(word.optional().describe('status such as `filled`; `open` for all that have not ended')),
  date: orNull(date.optional().describe('day in New York on which the order was planned; any without it')),
  text: orNull(word.optional().describe('text of id, terms, reason or tag')),
  before,
  count,
});
const dayQuery = z.strictObject({
  date: orNull(date.optional().describe('session by its date in New York; the latest without it')),
  strategy,
  each: z
    .stringbool({ truthy: ['true'], falsy: ['false'] })
    .default(false)
    .describe('`true`: every strategy, too'),
});
const candleQuery = z.strictObject({
  symbol,
  interval: z.enum(INTERVALS).refine(isIntraday, 'must be shorter than a day').default('5m'),
  from: instant,
  to: instant.default(Number.MAX_SAFE_INTEGER),
});

/** Longest id of a run: the name of a file in the folder of saved records, or a strategy of this run. */
const RUN_ID_MAX = 300;
const runId = z.string().min(1).max(RUN_ID_MAX).describe('id of a run, as `GET /v1/runs` names it');
const runsQuery = z.strictObject({
  kind: orNull(
    z
      .enum(['saved', 'live'])
      .optional()
      .describe('`saved`: records in the folder; `live`: those of this run; both without it'),
  ),
});
const comparisonQuery = z.strictObject({ a: runId, b: runId });

const recordQuery = z.strictObject({
  strategy,
  since: orNull(
    numberIn(0, Number.MAX_SAFE_INTEGER)
      .optional()
      .describe(
        'number of an entry, as `seq` of an earlier answer: decisions, orders, fills and limits that changed after it',
      ),
  ),
});
const plotQuery = candleQuery.extend({
  strategy: word.describe('id of a strategy'),
  symbol: orNull(symbol.optional().describe('stock: its series, and those of no stock; all without it')),
});
type PastRead = Readonly<{
  path: string;
  summary: string;
  query?: z.ZodType;
  answer: z.ZodType;
  question: (query: unknown, id: string) => Question;
}>;

const READS: readonly PastRead[] = [
  {
    path: '/v1/record',
    summary:
      'Record of the run, as `drover report --state` draws it: metrics, closes of sessions, decisions, orders, fills, lots. `since` leaves out what has not changed, and trades, logs, plots, stops, events and candles.',
    query: recordQuery,
    answer: z.looseObject({ format: z.number(), seq: z.number() }),
    question: (query) => ({ kind: 'record', ...recordQuery.parse(query) }),
  },
  {
    path: '/v1/orders/search',
    summary:
      'Orders of the whole journal that match, the latest first. Fewer than `count` are no end: `next` is the `before` of the next page.',
    query: orderQuery,
    answer: orderPageSchema,
    question: (query) => {
      const { count: limit, ...rest } = orderQuery.parse(query);
      return { kind: 'orders', limit, ...rest };
    },
  },
  {
    path: '/v1/orders/:id',
    summary: 'The whole life of an order: its decision, every change, and the very bytes that were sent.',
    answer: orderLifeSchema,
    question: (_query, id) => ({ kind: 'order', id }),
  },
  {
    path: '/v1/journal/search',
    summary:
      'Entries of the journal that match, newest first. Fewer than `count` are no end: `next` is the `before` of the next page.',
    query: searchQuery,
    answer: journalPageSchema,
    question: (query) => {
      const { kind, count: limit, ...rest } = searchQuery.parse(query);
      return { kind: 'journal', kinds: kind?.split(',') ?? null, limit, ...rest };
    },
  },
  {
    path: '/v1/day',
    summary:
      'Equity within a session, and `capital`: what it would be without trading. With `each`, those of every strategy at the same times, null before it has any.',
    query: dayQuery,
    answer: dayEquitySchema,
    question: (query) => ({ kind: 'day', ...dayQuery.parse(query) }),
  },
  {
    path: '/v1/candles',
    summary: 'Candles of a stock from the quotes that the run has seen, at most 5,000, the latest.',
    query: candleQuery,
    answer: quoteCandlesSchema,
    question: (query) => {
      const { interval, ...rest } = candleQuery.parse(query);
      return { kind: 'candles', intervalMs: INTERVAL_MS[interval], ...rest };
    },
  },
  {
    path: '/v1/runs',
    summary:
      'Runs that have a record, each with its headline: this run, its strategies, and the files of `drover backtest --save` in the folder `control.runs`, the newest first. A file that is no record says why.',
    query: runsQuery,
    answer: runListSchema,
    question: (query) => ({ kind: 'runs', of: runsQuery.parse(query).kind }),
  },
  {
    path: '/v1/runs/:id',
    summary:
      'Record of a run without its lists of trades, lots, fills, decisions, orders, log lines and candles: metrics and the closes of its sessions.',
    answer: z.looseObject({ format: z.number() }),
    question: (_query, id) => ({ kind: 'run', id }),
  },
  {
    path: '/v1/compare',
    summary:
      'Two runs side by side, as `drover compare` shows them, with the equity of both at each mark. Beside a file, `live` stands for all its strategies.',
    query: comparisonQuery,
    answer: runComparisonSchema,
    question: (query) => ({ kind: 'comparison', ...comparisonQuery.parse(query) }),
  },
  {
    path: '/v1/plots',
    summary:
      'Series that a strategy has plotted: the last value of each interval, null for a gap, at most 5,000, the latest.',
    query: plotQuery,
    answer: plotAnswerSchema,
    question: (query) => {
      const { interval, ...rest } = plotQuery.parse(query);
      return { kind: 'plots', intervalMs: INTERVAL_MS[interval], ...rest };
    },
  },
];

/** Endpoints that read the journal for longer than the loop of the run may wait: a thread of their own answers them. */
export const pastRoutesOf = ({ past }: PastParts): Route[] =>
  READS.map(({ question, ...read }) => ({
    method: 'GET',
    ...read,
    handle: async ({ query, params }) => ok(await past.ask(question(query, params['id'] ?? ''))),
  }));
