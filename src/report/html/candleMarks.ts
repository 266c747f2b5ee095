import { written } from '../../figures/format.ts';
import { newYorkText, type FillRecord, sessionIndex, type LimitRecord, type RunView } from './runView.ts';
import { percentAlong, percentDown } from '../../figures/figure.ts';
import { join, markup, type Markup } from '../../figures/markup.ts';
import { blocks, HEIGHT, linearScale, rangeOf, type Scale } from '../../figures/scale.ts';

/** Buys, or sells, within one candle. */
export type SessionFills = Readonly<{
  place: number;
  side: 'buy' | 'sell';
  /** Average over its shares. */
  price: number;
  fills: readonly FillRecord[];
}>;

/** Fills by candle and side, in the order in which they came. */
export function fillsBySession(
  fills: readonly FillRecord[],
  placeOf: (fill: FillRecord) => number,
): SessionFills[] {
  const groups = new Map<string, FillRecord[]>();
  for (const fill of fills) {
    const key = `${placeOf(fill)} ${fill.side}`;
    const group = groups.get(key);
    if (group) group.push(fill);
    else groups.set(key, [fill]);
  }
  return [...groups].map(([key, list]) => {
    const shares = list.reduce((sum, fill) => sum + fill.shares, 0);
    const price = list.reduce((sum, fill) => sum + fill.shares * fill.price, 0) / shares;
    const [place = '', side] = key.split(' ');
    return { place: Number(place), side: side === 'buy' ? 'buy' : 'sell', price, fills: list };
  });
}

/** `03-09 09:30 buy 10 @ 101.25, fees 0.10: crossed upwards` */
const fillText = ({ at, side, shares, price, fees, slippage, reason, order }: FillRecord): string =>
  `${newYorkText(at).slice(5)} ${side} ${written(shares, 'shares')} @ ${written(price, 'price')}, fees ${written(fees, 'money')}${slippage === undefined ? '' : `, slippage ${written(slippage, 'money')}`}, order ${order}${reason === '' ? '' : `: ${reason}`}`;

const TOLD_MAX = 5;

/** Text about a candle's fills: the first of them, and the number of others. */
export function fillTexts(all: readonly FillRecord[]): string {
  const told = all.slice(0, TOLD_MAX).map(fillText);
  return (all.length > told.length ? [...told, `and ${all.length - told.length} more`] : told).join('\n');
}

/** One candle, at the place of its first session among those of the run. */
export type Candle = Readonly<{
  at: number;
  /** Number of sessions in it. */
  sessions: number;
  open: number;
  high: number;
  low: number;
  close: number;
  volume: number;
}>;

const BODY = 0.64;

const middleOf = ({ at, sessions }: Candle): number => at + sessions / 2;

/** Wicks and bodies: those that rose, and those that fell. */
export function bodies(list: readonly Candle[], scale: Scale): Markup {
  const isUp = ({ open, close }: Candle) => close >= open;
  const of = (some: readonly Candle[], style: string) => {
    const wicks = some.map(
      (candle) =>
        `M${middleOf(candle)} ${Math.round(scale.place(candle.high) * 10) / 10}V${Math.round(scale.place(candle.low) * 10) / 10}`,
    );
    const parts = some.map((candle) => {
      const half = (candle.sessions * BODY) / 2;
      const [low, high] = [Math.min(candle.open, candle.close), Math.max(candle.open, candle.close)];
      return { from: middleOf(candle) - half, to: middleOf(candle) + half, low, high };
    });
    return some.length === 0
      ? markup``
      : markup`<path class="wick ${style}" d="${wicks.join('')}"/>${blocks(parts, scale, `${style} solid`)}`;
  };
  return join([
    of(list.filter(isUp), 'gain'),
    of(
      list.filter((candle) => !isUp(candle)),
      'loss',
    ),
  ]);
}

/** Marks of fills: buys from below, sells from above. */
export function pins(
  fills: readonly SessionFills[],
  list: readonly Candle[],
  { scale, span }: Readonly<{ scale: Scale; span: number }>,
): Markup {
  return markup`<g class="pins">${fills.map(({ place, side, price }) => {
    const candle = list[place];
    if (!candle) return null;
    const [at, down] = [middleOf(candle), scale.place(price)];
    return markup`<use href="#pin-${side}" class="${side}" x="${percentAlong(at, span)}" y="${percentDown(down)}" data-at="${at}" data-down="${Math.round(down * 10) / 10}"/>`;
  })}</g>`;
}

/** Traded volume, below the candles. */
export function volumePlot(list: readonly Candle[], span: number, id: string): Markup {
  const scale = linearScale(rangeOf(list.map(({ volume }) => volume)), { zero: true, count: 1 });
  const bars = list.map((candle) => {
    const half = (candle.sessions * BODY) / 2;
    return { from: middleOf(candle) - half, to: middleOf(candle) + half, low: 0, high: candle.volume };
  });
  return markup`<p class="unit">volume, shares</p><div class="plot volume" aria-hidden="true"><svg class="frame"><line class="zero" x2="100%" y1="100%" y2="100%"/><text class="up" x="-8" y="0" dy=".7em">${written(scale.high, 'volume')}</text><svg class="area" data-follow="${id}" viewBox="0 0 ${span} ${HEIGHT}" preserveAspectRatio="none">${blocks(bars, scale, 'quiet')}</svg></svg></div>`;
}

/** Most lines drawn: more would be a blot, so only the latest are. */
const DRAWN_MAX = 1000;

/** The limit orders of one symbol, as a chart draws them. */
type OrderLines = Readonly<{
  all: readonly LimitRecord[];
  drawn: readonly LimitRecord[];
  lines: Markup;
  /** Text about what is not drawn or not visible; empty when nothing is. */
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
    all,
    drawn,
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

/** Position of an instant along the sessions of a run, by the fraction of its session that has passed. */
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

/** `buy 10 at 95.00, 03-09 09:31 to 03-09 16:00, expired` */
const orderText = ({ side, shares, limit, from, until, how, order }: LimitRecord): string =>
  `${side} ${written(shares, 'shares')} at ${written(limit, 'price')}, ${newYorkText(from).slice(5)} to ${newYorkText(until).slice(5)}, ${how}, order ${order}`;

/**
 * Text about the limit orders placed in each candle: the first of them, and the number of others. Null when there are none
 * at all.
 */
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
