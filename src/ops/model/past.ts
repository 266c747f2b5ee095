import { z } from 'zod';
import type { Headline } from '../../report/headline.ts';
import { endedOrderSchema } from './status.ts';

/*
 * Shapes of the answers about the past of a run, and about other runs. Amounts are decimal strings in mUSD or shares, columns are float64
 * to draw and their times epoch ms; fields may be added.
 */

const text = z.string();
const entry = z.looseObject({ seq: z.number(), at: text, kind: text });
const numbers = z.array(z.number());
const known = z.array(z.number().nullable());

/** Order with its latest state in the journal. */
const orderRow = endedOrderSchema.extend({
  /** Number of its first entry. */
  seq: z.number(),
  plannedAt: text,
  /** Null while it is open. */
  endedAt: text.nullable(),
  /** Shares ordered; null for a buy by amount of money. */
  quantity: text.nullable(),
  /** Amount ordered in mUSD; null for an order by shares. */
  notional: text.nullable(),
  /** Limit price per share, in mUSD; null for a market order. */
  limit: text.nullable(),
  /** Fill price per share, in mUSD; null without a fill. */
  price: text.nullable(),
  fees: text.nullable(),
  txHash: text.nullable(),
});
export type OrderRow = Readonly<z.output<typeof orderRow>>;

/** Page of orders, the latest first. `next`: `before` of the next page; null at the first order of the journal. */
export const orderPageSchema = z.object({ orders: z.array(orderRow), next: z.number().nullable() });
export type OrderPage = Readonly<z.output<typeof orderPageSchema>>;

/** Complete life of an order according to the journal. */
export const orderLifeSchema = orderRow.extend({
  /** Order of the bot that it belongs to; null if none. */
  parent: z.object({ id: text, leg: text }).nullable(),
  /** Decision that caused it; null if the journal starts after it. */
  decision: z.object({ id: text, at: text, text, reason: text }).nullable(),
  /** Entries of the order and of its intent, oldest first. */
  entries: z.array(entry),
});
export type OrderLife = Readonly<Omit<z.output<typeof orderLifeSchema>, 'entries'> & { entries: object[] }>;

/** Page of entries, newest first. `next`: `before` of the next page; null at the beginning of the journal. */
export const journalPageSchema = z.object({ entries: z.array(entry), next: z.number().nullable() });

/** Money of one strategy; null before it has any. */
const strategyDay = z.object({ id: text, equity: known, capital: known });
export type StrategyDay = Readonly<z.output<typeof strategyDay>>;

/** Money within one session. `capital`: what equity would be without trading; the difference is the profit. */
export const dayEquitySchema = z.object({
  date: text,
  at: numbers,
  equity: numbers,
  capital: numbers,
  /** Strategies at the same times, if requested. */
  strategies: z.array(strategyDay).optional(),
});
export type DayEquity = Readonly<z.output<typeof dayEquitySchema>>;

/** Candles in columns, oldest first. Quotes have no volume. */
export const quoteCandlesSchema = z.object({
  symbol: text,
  intervalMs: z.number(),
  start: numbers,
  open: numbers,
  high: numbers,
  low: numbers,
  close: numbers,
});
export type QuoteCandles = Readonly<z.output<typeof quoteCandlesSchema>>;

const plotted = z.object({
  name: text,
  symbol: text.nullable(),
  panel: text.nullable(),
  at: numbers,
  values: known,
});
export type PlottedColumns = Readonly<z.output<typeof plotted>>;

/** Series of a strategy in columns, oldest first: the last value of each interval; null for a gap. */
export const plotAnswerSchema = z.object({ intervalMs: z.number(), series: z.array(plotted) });
export type PlotAnswer = Readonly<z.output<typeof plotAnswerSchema>>;

const number = z.number().nullable();
const equity = z.object({ start: text, end: text });
const headline = z.object({
  kind: z.enum(['backtest', 'dry-run', 'live', 'emulator']),
  strategy: text,
  symbols: z.array(text),
  from: text,
  to: text,
  runId: text,
  sessions: z.number(),
  marksPerYear: z.number(),
  trades: z.number(),
  pnl: text,
  fees: text,
  equity,
  metrics: z.record(text, number),
});
/**
 * Run with a record: `live` for this run, `live:ID` for one of its strategies, `live:strategies` for all strategies together, or
 * a file name in the folder. `headline` is null if the file is not a record, for the reason in `problem`.
 */
const row = z.object({
  id: text,
  kind: z.enum(['saved', 'live']),
  name: text,
  /** Time at which the file was written; null for this run, which is still active. */
  savedAt: text.nullable(),
  headline: headline.nullable(),
  problem: text.nullable().describe('what is wrong with a file; null for a record'),
});
export type RunRow = Readonly<Omit<z.output<typeof row>, 'headline'> & { headline: Headline | null }>;

/** Runs with a record. */
export const runListSchema = z.object({
  folder: text.describe('`control.runs` of the config'),
  problem: text.nullable().describe('why the folder cannot be read'),
  left: z.number().describe('older files that are not listed'),
  runs: z.array(row),
});

const compared = z.object({
  id: text,
  run: z.looseObject({ kind: text, strategy: text, from: text, to: text }),
  totals: z.object({ equity }),
  marks: z.array(z.looseObject({ date: text, at: z.number(), equity: z.number() })),
});
const difference = z.object({ name: text, a: text.nullable(), b: text.nullable() });
/** Two runs side by side. */
export const runComparisonSchema = z.object({
  a: compared,
  b: compared,
  same: z.boolean(),
  settings: z.array(difference),
  totals: z.array(difference),
  metrics: z.array(z.object({ name: text, a: number, b: number, difference: number })),
  trades: z.object({ a: z.number(), b: z.number() }),
  execution: z.looseObject({
    fills: z.object({ a: z.number(), b: z.number(), matched: z.number() }),
  }),
  firstTrade: z.looseObject({ index: z.number() }).nullable(),
});
