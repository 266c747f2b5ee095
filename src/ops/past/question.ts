import { z } from 'zod';
import { INTERVAL_MS, INTERVALS, isIntraday } from '../../domain/bar.ts';
import type { Ending, Order } from '../../domain/orders/order.ts';
import { count, numberIn } from '../control/route.ts';
import { symbol } from '../control/steering.ts';
import { KIND_BY_STORED_NAME } from '../../store/storedNames.ts';

/** Optional field: null if missing. */
const orNull = <T extends z.ZodType>(optional: T) => optional.transform((value) => value ?? null);
const word = z.string().min(1).max(100);
const strategy = orNull(word.optional().describe('id of a strategy; without it the whole account'));
const date = z.iso.date('must be a date: YYYY-MM-DD');
const instant = numberIn(0, Number.MAX_SAFE_INTEGER).describe('ms since 1970, UTC');

const before = orNull(
  numberIn(1, Number.MAX_SAFE_INTEGER)
    .optional()
    .describe('number of an entry; only earlier ones are returned'),
);

const KINDS: ReadonlySet<string> = new Set([...KIND_BY_STORED_NAME].flat());
const isKind = (text: string): boolean => KINDS.has(text);

export const searchQuery = z.strictObject({
  kind: orNull(
    z
      .string()
      .max(500)
      .optional()
      .refine((text) => text?.split(',').every(isKind) ?? true, 'names a kind that no entry has')
      .describe('kinds of entries with commas between; all but prices without it'),
  ),
  strategy: orNull(word.optional()),
  symbol: orNull(symbol.optional()),
  text: orNull(word.optional().describe('text contained anywhere in an entry')),
  before,
  count,
});
type Status = 'open' | Exclude<Order['state']['kind'], 'closed'> | Ending;

/** Every status in a list of orders, and `open`; a missing one is a compile error. */
const STATUSES: Readonly<Record<Status, true>> = {
  open: true,
  planned: true,
  sent: true,
  unknown: true,
  acknowledged: true,
  working: true,
  filled: true,
  cancelled: true,
  expired: true,
  rejected: true,
  refused: true,
  reverted: true,
  neverExisted: true,
  abandoned: true,
};

export const orderQuery = z.strictObject({
  strategy: orNull(word.optional()),
  symbol: orNull(symbol.optional()),
  status: orNull(
    word
      .refine((text) => Object.hasOwn(STATUSES, text), 'is not a status of an order')
      .optional()
      .describe('status such as `filled`; `open` for all that have not ended'),
  ),
  date: orNull(date.optional().describe('day in New York on which the order was planned; any without it')),
  text: orNull(word.optional().describe('text contained in id, terms, reason or tag')),
  before,
  count,
});
export const dayQuery = z.strictObject({
  date: orNull(date.optional().describe('session by its date in New York; the latest without it')),
  strategy,
  each: z
    .stringbool({ truthy: ['true'], falsy: ['false'] })
    .default(false)
    .describe('`true`: every strategy, too'),
});
export const candleQuery = z.strictObject({
  symbol,
  interval: z.enum(INTERVALS).refine(isIntraday, 'must be shorter than a day').default('5m'),
  from: instant,
  to: instant.default(Number.MAX_SAFE_INTEGER),
});

/** Maximum length of a run's id: a file name in the folder of saved records, or a strategy of this run. */
const RUN_ID_MAX = 300;
const runId = z.string().min(1).max(RUN_ID_MAX).describe('id of a run, as `GET /v1/runs` names it');
export const runsQuery = z.strictObject({
  kind: orNull(
    z
      .enum(['saved', 'live'])
      .optional()
      .describe('`saved`: records in the folder; `live`: those of this run; both without it'),
  ),
});
export const comparisonQuery = z.strictObject({ a: runId, b: runId });

export const recordQuery = z.strictObject({
  strategy,
  since: orNull(
    numberIn(0, Number.MAX_SAFE_INTEGER)
      .optional()
      .describe(
        'number of an entry, as `seq` of an earlier answer: decisions, orders, fills and limits that changed after it',
      ),
  ),
});
export const plotQuery = candleQuery.extend({
  strategy: word.describe('id of a strategy'),
  symbol: orNull(symbol.optional().describe('stock: its series, and those of no stock; all without it')),
});

/** Requested orders, latest first. `status`: such as `filled`, or `open`. Null for any. */
export function ordersAsked(query: unknown) {
  const { count: limit, ...rest } = orderQuery.parse(query);
  return { kind: 'orders' as const, limit, ...rest };
}
export type OrderFilter = Omit<ReturnType<typeof ordersAsked>, 'kind'>;

/** Requested journal entries, newest first. `kinds`: stored kinds; null for all except those that only record prices. */
export function journalAsked(query: unknown) {
  const { kind, count: limit, ...rest } = searchQuery.parse(query);
  return { kind: 'journal' as const, kinds: kind?.split(',') ?? null, limit, ...rest };
}
export type JournalFilter = Omit<ReturnType<typeof journalAsked>, 'kind'>;

/** Time range of one stock. `from` and `to`: epoch ms, `to` exclusive. */
export function candlesAsked(query: unknown) {
  const { interval, ...rest } = candleQuery.parse(query);
  return { kind: 'candles' as const, intervalMs: INTERVAL_MS[interval], ...rest };
}
export type CandleQuery = Omit<ReturnType<typeof candlesAsked>, 'kind'>;

/** Time range of one strategy's series. `symbol`: those of this stock, and those of none; null for all. */
export function plotsAsked(query: unknown) {
  const { interval, ...rest } = plotQuery.parse(query);
  return { kind: 'plots' as const, intervalMs: INTERVAL_MS[interval], ...rest };
}
export type PlotQuery = Omit<ReturnType<typeof plotsAsked>, 'kind'>;

export type DayQuery = z.output<typeof dayQuery>;
/** Records of runs: those saved in the folder, or those of this run; null for both. */
export type RecordKind = z.output<typeof runsQuery>['kind'];

/** Question about a run's history that takes too long for its event loop. */
export type Question = Readonly<
  /** `since`: number of an entry; the lists then contain only what changed after it. */
  | ({ kind: 'record' } & z.output<typeof recordQuery>)
  | { kind: 'order'; id: string }
  | ReturnType<typeof ordersAsked>
  | ReturnType<typeof journalAsked>
  | ({ kind: 'day' } & DayQuery)
  | ReturnType<typeof candlesAsked>
  | { kind: 'runs'; of: RecordKind }
  | { kind: 'run'; id: string }
  | ({ kind: 'comparison' } & z.output<typeof comparisonQuery>)
  | ReturnType<typeof plotsAsked>
>;

/** Refusal of a question: the named object does not exist, or is unreadable. Its message is shown unchanged. */
export class NothingFound extends Error {}
