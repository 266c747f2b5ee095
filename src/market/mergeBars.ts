import { countWhile } from '../core/countWhile.ts';
import { columnsOf, BAR_FIELDS, mapColumns, type BarColumns } from '../domain/barColumns.ts';

/** Bar that differs between two sources. `stored` and `found`: open, high, low, close, volume. */
export type Difference = Readonly<{ start: number; stored: readonly number[]; found: readonly number[] }>;

type MergeResult = Readonly<{ columns: BarColumns; added: number; differences: readonly Difference[] }>;

/**
 * Merges found bars into stored ones. For a bar in both, the stored one is kept or, with `overwrite`, the found one; if
 * their numbers differ, the difference is returned.
 */
export function mergeBars(stored: BarColumns, found: BarColumns, overwrite = false): MergeResult {
  const merged = columnsOf(stored.start.length + found.start.length);
  const differences: Difference[] = [];
  let [s, f, count] = [0, 0, 0];
  while (s < stored.start.length || f < found.start.length) {
    const [ofStored, ofFound] = [stored.start[s] ?? Infinity, found.start[f] ?? Infinity];
    const both = ofStored === ofFound;
    if (both && !sameBar(stored, s, { columns: found, index: f }))
      differences.push({ start: ofStored, stored: numbersOf(stored, s), found: numbersOf(found, f) });
    if (ofFound < ofStored || (both && overwrite)) copyBar(found, f, { columns: merged, index: count });
    else copyBar(stored, s, { columns: merged, index: count });
    if (ofStored <= ofFound) s++;
    if (ofFound <= ofStored) f++;
    count++;
  }
  return { columns: cutTo(merged, 0, count), added: count - stored.start.length, differences };
}

type Place = Readonly<{ columns: BarColumns; index: number }>;

function copyBar(from: BarColumns, at: number, { columns, index }: Place): void {
  for (const field of BAR_FIELDS) columns[field][index] = from[field][at] ?? NaN;
}

const sameBar = (a: BarColumns, at: number, { columns, index }: Place): boolean =>
  BAR_FIELDS.every((field) => Object.is(a[field][at], columns[field][index]));

const numbersOf = ({ open, high, low, close, volume }: BarColumns, at: number): number[] =>
  [open, high, low, close, volume].map((column) => column[at] ?? NaN);

/** Copy of the bars from `from` up to, but excluding, `to`. */
export const cutTo = (columns: BarColumns, from: number, to: number): BarColumns =>
  mapColumns(columns, (column) => column.slice(from, to));

export type BarRow = Readonly<Record<(typeof BAR_FIELDS)[number], number>>;

/** Columns of rows, ordered by start; of rows with the same start, the first is kept. */
export function columnsOfRows(rows: readonly BarRow[]): BarColumns {
  const sorted = [...rows].sort((a, b) => a.start - b.start);
  const single = sorted.filter((row, index) => row.start !== sorted[index - 1]?.start);
  const columns = columnsOf(single.length);
  single.forEach((row, index) => {
    for (const field of BAR_FIELDS) columns[field][index] = row[field];
  });
  return columns;
}

/** Number of bars that start before an instant. */
export const countBefore = (start: Float64Array, at: number): number =>
  countWhile(start, (begin) => begin < at);

/** Span from `from` up to, but excluding, `to`, in epoch ms. */
export type Span = Readonly<{ from: number; to: number }>;

/** Spans in order, merged where they touch. */
export function joinedSpans(spans: readonly Span[]): Span[] {
  const joined: { from: number; to: number }[] = [];
  for (const { from, to } of [...spans].sort((a, b) => a.from - b.from)) {
    const last = joined.at(-1);
    if (last && from <= last.to) last.to = Math.max(last.to, to);
    else if (from < to) joined.push({ from, to });
  }
  return joined;
}

/** Parts of a span that none of the others covers. */
export function missingSpans({ from, to }: Span, held: readonly Span[]): Span[] {
  const missing: Span[] = [];
  let at = from;
  for (const span of joinedSpans(held)) {
    if (span.from > at) missing.push({ from: at, to: Math.min(span.from, to) });
    at = Math.max(at, span.to);
  }
  if (at < to) missing.push({ from: at, to });
  return missing.filter((span) => span.from < span.to);
}
