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
  /** Selection by a pointer's position: the nearest point along the width, the band around it, or the nearest point overall. */
  kind: 'line' | 'bands' | 'points';
  /** Width of the plot in axis units. */
  span: number;
  /** Meaning of `labels`, as the head of the first column. */
  of: string;
  /** One for each point; or `sessions`: dates of the run's sessions, at the positions in `at` if given. */
  labels: readonly string[] | 'sessions';
  /** Positions along the width; without them, each point takes one unit. */
  at?: readonly number[];
  /** Label of the first point if it is the state before the first unit, drawn at the left edge. */
  opening?: string;
  /** Width of each point of a line in units, drawn in its middle. Default 1; 0 for intraday points. */
  step?: number;
  /** Widths of the points, if they differ. */
  widths?: readonly number[];
  /** Heights from the top, 0 to 1000, for `points`. */
  heights?: readonly number[];
  columns: readonly Column[];
  /** Times of intraday points, shown after their labels; empty for a point that is a session. */
  times?: readonly string[];
  /** Drawing from the columns, for a chart that can be zoomed. */
  drawing?: Drawing;
  /** Intraday candles, shown over a short range. */
  intraday?: Intraday;
}>;

export type Key = Readonly<{ name: string; mark: string }>;

/** Line for a column. `areaTo`: level down to which the area is filled. */
export type ColumnLine = Readonly<{ column: number; style: string; areaTo?: number }>;

/**
 * Drawing of a zoomable chart from the numbers of its columns. The report draws all of it once, and the browser draws
 * the visible part with the same function.
 */
export type Drawing = LineDrawing | CandleDrawing;

export type LineDrawing = Readonly<{
  kind: 'lines';
  lines: readonly ColumnLine[];
  zero?: boolean;
  /** Draws equal ratios at equal heights, while all values are above 0. */
  isLog?: boolean;
  shades?: readonly Shade[];
}>;

/** Candle drawing; its first five columns are open, high, low, close and volume. */
export type CandleDrawing = Readonly<{
  kind: 'candles';
  pins: readonly Pin[];
  /** Lines from the entry to the exit of each trade. */
  trades?: readonly Segment[];
  /** Index of the highlighted trade. */
  chosen?: number | null;
  segments: readonly Segment[];
  /** Lines drawn over the candles. */
  lines?: readonly ColumnLine[];
}>;

/** Range with a shaded background, and its style. */
export type Shade = readonly [from: number, to: number, style: string];
