import { countWhile } from '../core/countWhile.ts';
import type { ChartData, Column, ColumnLine } from './chartData.ts';

/** Series to draw: values, oldest first, each valid from its instant (epoch ms); null starts a gap. */
export type Series = Readonly<{
  name: string;
  at: readonly number[];
  values: readonly (number | null)[];
}>;

/** Styles of series, distinct from candles and from each other; with more series they repeat, dashed. */
const STYLES = ['s5', 's2', 's7', 's6', 's8'];

const styleOf = (index: number): string => {
  const style = STYLES[index % STYLES.length] ?? '';
  return Math.floor(index / STYLES.length) % 2 === 0 ? style : `${style} dashed`;
};

/** Index of the last of some ordered instants or dates that is at or before another; −1 if there is none. */
export const placeAmong = <Instant extends number | string>(
  starts: readonly Instant[],
  at: Instant,
): number => countWhile(starts, (start) => start <= at) - 1;

/** Groups items by key, keeping their order. */
export function grouped<Item, Key>(
  items: readonly Item[],
  keyOf: (item: Item) => Key,
): ReadonlyMap<Key, readonly Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}

/** Value of a series at each position: the latest before the next position, between the first and the last value. */
export function heldValues(
  { at, values }: Series,
  count: number,
  placeOf: (at: number) => number,
): (number | null)[] {
  const own = new Map<number, number | null>();
  let last = -1;
  for (const [index, when] of at.entries()) {
    const place = placeOf(when);
    if (place < 0) continue;
    own.set(place, values[index] ?? null);
    last = Math.max(last, place);
  }
  let held: number | null = null;
  return Array.from({ length: count }, (_, place) => {
    if (place > last) return null;
    const value = own.get(place);
    if (value !== undefined) held = value;
    return held;
  });
}

/** Maximum number of texts shown per position. */
const TEXTS_MAX = 5;

/** Texts per position: the first ones, each on its own line, and the number of others; null if there are none. */
export function textsByPlace(
  texts: readonly (readonly [at: number, text: string])[],
  count: number,
  placeOf: (at: number) => number,
): (string | null)[] {
  const byPlace = grouped(texts, ([at]) => Math.max(0, placeOf(at)));
  return Array.from({ length: count }, (_, place) => {
    const own = (byPlace.get(place) ?? []).map(([, text]) => text);
    const more = own.length > TEXTS_MAX ? [`and ${own.length - TEXTS_MAX} more`] : [];
    return own.length === 0 ? null : [...own.slice(0, TEXTS_MAX), ...more].join('\n');
  });
}

/** Series with one value per position, ready to draw and describe. */
export function drawnSeries(
  series: readonly Readonly<{ name: string; values: ChartData['columns'][number]['values'] }>[],
  format: NonNullable<Column['format']>,
) {
  return {
    columns: series.map(({ name, values }, index) => ({ name, format, values, mark: styleOf(index) })),
    /** Lines of the columns. @param first number of columns before them */
    linesFrom: (first: number): readonly ColumnLine[] =>
      series.map((_, index) => ({ column: first + index, style: styleOf(index) })),
    keys: series.map(({ name }, index) => ({ name, mark: styleOf(index) })),
  };
}

/** Series by panel in order of appearance: those of one stock, or of a whole strategy. */
export function panelsOf<
  Item extends Readonly<{ name: string; symbol: string | null; panel: string | null }>,
>(series: readonly Item[], symbol: string | null): ReadonlyMap<string, readonly Item[]> {
  const own = series.filter((each) => each.symbol === symbol && (symbol === null || each.panel !== null));
  return grouped(own, ({ name, panel }) => panel ?? name);
}
