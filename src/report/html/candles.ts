import { counted } from '../../core/counted.ts';
import { saidOf, type MarkName } from '../../statistics/markName.ts';
import { figure, type Figure, type Key } from '../../figures/figure.ts';
import { written } from '../../figures/format.ts';
import { join, markup, type Markup } from '../../figures/markup.ts';
import {
  orderLines,
  orderTexts,
  fillsBySession,
  fillTexts,
  type SessionFills,
  bodies,
  pins,
  volumePlot,
  type Candle,
} from './candleMarks.ts';
import { sessionIndex, type RunView } from './runView.ts';
import { linearScale, rangeOf, type Scale } from '../../figures/scale.ts';
import { sessionTicks } from '../../figures/sessionChart.ts';

type Candles = RunView['record']['candles'][number];

/** Number of symbols with candles: those traded most. */
const SYMBOLS_MAX = 24;
/** More candles than a screen can distinguish are combined. */
const CANDLES_MAX = 1500;

/** Each symbol's sessions as candles, with its buys and sells. */
export function candleCharts(view: RunView): Markup[] {
  const { candles, fills } = view.record;
  const traded = new Map<string, number>();
  for (const { symbol, shares, price } of fills)
    traded.set(symbol, (traded.get(symbol) ?? 0) + shares * price);
  const ordered = candles
    .filter(({ start }) => start.length > 0)
    .toSorted((one, other) => (traded.get(other.symbol) ?? 0) - (traded.get(one.symbol) ?? 0));
  const shown = ordered.slice(0, SYMBOLS_MAX);
  const cut =
    ordered.length > shown.length
      ? [
          markup`<p class="note wide">The ${SYMBOLS_MAX} symbols of ${ordered.length} with the most traded value.</p>`,
        ]
      : [];
  return [...shown.map((each, index) => candleChart(view, each, index)), ...cut];
}

function candleChart(view: RunView, given: Candles, index: number): Markup {
  const { dates, mark } = view;
  const list = candlesOf(view, given);
  const length = list[0]?.sessions ?? 1;
  const own = view.record.fills.filter(({ symbol }) => symbol === given.symbol);
  const fills = fillsBySession(own, (fill) => placeOf(list, sessionIndex(view, fill.at)));
  const range = rangeOf(
    list.flatMap(({ low, high }) => [low, high]),
    fills.map(({ price }) => price),
  );
  const scale = linearScale(range, { count: 7 });
  const orders = orderLines(view, { symbol: given.symbol, starts: given.start, scale });
  const [first, last] = [list[0], list.at(-1)];
  const id = `candles-${index + 1}`;
  const limits = orderTexts(orders.drawn, list, ({ from }) => placeOf(list, sessionIndex(view, from)));
  return figure({
    id,
    title: given.symbol,
    unit: 'mUSD a share',
    format: 'price',
    height: 'high',
    wide: true,
    scale,
    span: dates.length,
    summary: `${written(first?.open, 'price')} at first, ${written(last?.close, 'price')} at last; ${counted(own.length, 'fill')}${limits ? `, ${counted(orders.all.length, 'limit order')} that stood` : ''}.`,
    along: sessionTicks(dates),
    area: join([bodies(list, scale), orders.lines]),
    marks: pins(fills, list, { scale, span: dates.length }),
    keys: limits ? [...KEYS, ...LIMIT_KEYS] : KEYS,
    controls: rangeButtons(given.symbol, id, view.sample.marksPerYear),
    below: volumePlot(list, dates.length, id),
    ...notes([
      length > 1
        ? `${length} ${mark}s in each candle, with their first open, highest high, lowest low and last close.`
        : '',
      orders.note,
    ]),
    data: dataOf(list, fills, { scale, dates, mark, limits }),
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

/** Candles of as many sessions each as keep them few. */
function candlesOf(view: RunView, { start, ...columns }: Candles): Candle[] {
  const size = Math.ceil(start.length / CANDLES_MAX);
  return Array.from({ length: Math.ceil(start.length / size) }, (_, index) => {
    const [from, to] = [index * size, Math.min((index + 1) * size, start.length)];
    const part = (name: keyof typeof columns) => (columns[name] as readonly number[]).slice(from, to);
    return {
      at: sessionIndex(view, start[from] ?? 0),
      sessions: size,
      open: columns.open[from] ?? NaN,
      high: Math.max(...part('high')),
      low: Math.min(...part('low')),
      close: columns.close[to - 1] ?? NaN,
      volume: part('volume').reduce((sum, each) => sum + each, 0),
    };
  });
}

/** The last candle that begins at or before a session. */
const placeOf = (list: readonly Candle[], session: number): number =>
  Math.max(
    0,
    list.findLastIndex(({ at }) => at <= session),
  );

/** As a fraction of a year. */
const RANGES: readonly (readonly [string, number])[] = [
  ['1M', 1 / 12],
  ['3M', 1 / 4],
  ['6M', 1 / 2],
  ['1Y', 1],
  ['All', 0],
];

const rangeButtons = (symbol: string, id: string, marksPerYear: number): Markup =>
  markup`<div class="ranges scripted" role="group" aria-label="Range of ${symbol}" data-ranges="${id}">${RANGES.map(
    ([name, years]) =>
      markup`<button type="button" data-sessions="${Math.round(years * marksPerYear)}" aria-pressed="${years === 0 ? 'true' : 'false'}">${name}</button>`,
  )}<button type="button" data-move="-1" aria-label="Earlier">‹</button><button type="button" data-move="1" aria-label="Later">›</button></div>`;

type Numbers = Readonly<{
  scale: Scale;
  dates: readonly string[];
  mark: MarkName;
  /** Text about the limit orders of each candle; null where there are none at all. */
  limits: readonly (string | null)[] | null;
}>;

function dataOf(
  list: readonly Candle[],
  fills: readonly SessionFills[],
  { scale, dates, mark, limits }: Numbers,
): Figure['data'] {
  const told = new Map<number, SessionFills['fills']>();
  for (const { place, fills: own } of fills) told.set(place, [...(told.get(place) ?? []), ...own]);
  const column = (name: string, of: (candle: Candle) => number) => ({
    name,
    format: 'price' as const,
    values: list.map(of),
  });
  return {
    kind: 'line',
    span: dates.length,
    step: list[0]?.sessions ?? 1,
    of: saidOf(mark, 'Session'),
    at: list.map(({ at }) => at),
    labels: 'sessions',
    columns: [
      column('Open', ({ open }) => open),
      column('High', ({ high }) => high),
      column('Low', ({ low }) => low),
      column('Close', ({ close }) => close),
      { ...column('Volume', ({ volume }) => volume), format: 'round' },
      {
        name: 'Fills',
        values: list.map((_, place) => (told.has(place) ? fillTexts(told.get(place) ?? []) : null)),
      },
      ...(limits ? [{ name: 'Limit orders', values: limits }] : []),
    ],
    zoom: { low: scale.low, high: scale.high, lowColumn: 2, highColumn: 1 },
  };
}
