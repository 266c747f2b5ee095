import { z } from 'zod';
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
import {
  candleQuery,
  candlesAsked,
  comparisonQuery,
  dayQuery,
  journalAsked,
  orderQuery,
  ordersAsked,
  plotQuery,
  plotsAsked,
  recordQuery,
  runsQuery,
  searchQuery,
  type Question,
} from '../past/question.ts';
import { ok, type ReadRoute, type Route } from './route.ts';

export type PastParts = Readonly<{ past: PastReads }>;

const READS: readonly (ReadRoute & Readonly<{ question: (query: unknown, id: string) => Question }>)[] = [
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
      'Orders of the whole journal that match, the latest first. Fewer than `count` do not mean the end: `next` is the `before` of the next page.',
    query: orderQuery,
    answer: orderPageSchema,
    question: ordersAsked,
  },
  {
    path: '/v1/orders/:id',
    summary: 'The whole life of an order: its decision, every change, and the exact bytes that were sent.',
    answer: orderLifeSchema,
    question: (_query, id) => ({ kind: 'order', id }),
  },
  {
    path: '/v1/journal/search',
    summary:
      'Entries of the journal that match, newest first. Fewer than `count` do not mean the end: `next` is the `before` of the next page.',
    query: searchQuery,
    answer: journalPageSchema,
    question: journalAsked,
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
    question: candlesAsked,
  },
  {
    path: '/v1/runs',
    summary:
      'Runs that have a record, each with its headline: this run, its strategies, and the files of `drover backtest --save` in the folder `control.runs`, the newest first. A file that is not a record says why.',
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
    question: plotsAsked,
  },
];

/** Endpoints whose journal reads are too long for the run's event loop: a separate thread answers them. */
export const pastRoutesOf = ({ past }: PastParts): Route[] =>
  READS.map(({ question, ...read }) => ({
    method: 'GET',
    ...read,
    handle: async ({ query, params }) => ok(await past.ask(question(query, params['id'] ?? ''))),
  }));
