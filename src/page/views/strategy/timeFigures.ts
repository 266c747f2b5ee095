import { ticksWithin } from '../../../figures/axis.ts';
import type { Segment } from '../../../figures/candles.ts';
import { draw, type Drawing } from '../../../figures/drawing.ts';
import { figure, type ChartData, type Column } from '../../../figures/figure.ts';
import { signed, written } from '../../../figures/format.ts';
import { markup, type Markup } from '../../../figures/markup.ts';
import { rangeButtons } from '../../../figures/rangeButtons.ts';
import type { RunRecord } from '../../../report/runRecord.ts';
import { newYorkMinute } from '../../parts/times.ts';

/** Equity within a session, as `GET /v1/day` tells it. */
export type Day = Readonly<{
  date: string;
  at: readonly number[];
  equity: readonly number[];
  capital: readonly number[];
}>;

/** Candles, as `GET /v1/candles` tells them. */
export type Candles = Readonly<{
  symbol: string;
  intervalMs: number;
  start: readonly number[];
  open: readonly number[];
  high: readonly number[];
  low: readonly number[];
  close: readonly number[];
}>;

/** Price of a stock at which the bot sells or buys from now on. */
export type Level = Readonly<{ price: number; style: string }>;

const axisOf = (times: readonly string[]) => ({
  span: Math.max(times.length, 1),
  along: ticksWithin(times, { from: 0, to: times.length }),
});

/** Equity of a strategy within a session, beside what it would be without trading. */
export function dayFigure({ date, at, equity, capital }: Day): Markup {
  const times = at.map(newYorkMinute);
  const data: ChartData = {
    kind: 'line',
    span: Math.max(times.length, 1),
    of: 'Time',
    labels: times,
    columns: [
      { name: 'Equity', format: 'money', mark: 's1', values: equity },
      { name: 'Without trading', format: 'money', mark: 'held dashed', values: capital },
    ],
  };
  const drawing: Drawing = {
    kind: 'lines',
    lines: [
      { column: 1, style: 'held dashed' },
      { column: 0, style: 's1 strong' },
    ],
  };
  const { scale, area } = draw(data, drawing, { from: 0, to: times.length });
  const profit = (equity.at(-1) ?? 0) - (capital.at(-1) ?? 0);
  return figure({
    id: 'day',
    title: `Equity, ${date}`,
    summary: `${signed(profit, 'money')} mUSD in this session; ${written(equity.at(-1), 'money')} mUSD now.`,
    unit: 'mUSD',
    format: 'money',
    wide: true,
    axis: 'day',
    scale,
    area,
    ...axisOf(times),
    keys: [
      { name: 'equity', mark: 's1' },
      { name: 'without trading', mark: 'held dashed' },
    ],
    data: { ...data, drawing },
  });
}

type Fill = RunRecord['fills'][number];
type Candled = Readonly<{
  candles: Candles;
  fills: readonly Fill[];
  limits: NonNullable<RunRecord['limitOrders']>;
  levels: readonly Level[];
}>;

/** Candles of a stock with the fills of a strategy, its limits as they rested, and the levels at which the bot waits. */
export function candleFigure({ candles, fills, limits, levels }: Candled): Markup {
  const { symbol, start, intervalMs } = candles;
  const times = start.map(newYorkMinute);
  const placeOf = (at: number) => start.findLastIndex((each) => each <= at);
  const own = fills.filter((fill) => placeOf(fill.at) >= 0);
  const segments = [
    ...limits.map(({ from, until, limit, side, filled }): Segment => {
      const style = `limit ${side === 'buy' ? 's3' : 's4'}${filled > 0 ? '' : ' dashed'}`;
      return [Math.max(placeOf(from), 0), limit, placeOf(until) + 1, limit, style];
    }),
    ...levels.map(({ price, style }): Segment => [0, price, times.length, price, style]),
  ];
  const drawing: Drawing = {
    kind: 'candles',
    pins: own.map(({ at, price, side }) => [placeOf(at) + 0.5, price, side]),
    segments,
  };
  const data = dataOf(candles, times, textsOf(own, placeOf, times.length));
  const whole = { from: 0, to: times.length };
  const { scale, area, marks } = draw(data, drawing, whole);
  return figure({
    id: `candles-${symbol}`,
    title: symbol,
    summary: `${written(candles.close.at(-1), 'price')} mUSD now; ${own.length} fills in these candles of ${intervalMs / 60_000} min.`,
    unit: 'mUSD a share',
    format: 'price',
    height: 'high',
    wide: true,
    axis: `candles-${symbol}`,
    scale,
    area,
    marks: markup`<g class="pins">${marks}</g>`,
    ...axisOf(times),
    keys: KEYS,
    controls: rangeButtons(symbol, [
      ['1 h', 3_600_000 / intervalMs],
      ['Session', 23_400_000 / intervalMs],
      ['All', 0],
    ]),
    data: { ...data, drawing },
  });
}

const KEYS = [
  { name: 'bought', mark: 'pin-key buy' },
  { name: 'sold', mark: 'pin-key sell' },
  { name: 'limit to buy', mark: 's3' },
  { name: 'limit to sell, stop or target', mark: 's4' },
];

function dataOf(candles: Candles, times: readonly string[], fills: Column['values']): ChartData {
  const { open, high, low, close } = candles;
  return {
    kind: 'line',
    span: Math.max(times.length, 1),
    of: 'Time',
    labels: times,
    columns: [
      { name: 'Open', format: 'price', values: open },
      { name: 'High', format: 'price', values: high },
      { name: 'Low', format: 'price', values: low },
      { name: 'Close', format: 'price', values: close },
      // Quotes have no volume.
      { name: 'Volume', format: 'round', values: [] },
      { name: 'Fills', values: fills },
    ],
  };
}

/** Text about the fills of each candle; null for one without any. */
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
