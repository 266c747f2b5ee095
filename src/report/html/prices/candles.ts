import { counted } from '../../../core/counted.ts';
import { sessionTicks } from '../../../figures/axis.ts';
import { CANDLES_MAX, volumePlot, type Pin } from '../../../figures/candles.ts';
import { draw, type Drawing } from '../../../figures/drawing.ts';
import { figure, type ChartData, type Key } from '../../../figures/figure.ts';
import { written } from '../../../figures/format.ts';
import { join, markup, type Markup } from '../../../figures/markup.ts';
import { lengthsOf, rangeButtons } from '../../../figures/rangeButtons.ts';
import { saidOf } from '../../../statistics/markName.ts';
import {
  fillsBySession,
  fillTexts,
  ordersOf,
  orderTexts,
  tradeLines,
  tradeTargets,
  type SessionFills,
} from './candleMarks.ts';
import { intradayOf } from './intraday.ts';
import { overlayOf, panelCharts } from './plots.ts';
import { sessionIndex, type RunView } from '../runView.ts';

type Candles = RunView['record']['candles'][number];

/** Number of symbols with candles: those traded most. */
const SYMBOLS_MAX = 24;

/** Symbols with candles, those with the most traded value first. */
function orderedCandles({ candles, fills }: RunView['record']): Candles[] {
  const traded = new Map<string, number>();
  for (const { symbol, shares, price } of fills)
    traded.set(symbol, (traded.get(symbol) ?? 0) + shares * price);
  return candles
    .filter(({ start }) => start.length > 0)
    .toSorted((one, other) => (traded.get(other.symbol) ?? 0) - (traded.get(one.symbol) ?? 0));
}

/** Candles that have a figure, in the order of their figures. */
export const shownCandles = (record: RunView['record']): Candles[] =>
  orderedCandles(record).slice(0, SYMBOLS_MAX);

export const candleId = (index: number): string => `candles-${index + 1}`;

/** Each symbol's sessions as candles, with its buys, sells and trades, and what strategies have plotted. */
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

function candleChart(view: RunView, given: Candles, index: number): Markup {
  const { dates, mark } = view;
  const { symbol } = given;
  const own = view.record.fills.filter((fill) => fill.symbol === symbol);
  const at = given.start.map((start) => sessionIndex(view, start));
  const fills = fillsBySession(own, (fill) => placeOf(at, sessionIndex(view, fill.at)));
  const orders = ordersOf(view, given);
  const texts = orderTexts(orders.drawn, at.length, ({ from }) => placeOf(at, sessionIndex(view, from)));
  const prices = dataOf(given, { at, fills, texts, view });
  const plotted = overlayOf(view, symbol, given.start);
  const intraday = intradayOf(view, symbol, { fills: own, orders: orders.drawn });
  const data = {
    ...prices,
    columns: [...prices.columns, ...plotted.columns],
    ...(intraday && { intraday }),
  };
  const middleOf = (when: number) => sessionIndex(view, when) + 0.5;
  const drawing: Drawing = {
    kind: 'candles',
    pins: fills.map(({ place, side, price }): Pin => [(at[place] ?? 0) + 0.5, price, side]),
    trades: tradeLines(view, symbol, middleOf),
    segments: orders.segments,
    lines: plotted.linesFrom(prices.columns.length),
  };
  const whole = { from: 0, to: dates.length };
  const { scale, area, marks, volume } = draw(data, drawing, whole);
  const several = Math.ceil(at.length / CANDLES_MAX);
  return figure({
    id: candleId(index),
    title: symbol,
    axis: 'sessions',
    unit: 'mUSD a share',
    format: 'price',
    height: 'high',
    wide: true,
    scale,
    span: dates.length,
    summary: `${written(given.open[0], 'price')} at first, ${written(given.close.at(-1), 'price')} at last; ${counted(own.length, 'fill')}${texts ? `, ${counted(orders.all.length, 'limit order')} that stood` : ''}.`,
    along: sessionTicks(dates),
    area: join([area, tradeTargets(view, symbol, { scale, placeOf: middleOf })]),
    marks: markup`<g class="pins">${marks}</g>`,
    keys: [...KEYS, ...(texts ? LIMIT_KEYS : []), ...plotted.keys],
    controls: rangeButtons(symbol, lengthsOf(view.sample.marksPerYear)),
    below: volumePlot(volume, dates.length),
    ...notes([
      several > 1
        ? `${several} ${mark}s in each candle, with their first open, highest high, lowest low and last close.`
        : '',
      intraday
        ? `Enlarged, the sessions around its fills have candles of ${counted(intraday.candles.minutes, 'minute')}.`
        : '',
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

const notes = (texts: readonly string[]) => {
  const note = texts.filter((text) => text !== '').join(' ');
  return note === '' ? {} : { note };
};

/** Index of the last candle that begins at or before a session. */
const placeOf = (at: readonly number[], session: number): number =>
  Math.max(
    0,
    at.findLastIndex((each) => each <= session),
  );

type Numbers = Readonly<{
  at: readonly number[];
  fills: readonly SessionFills[];
  /** Text about the limit orders of each candle; null where there are none at all. */
  texts: readonly (string | null)[] | null;
  view: RunView;
}>;

function dataOf(given: Candles, { at, fills, texts, view }: Numbers): ChartData {
  const own = new Map<number, SessionFills['fills']>();
  for (const { place, fills: list } of fills) own.set(place, [...(own.get(place) ?? []), ...list]);
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
      {
        name: 'Fills',
        values: at.map((_, place) => (own.has(place) ? fillTexts(own.get(place) ?? []) : null)),
      },
      ...(texts ? [{ name: 'Limit orders', values: texts }] : []),
    ],
  };
}
