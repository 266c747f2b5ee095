import type { Format } from './format.ts';
import type { Intraday, Pin, Segment } from './intraday.ts';

/** Numbers of a chart, for its tooltip and its table. `mark` is the style of its line. */
export type Column = Readonly<{
  name: string;
  format?: Format;
  values: readonly (number | string | null)[];
  mark?: string;
}>;

export type ChartData = Readonly<{
  /** Meaning of a place on the chart: the nearest point along, the band that it is in, or the nearest point around. */
  kind: 'line' | 'bands' | 'points';
  /** Width of the plot in its own units. */
  span: number;
  /** Meaning of `labels`, as the head of the first column. */
  of: string;
  /** One for each point; or, of the sessions of the run, those at `at`, or around it. */
  labels: readonly string[] | 'sessions';
  /** Places along the width; without them each point has one unit. */
  at?: readonly number[];
  /** Label of the first point, where it is the state before the first unit: it stands at the left edge. */
  opening?: string;
  /** Width of each point of a line in units: it is drawn in the middle. Default 1; 0 for points within sessions. */
  step?: number;
  /** The same of each, if they differ. */
  widths?: readonly number[];
  /** Heights from the top, 0 to 1000, for `points`. */
  heights?: readonly number[];
  columns: readonly Column[];
  /** Clock times of points within sessions, behind their labels; empty for a point that is a session. */
  times?: readonly string[];
  /** Its drawing from the columns, for a chart that can be enlarged. */
  drawing?: Drawing;
  /** Candles within sessions, shown where its range is short. */
  intraday?: Intraday;
}>;

export type Key = Readonly<{ name: string; mark: string }>;

/** Line of the numbers of a column. `areaTo`: level down to which it is filled. */
export type ColumnLine = Readonly<{ column: number; style: string; areaTo?: number }>;

/**
 * Drawing of a chart that can be enlarged, from the numbers of its columns. The report draws the whole of it once, and
 * the browser draws the part that is shown by the same function.
 */
export type Drawing = LineDrawing | CandleDrawing;

export type LineDrawing = Readonly<{
  kind: 'lines';
  lines: readonly ColumnLine[];
  zero?: boolean;
  /** Equal ratios take equal heights, while all values are above 0. */
  isLog?: boolean;
  shades?: readonly Shade[];
}>;

/** Its first five columns are open, high, low, close and volume. */
export type CandleDrawing = Readonly<{
  kind: 'candles';
  pins: readonly Pin[];
  /** From the entry of each trade to its exit. */
  trades?: readonly Segment[];
  /** Index of the trade that stands out. */
  chosen?: number | null;
  segments: readonly Segment[];
  /** Drawn over the candles. */
  lines?: readonly ColumnLine[];
}>;

/** Stretch with a soft ground, from and to places along the width, and its style. */
export type Shade = readonly [from: number, to: number, style: string];
