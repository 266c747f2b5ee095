/** Names of those entries of the journal that are asked for, newest first. */
export type JournalFilter = Readonly<{
  /** Stored kinds; null for all but those that only show prices. */
  kinds: readonly string[] | null;
  strategy: string | null;
  symbol: string | null;
  /** Text that an entry has somewhere, in any case. */
  text: string | null;
  /** Entries before this number; null from the end of the journal. */
  before: number | null;
  limit: number;
}>;

/** Orders that are asked for, the latest first. */
export type OrderFilter = Readonly<{
  strategy: string | null;
  symbol: string | null;
  /** Status such as `filled`, or `open` for all that have not ended; null for any. */
  status: string | null;
  /** Day in New York on which they were planned. */
  date: string | null;
  /** Text of their id, terms, reason or tag, in any case. */
  text: string | null;
  /** Orders before the entry of this number; null from the latest. */
  before: number | null;
  limit: number;
}>;

/** Session by its date in New York, null for the latest. `strategy`: null for the account; `each`: every strategy, too. */
export type DayQuery = Readonly<{ date: string | null; strategy: string | null; each: boolean }>;

/** Stretch of time of one stock. `from` and `to`: epoch ms, `to` excluded. */
export type CandleQuery = Readonly<{ symbol: string; intervalMs: number; from: number; to: number }>;

/** Records of runs: those in the folder of saved ones, or those of this run. */
export type RecordKind = 'saved' | 'live';
/** Stretch of time of the series of one strategy. `symbol`: those of this stock, and of none; null for all. Times as for candles. */
export type PlotQuery = Readonly<{
  strategy: string;
  symbol: string | null;
  intervalMs: number;
  from: number;
  to: number;
}>;

/** Question about the past of a run that takes longer than its loop may wait. */
export type Question = Readonly<
  /** `since`: number of an entry; the lists then have what has changed after it alone. */
  | { kind: 'record'; strategy: string | null; since: number | null }
  | { kind: 'order'; id: string }
  | ({ kind: 'orders' } & OrderFilter)
  | ({ kind: 'journal' } & JournalFilter)
  | ({ kind: 'day' } & DayQuery)
  | ({ kind: 'candles' } & CandleQuery)
  /** `of`: null for records of both kinds. */
  | { kind: 'runs'; of: RecordKind | null }
  | { kind: 'run'; id: string }
  /** `a` and `b`: ids of runs. */
  | { kind: 'comparison'; a: string; b: string }
  | ({ kind: 'plots' } & PlotQuery)
>;

/** Refusal of a question: nothing of that name is there, or nothing that can be read. Its message is shown as it is. */
export class NothingFound extends Error {}
