import { HOUR_MS } from '../../../core/brand.ts';
import { counted } from '../../../core/counted.ts';
import { ticksWithin } from '../../../figures/axis.ts';
import { draw } from '../../../figures/drawing.ts';
import { figure, type Figure } from '../../../figures/figure.ts';
import { signed, written } from '../../../figures/format.ts';
import { markup, type Markup } from '../../../figures/markup.ts';
import { rangeButtons } from '../../../figures/rangeButtons.ts';
import type { RunRecord } from '../../../report/runRecord.ts';
import { drawnSeries, heldValues, panelsOf, placeAmong } from '../../../figures/series.ts';
import { newYorkMinute } from '../../parts/times.ts';
import type { DayEquity, PlottedColumns, QuoteCandles } from '../../../ops/model/past.ts';
import type { ChartData, Column, Drawing } from '../../../figures/chartData.ts';
import type { Segment } from '../../../figures/intraday.ts';

/** Price of a stock at which the bot will sell or buy. */
export type Level = Readonly<{ price: number; style: string }>;

type TimeFigure = Omit<Figure, 'scale' | 'area' | 'marks' | 'along' | 'data'> &
  Readonly<{ times: readonly string[]; columns: readonly Column[]; drawing: Drawing }>;

/** Figure with a time axis in New York time. */
function timeFigure({ times, columns, drawing, ...parts }: TimeFigure): Markup {
  const whole = { from: 0, to: times.length };
  const data: ChartData = {
    kind: 'line',
    span: Math.max(times.length, 1),
    of: 'Time',
    labels: times,
    columns,
  };
  const { scale, area, marks } = draw(data, drawing, whole);
  return figure({
    ...parts,
    wide: true,
    scale,
    area,
    ...(drawing.kind === 'candles' && { marks: markup`<g class="pins">${marks}</g>` }),
    along: ticksWithin(times, whole),
    data: { ...data, drawing },
  });
}

/** Equity of a strategy within a session, next to what it would be without profit or loss since the open. */
export function dayFigure({ date, at, equity, capital }: DayEquity): Markup {
  const times = at.map(newYorkMinute);
  const earlier = (equity[0] ?? 0) - (capital[0] ?? 0);
  const unchanged = capital.map((amount) => amount + earlier);
  const profit = (equity.at(-1) ?? 0) - (unchanged.at(-1) ?? 0);
  return timeFigure({
    id: 'day',
    title: `Equity, ${date}`,
    summary: `${signed(profit, 'money')} mUSD since the open; ${written(equity.at(-1), 'money')} mUSD at ${times.at(-1)?.slice(11) ?? ''}.`,
    unit: 'mUSD',
    format: 'money',
    axis: 'day',
    keys: [
      { name: 'equity', mark: 's1' },
      { name: 'without profit or loss since the open', mark: 'held dashed' },
    ],
    times,
    columns: [
      { name: 'Equity', format: 'money', mark: 's1', values: equity },
      { name: 'Without profit or loss', format: 'money', mark: 'held dashed', values: unchanged },
    ],
    drawing: {
      kind: 'lines',
      lines: [
        { column: 1, style: 'held dashed' },
        { column: 0, style: 's1 strong' },
      ],
    },
  });
}

type Fill = RunRecord['fills'][number];
type Limit = NonNullable<RunRecord['limitOrders']>[number];
type CandleSpan = Readonly<{
  candles: QuoteCandles;
  fills: readonly Fill[];
  limits: readonly Limit[];
  levels: readonly Level[];
  series: readonly PlottedColumns[];
}>;

/** Candles of a stock with a strategy's fills, its resting limits, price levels the bot waits for, and its plots. */
export function candleFigure({ candles, fills, limits, levels, series }: CandleSpan): Markup {
  const { symbol, start, intervalMs } = candles;
  const times = start.map(newYorkMinute);
  const placeOf = (at: number) => placeAmong(start, at);
  const own = fills.filter((fill) => placeOf(fill.at) >= 0);
  const prices = columnsOf(candles, textsOf(own, placeOf, times.length));
  const over = series.filter((each) => each.symbol === symbol && each.panel === null);
  const plotted = drawnSeries(valuesOf(over, start), 'price');
  const drawing: Drawing = {
    kind: 'candles',
    pins: own.map(({ at, price, side }) => [placeOf(at) + 0.5, price, side]),
    segments: [
      ...limits.flatMap((limit) => limitLine(limit, times.length, placeOf)),
      ...levels.map(({ price, style }): Segment => [0, price, times.length, price, style]),
    ],
    lines: plotted.linesFrom(prices.length),
  };
  return timeFigure({
    id: `candles-${symbol}`,
    title: symbol,
    summary: `${written(candles.close.at(-1), 'price')} mUSD now; ${counted(own.length, 'fill')} in these candles of ${intervalMs / 60_000} min.`,
    unit: 'mUSD a share',
    format: 'price',
    height: 'high',
    axis: `candles-${symbol}`,
    keys: [...KEYS, ...plotted.keys],
    controls: rangeButtons(symbol, rangesOf(intervalMs)),
    times,
    columns: [...prices, ...plotted.columns],
    drawing,
  });
}

/** A limit order from placing to end, or still resting: solid if it has filled, otherwise dashed. None from before the candles. */
function limitLine(
  { from, until, limit, side, filled, how }: Limit,
  count: number,
  placeOf: (at: number) => number,
): Segment[] {
  const style = `limit ${side === 'buy' ? 's3' : 's4'}${filled > 0 ? '' : ' dashed'}`;
  const end = how === 'open' ? count : placeOf(until) + 1;
  return end <= 0 ? [] : [[Math.max(placeOf(from), 0), limit, end, limit, style]];
}

const SESSION_MS = 6.5 * HOUR_MS;
/** Minimum number of candles in a range that a button offers. */
const SHOWN_MIN = 10;

/** Time ranges to choose from, with their numbers of candles. */
function rangesOf(intervalMs: number): (readonly [string, number])[] {
  const parts = [
    ['1 h', HOUR_MS],
    ['Session', SESSION_MS],
    ['5 sessions', 5 * SESSION_MS],
  ] as const;
  const long = parts.map(([name, ms]) => [name, Math.round(ms / intervalMs)] as const);
  return [...long.filter(([, count]) => count >= SHOWN_MIN), ['All', 0]];
}

const valuesOf = (series: readonly PlottedColumns[], start: readonly number[]) =>
  series.map((each) => ({
    name: each.name,
    values: heldValues(each, start.length, (at) => placeAmong(start, at)),
  }));

/** Panels that a strategy plots for a stock, then those for the whole strategy, aligned with the stock's candles. */
export const panelFigures = ({ symbol, start }: QuoteCandles, series: readonly PlottedColumns[]): Markup[] =>
  [...panelsOf(series, symbol), ...panelsOf(series, null)].map(([title, own], index) =>
    panelFigure({ id: `panel-${symbol}-${index + 1}`, title, axis: `candles-${symbol}`, start, series: own }),
  );

type Panel = Readonly<{
  id: string;
  title: string;
  axis: string;
  start: readonly number[];
  series: readonly PlottedColumns[];
}>;

function panelFigure({ id, title, axis, start, series }: Panel): Markup {
  const times = start.map(newYorkMinute);
  const { columns, linesFrom, keys } = drawnSeries(valuesOf(series, start), 'general');
  const latest = columns.map(({ name, values }) => `${name} ${written(lastOf(values), 'general')}`);
  return timeFigure({
    id,
    title,
    summary: `Plotted by the strategy: ${latest.join(', ')}.`,
    unit: series.map(({ name }) => name).join(', '),
    format: 'general',
    height: 'low',
    axis,
    keys: keys.length > 1 ? keys : [],
    times,
    columns,
    drawing: { kind: 'lines', lines: linesFrom(0) },
  });
}

const lastOf = (values: Column['values']): number | null => {
  const last = values.findLast((value) => value !== null);
  return typeof last === 'number' ? last : null;
};

const KEYS = [
  { name: 'bought', mark: 'pin-key buy' },
  { name: 'sold', mark: 'pin-key sell' },
  { name: 'limit to buy', mark: 's3' },
  { name: 'limit to sell, stop or target', mark: 's4' },
];

const columnsOf = ({ open, high, low, close }: QuoteCandles, fills: Column['values']): Column[] => [
  { name: 'Open', format: 'price', values: open },
  { name: 'High', format: 'price', values: high },
  { name: 'Low', format: 'price', values: low },
  { name: 'Close', format: 'price', values: close },
  // Quotes have no volume.
  { name: 'Volume', format: 'round', values: [] },
  { name: 'Fills', values: fills },
];

/** Text about the fills of each candle; null for a candle without any. */
function textsOf(fills: readonly Fill[], placeOf: (at: number) => number, count: number): (string | null)[] {
  const texts = Array.from<string | null>({ length: count }).fill(null);
  for (const { at, side, shares, price, reason } of fills) {
    const text = `${side} ${written(shares, 'shares')} @ ${written(price, 'price')}${reason === '' ? '' : `: ${reason}`}`;
    const place = placeOf(at);
    const before = texts[place] ?? null;
    texts[place] = before === null ? text : `${before}\n${text}`;
  }
  return texts;
}
