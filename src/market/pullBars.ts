import type { TradingCalendar } from '../calendar/index.ts';
import { epochMs } from '../core/brand.ts';
import { INTERVAL_MS, isIntraday, type Interval } from '../domain/bar.ts';
import type { Ticker } from '../domain/instrument.ts';
import { columnsOf } from '../domain/barColumns.ts';
import { barEnd } from './series.ts';
import {
  columnsOfRows,
  countBefore,
  mergeBars,
  type BarRow,
  type Difference,
  joinedSpans,
  missingSpans,
  type Span,
} from './mergeBars.ts';
import type { StoredBars } from './barStore.ts';
import type { Part, Source } from './manifest.ts';

/** Query for past bars, excluding those at `to`; the source returns the newest of the span, as many as it chooses. */
export type HistoryQuery = Span & Readonly<{ symbol: Ticker; interval: Interval; adjustment: 'raw' | 'all' }>;

/** Source of past bars. */
export type History = Readonly<{
  source: Source;
  now(): number;
  bars(query: HistoryQuery): Promise<readonly BarRow[]>;
}>;

export type PullOptions = Readonly<{
  symbol: Ticker;
  interval: Interval;
  /** Stored bars; null if there are none. */
  stored: StoredBars | null;
  span: Span;
  history: History;
  calendar: TradingCalendar;
  /** True to request stored bars too, and compare. */
  refetch: boolean;
  /** True to replace stored bars by found ones that differ. */
  overwrite: boolean;
  /** Saves bars from time to time, and at the end; saved bars are not requested again. */
  save: (bars: StoredBars) => void;
  /** `done` and `total` in ms of history. */
  onProgress: (progress: Readonly<{ done: number; total: number; bars: number }>) => void;
  signal: AbortSignal;
}>;

export type PullResult = Readonly<{
  bars: StoredBars | null;
  added: number;
  differences: readonly Difference[];
  /** Number of bars outside the regular sessions, which are left out. */
  outside: number;
}>;

/** Number of bars requested again next to a hole: if they are unchanged, both sides are adjusted alike. */
const OVERLAP = 5;
const PAGES_PER_SAVE = 10;
/** Possible delay of a source in ms. More recent spans count as complete only as far as bars were found. */
const LATE_MS = 15 * 60_000;

/**
 * Requests the missing bars of a span, newest first, and saves as it goes: an interrupted pull continues from there
 * next time. A forming bar is never kept.
 * @throws the source's error, and the reason of the signal; the bars found until then are saved
 */
export async function pullBars(options: PullOptions): Promise<PullResult> {
  const pull = new Pull(options);
  try {
    for (const span of pull.spans) await pull.fill(span);
  } finally {
    pull.save();
  }
  return pull.result;
}

class Pull {
  readonly spans: readonly Span[];
  readonly #options: PullOptions;
  readonly #total: number;
  #bars: StoredBars | null;
  #pages: Readonly<{ rows: readonly BarRow[]; part: Part }>[] = [];
  #done = 0;
  #found = 0;
  #added = 0;
  #outside = 0;
  #differences: Difference[] = [];

  constructor(options: PullOptions) {
    const { stored, span, refetch } = options;
    this.#options = options;
    this.#bars = stored;
    this.spans = (refetch ? [span] : missingSpans(span, stored?.parts ?? [])).reverse();
    this.#total = this.spans.reduce((sum, { from, to }) => sum + to - from, 0);
  }

  get result(): PullResult {
    const { added, differences, outside } = {
      added: this.#added,
      differences: this.#differences,
      outside: this.#outside,
    };
    return { bars: this.#bars, added, differences, outside };
  }

  /** Reads a span page by page from its end to its start. */
  async fill(span: Span): Promise<void> {
    const { history, signal } = this.#options;
    const from = this.#overlapBefore(span.from);
    let to = this.#overlapAfter(span.to);
    while (to > from) {
      signal.throwIfAborted();
      const now = history.now();
      const rows = await this.#page({ from, to });
      const oldest = rows.reduce((least, { start }) => Math.min(least, start), Infinity);
      const reached = rows.length === 0 || oldest <= this.#firstIn(from) ? from : oldest;
      this.#take(rows, { span: { from: reached, to }, now });
      to = reached;
    }
  }

  async #page({ from, to }: Span): Promise<readonly BarRow[]> {
    const { symbol, interval, history } = this.#options;
    const rows = await history.bars({ symbol, interval, adjustment: 'raw', from, to });
    return rows.filter(({ start }) => start >= from && start < to);
  }

  #take(rows: readonly BarRow[], { span, now }: Readonly<{ span: Span; now: number }>): void {
    const { interval, calendar, history } = this.#options;
    const inside = rows.filter(({ start }) => calendar.sessionAt(epochMs(start)));
    const endOf = (start: number) => barEnd({ start: epochMs(start), interval }, calendar);
    const finished = inside.filter(({ start }) => endOf(start) <= now);
    this.#outside += rows.length - inside.length;
    const newest = finished.reduce((latest, { start }) => Math.max(latest, endOf(start)), span.from);
    const forming = inside.reduce(
      (earliest, { start }) => (endOf(start) > now ? Math.min(earliest, start) : earliest),
      Infinity,
    );
    const held = Math.min(span.to, forming, Math.max(newest, now - LATE_MS));
    const part = { source: history.source, fetchedAt: now, from: span.from, to: Math.max(held, span.from) };
    this.#pages.push({ rows: finished, part });
    this.#done += span.to - span.from;
    this.#found += finished.length;
    if (this.#pages.length >= PAGES_PER_SAVE) this.save();
    const { onProgress } = this.#options;
    onProgress({ done: Math.min(this.#done, this.#total), total: this.#total, bars: this.#found });
  }

  save(): void {
    const { symbol, interval, overwrite, save } = this.#options;
    if (this.#pages.length === 0) return;
    const found = columnsOfRows(this.#pages.flatMap(({ rows }) => rows));
    const merged = mergeBars(this.#bars?.columns ?? columnsOf(0), found, overwrite);
    const parts = joinedParts([...(this.#bars?.parts ?? []), ...this.#pages.map(({ part }) => part)]);
    this.#pages = [];
    this.#added += merged.added;
    this.#differences.push(...merged.differences);
    if (merged.columns.start.length === 0) return;
    const factors = this.#bars?.factors ?? null;
    this.#bars = { symbol, interval, columns: merged.columns, parts, factors };
    save(this.#bars);
  }

  #overlapBefore(from: number): number {
    const start = this.#bars?.columns.start ?? new Float64Array();
    const before = countBefore(start, from);
    return before === 0 ? from : (start[Math.max(before - OVERLAP, 0)] ?? from);
  }

  #overlapAfter(to: number): number {
    const start = this.#bars?.columns.start ?? new Float64Array();
    const next = countBefore(start, to);
    return next === start.length ? to : (start[Math.min(next + OVERLAP, start.length) - 1] ?? to) + 1;
  }

  /** Earliest start of a bar in the span. */
  #firstIn(from: number): number {
    const { calendar, interval } = this.#options;
    const session = calendar.sessionAt(epochMs(from));
    const step = isIntraday(interval) ? INTERVAL_MS[interval] : Infinity;
    const into = session ? from - session.open : NaN;
    const start = session && into > 0 ? from + ((step - (into % step)) % step) : from;
    return session && start < session.close ? start : calendar.nextSession(epochMs(from)).open;
  }
}

/** Parts in order; adjacent ones of the same source are merged, with their latest fetch time. */
export function joinedParts(parts: readonly Part[]): Part[] {
  const names = new Map(parts.map(({ source }) => [JSON.stringify(source), source]));
  const joined = [...names].flatMap(([name, source]) => {
    const own = parts.filter((part) => JSON.stringify(part.source) === name);
    return joinedSpans(own).map((span) => {
      const within = own.filter(({ from, to }) => from >= span.from && to <= span.to);
      return { source, fetchedAt: Math.max(...within.map(({ fetchedAt }) => fetchedAt)), ...span };
    });
  });
  return joined.sort((a, b) => a.from - b.from);
}

/** All bars of a span, without saving them. */
export async function allBars(
  history: History,
  query: HistoryQuery,
  calendar: TradingCalendar,
): Promise<BarRow[]> {
  const all: BarRow[] = [];
  let { to } = query;
  const first = calendar.nextSession(epochMs(query.from - 1)).open;
  while (to > query.from) {
    const rows = (await history.bars({ ...query, to })).filter(
      ({ start }) => start >= query.from && start < to,
    );
    if (rows.length === 0) break;
    all.push(...rows);
    to = Math.min(...rows.map(({ start }) => start));
    if (to <= first) break;
  }
  return all.sort((a, b) => a.start - b.start);
}
