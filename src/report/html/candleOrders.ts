import type { Candle } from './candlePicture.ts';
import { written } from './format.ts';
import { join, markup, type Markup } from './markup.ts';
import { newYorkText, sessionIndex, type LimitRecord, type RunView } from './runView.ts';
import type { Scale } from './scale.ts';

/** More lines than these are a blot: of more, the latest are drawn. */
const DRAWN_MAX = 1000;

/** The limit orders of one symbol, as a chart draws them. */
export type OrderLines = Readonly<{
  all: readonly LimitRecord[];
  drawn: readonly LimitRecord[];
  lines: Markup;
  /** What is not drawn, or not to be seen; empty when nothing is. */
  note: string;
}>;

/**
 * A thin line at each limit, from placing to end: those that filled throughout, the others dashed.
 * @param starts open of each session of the symbol
 */
export function orderLines(
  view: RunView,
  { symbol, starts, scale }: Readonly<{ symbol: string; starts: readonly number[]; scale: Scale }>,
): OrderLines {
  const all = (view.record.limitOrders ?? []).filter((order) => order.symbol === symbol);
  const drawn = all.slice(-DRAWN_MAX);
  const placeAt = places(view, starts);
  const of = (side: 'buy' | 'sell', isFilled: boolean) => {
    const shapes = drawn
      .filter((order) => order.side === side && order.filled > 0 === isFilled)
      .map(({ from, until, limit }) => `M${placeAt(from)} ${short(scale.place(limit))}H${placeAt(until)}`);
    const style = `${side === 'buy' ? 's3' : 's4'}${isFilled ? '' : ' dashed'}`;
    return shapes.length === 0
      ? markup``
      : markup`<path class="line limit ${style}" d="${shapes.join('')}"/>`;
  };
  const beyond = drawn.filter(({ limit }) => limit < scale.low || limit > scale.high).length;
  return {
    ...{ all, drawn },
    lines: join([of('buy', true), of('buy', false), of('sell', true), of('sell', false)]),
    note: [
      ...(drawn.length < all.length
        ? [
            `The ${written(DRAWN_MAX, 'round')} latest of ${written(all.length, 'round')} limit orders are drawn.`,
          ]
        : []),
      ...(beyond > 0
        ? [`${written(beyond, 'round')} of the limits lie beyond the prices of the chart.`]
        : []),
    ].join(' '),
  };
}

const short = (value: number): number => Math.round(value * 10) / 10;

/** Where an instant is along the sessions of a run, by the part of its session that has passed. */
function places(view: RunView, starts: readonly number[]): (at: number) => number {
  const opens = new Map(starts.map((start) => [sessionIndex(view, start), start]));
  return (at) => {
    const index = sessionIndex(view, at);
    const close = view.marks[index]?.at ?? at;
    const open = opens.get(index) ?? close;
    const part = close > open ? Math.min(Math.max((at - open) / (close - open), 0), 1) : 0;
    return Math.round((index + part) * 1000) / 1000;
  };
}

const TOLD_MAX = 5;

/** `buy 10 at 95.00, 03-09 09:31 to 03-09 16:00, expired` */
const orderText = ({ side, shares, limit, from, until, how, order }: LimitRecord): string =>
  `${side} ${written(shares, 'shares')} at ${written(limit, 'price')}, ${newYorkText(from).slice(5)} to ${newYorkText(until).slice(5)}, ${how}, order ${order}`;

/** Of each candle, the limit orders placed in it: the first of them, and how many more there are. Null when there are none at all. */
export function orderTexts(
  orders: readonly LimitRecord[],
  list: readonly Candle[],
  placeOf: (order: LimitRecord) => number,
): (string | null)[] | null {
  if (orders.length === 0) return null;
  const told = new Map<number, LimitRecord[]>();
  for (const order of orders) {
    const own = told.get(placeOf(order));
    if (own) own.push(order);
    else told.set(placeOf(order), [order]);
  }
  return list.map((_, place) => {
    const own = told.get(place);
    if (!own) return null;
    const more = own.length > TOLD_MAX ? [`and ${own.length - TOLD_MAX} more`] : [];
    return [...own.slice(0, TOLD_MAX).map(orderText), ...more].join('\n');
  });
}
