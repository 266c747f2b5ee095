import { z } from 'zod';

/* Shapes of the answers of `GET /v1/runs` and `GET /v1/compare`. Amounts are decimal strings in mUSD; fields may be added. */

const text = z.string();
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
const row = z.object({
  id: text,
  kind: z.enum(['saved', 'live']),
  name: text,
  savedAt: text.nullable(),
  headline: headline.nullable(),
  problem: text.nullable().describe('what is wrong with a file; null for a record'),
});
/** Runs that have a record. */
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
