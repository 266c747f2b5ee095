import { counted } from '../../../core/counted.ts';
import { sessionTicks } from '../../../figures/axis.ts';
import { CANDLES_MAX, volumePlot } from '../../../figures/candles.ts';
import { draw } from '../../../figures/drawing.ts';
import { figure } from '../../../figures/figure.ts';
import { written } from '../../../figures/format.ts';
import { join, markup, type Markup } from '../../../figures/markup.ts';
import { lengthsOf, rangeButtons } from '../../../figures/rangeButtons.ts';
import { saidOf } from '../../../statistics/markName.ts';
import { fillsBySession, fillText, ordersOf, orderText, tradeLines, tradeTargets } from './candleMarks.ts';
import { intradayOf, type TextSeries } from './intraday.ts';
import { placeAmong, textsByPlace } from '../../../figures/series.ts';
import { overlayOf, panelCharts } from './plots.ts';
import { sessionIndex, type FillRecord, type RunView } from '../runView.ts';
import type { ChartData, Key, Drawing } from '../../../figures/chartData.ts';
import type { Pin, Segment } from '../../../figures/intraday.ts';
import { placesAlong } from './places.ts';

type Candles = RunView['record']['candles'][number];

/** Number of symbols with candles: the most traded ones. */
const SYMBOLS_MAX = 24;

/** Candles by symbol, highest traded value first. */
function orderedCandles({ candles, fills }: RunView['record']): Candles[] {
  const traded = new Map<string, number>();
  for (const { symbol, shares, price } of fills)
    traded.set(symbol, (traded.get(symbol) ?? 0) + shares * price);
  return candles
    .filter(({ start }) => start.length > 0)
    .toSorted((one, other) => (traded.get(other.symbol) ?? 0) - (traded.get(one.symbol) ?? 0));
}

/** Candles that have a figure, in figure order. */
export const shownCandles = (record: RunView['record']): Candles[] =>
  orderedCandles(record).slice(0, SYMBOLS_MAX);

export const candleId = (index: number): string => `candles-${index + 1}`;

/** Candle chart for each symbol, with its buys, sells and trades, and the plots of strategies. */
export function candleCharts(view: RunView): Markup[] {
  const all = orderedCandles(view.record);
  const shown = shownCandles(view.record);
  const cut =
    all.length > shown.length
      ? [
          markup`<p class="note wide">The ${SYMBOLS_MAX} symbols of ${all.length} with the most traded value.</p>`,
        ]
      : [];
  const ofEach = shown.flatMap((each, index) => [
    candleChart(view, each, index),
    ...panelCharts(view, each.symbol, `panel-${index + 1}`),
  ]);
  return [...ofEach, ...cut, ...panelCharts(view, null, 'panel')];
}

/** Content of a candle chart. */
function drawnCandles(view: RunView, given: Candles) {
  const { symbol } = given;
  const fills = view.record.fills.filter((fill) => fill.symbol === symbol);
  const at = given.start.map((start) => sessionIndex(view, start));
  const [orders, stops] = [ordersOf(view, given), stopsOf(view, given)];
  const texts = [
    { name: 'Limit orders', texts: orders.drawn.map((order) => [order.from, orderText(order)] as const) },
    { name: 'Stops', texts: stops.texts },
  ].filter(({ texts: own }) => own.length > 0);
  const prices = dataOf(given, { at, fills, texts, view });
  const plotted = overlayOf(view, symbol, given.start);
  const intraday = intradayOf(view, symbol, { fills, texts });
  const data = { ...prices, columns: [...prices.columns, ...plotted.columns], ...(intraday && { intraday }) };
  const pins = fillsBySession(fills, (fill) => placeOf(at, sessionIndex(view, fill.at)));
  const drawing: Drawing = {
    kind: 'candles',
    pins: pins.map(({ place, side, price }): Pin => [(at[place] ?? 0) + 0.5, price, side]),
    trades: tradeLines(view, symbol, middleIn(view)),
    segments: [...orders.segments, ...stops.segments],
    lines: plotted.linesFrom(prices.columns.length),
  };
  const keys = [
    ...KEYS,
    ...(orders.all.length > 0 ? LIMIT_KEYS : []),
    ...(stops.segments.length > 0 ? [STOP_KEY] : []),
    ...plotted.keys,
  ];
  return { data, drawing, keys, fills, orders, minutes: intraday?.candles.minutes };
}

/** Middle of the session that contains an instant. */
const middleIn =
  (view: RunView) =>
  (at: number): number =>
    sessionIndex(view, at) + 0.5;

function candleChart(view: RunView, given: Candles, index: number): Markup {
  const { dates, mark } = view;
  const { symbol } = given;
  const { data, drawing, keys, fills, orders, minutes } = drawnCandles(view, given);
  const whole = { from: 0, to: dates.length };
  const { scale, area, marks, volume } = draw(data, drawing, whole);
  const several = Math.ceil(given.start.length / CANDLES_MAX);
  const stood = orders.all.length > 0 ? `, ${counted(orders.all.length, 'limit order')} that stood` : '';
  return figure({
    id: candleId(index),
    title: symbol,
    axis: 'sessions',
    unit: 'mUSD a share',
    format: 'price',
    height: 'high',
    wide: true,
    scale,
    summary: `${written(given.open[0], 'price')} at first, ${written(given.close.at(-1), 'price')} at last; ${counted(fills.length, 'fill')}${stood}.`,
    along: sessionTicks(dates),
    area: join([area, tradeTargets(view, symbol, { scale, placeOf: middleIn(view) })]),
    marks: markup`<g class="pins">${marks}</g>`,
    keys,
    controls: rangeButtons(symbol, lengthsOf(view.sample.marksPerYear)),
    below: volumePlot(volume, dates.length),
    ...notes([
      several > 1
        ? `${several} ${mark}s in each candle, with their first open, highest high, lowest low and last close.`
        : '',
      minutes === undefined
        ? ''
        : `Enlarged, the sessions around its fills have candles of ${counted(minutes, 'minute')}.`,
      orders.note(scale),
    ]),
    data: { ...data, drawing },
  });
}

const KEYS: readonly Key[] = [
  { name: 'up', mark: 'gain block' },
  { name: 'down', mark: 'loss block' },
  { name: 'bought', mark: 'pin-key buy' },
  { name: 'sold', mark: 'pin-key sell' },
];

const LIMIT_KEYS: readonly Key[] = [
  { name: 'limit to buy', mark: 's3' },
  { name: 'limit to sell', mark: 's4' },
  { name: 'not filled', mark: 'held dashed' },
];

const STOP_KEY: Key = { name: 'stop', mark: 'loss dashed' };

const notes = (texts: readonly string[]) => {
  const note = texts.filter((text) => text !== '').join(' ');
  return note === '' ? {} : { note };
};

/** Index of the last candle that begins at or before a session. */
const placeOf = (at: readonly number[], session: number): number => Math.max(0, placeAmong(at, session));

type Numbers = Readonly<{
  at: readonly number[];
  fills: readonly FillRecord[];
  /** Additional texts, by column name and time. */
  texts: readonly TextSeries[];
  view: RunView;
}>;

function dataOf(given: Candles, { at, fills, texts, view }: Numbers): ChartData {
  const placeAt = (when: number) => placeOf(at, sessionIndex(view, when));
  const ofFills = fills.map((fill) => [fill.at, fillText(fill)] as const);
  return {
    kind: 'line',
    span: view.dates.length,
    of: saidOf(view.mark, 'Session'),
    ...(at.length < view.dates.length && { at }),
    labels: 'sessions',
    columns: [
      { name: 'Open', format: 'price', values: given.open },
      { name: 'High', format: 'price', values: given.high },
      { name: 'Low', format: 'price', values: given.low },
      { name: 'Close', format: 'price', values: given.close },
      { name: 'Volume', format: 'round', values: given.volume },
      ...[{ name: 'Fills', texts: ofFills }, ...texts].map(({ name, texts: own }) => ({
        name,
        values: textsByPlace(own, at.length, placeAt),
      })),
    ],
  };
}

/** Maximum number of stop price steps drawn, the latest. */
const STEPS_MAX = 2000;
const STYLE = 'stop loss';

/** Stops of one stock as drawn and described by a chart. */
type StopLines = Readonly<{
  segments: readonly Segment[];
  /** Changes and ends, each with its time. */
  texts: readonly (readonly [at: number, text: string])[];
}>;

/** One stop price from an instant on; null if the stop has ended. */
type Step = Readonly<{ order: string; at: number; until: number; price: number | null }>;

/** Thin line at each price of a stop while it was waiting. */
function stopsOf(
  view: RunView,
  { symbol, start }: Readonly<{ symbol: string; start: readonly number[] }>,
): StopLines {
  const placeAt = placesAlong(view, start);
  const drawn = stepsOf(view, symbol).slice(-STEPS_MAX);
  return {
    segments: drawn.flatMap(({ at, until, price }): Segment[] =>
      price === null ? [] : [[placeAt(at), price, placeAt(until), price, STYLE]],
    ),
    texts: drawn.map((step) => [step.at, textOf(step)] as const),
  };
}

const stepsOf = ({ record: { stops = [] }, marks }: RunView, symbol: string): Step[] =>
  stops
    .filter((stop) => stop.symbol === symbol)
    .flatMap(({ name: order, at, values }) =>
      at.map((from, index) => ({
        order,
        at: from,
        until: at[index + 1] ?? marks.at(-1)?.at ?? from,
        price: values[index] ?? null,
      })),
    )
    .sort((one, other) => one.at - other.at);

/** `stop at 95.00, order trail-3` */
const textOf = ({ order, price }: Step): string =>
  `${price === null ? 'no stop any more' : `stop at ${written(price, 'price')}`}, order ${order}`;
