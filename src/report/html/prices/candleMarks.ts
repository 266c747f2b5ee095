import { written } from '../../../figures/format.ts';
import type { Scale } from '../../../figures/scale.ts';
import { grouped } from '../../../figures/series.ts';
import { newYorkMinute } from '../../../calendar/index.ts';
import { join, markup, type Markup } from '../../../figures/markup.ts';
import { LIST_PAGE, type FillRecord, type LimitRecord, type RunView, type TradeRecord } from '../runView.ts';
import { placesAlong } from './places.ts';
import type { Segment } from '../../../figures/intraday.ts';

/** Buys or sells within one candle. */
export type SessionFills = Readonly<{
  place: number;
  side: 'buy' | 'sell';
  /** Average price over the shares. */
  price: number;
}>;

/** Fills by candle and side, in time order. */
export function fillsBySession(
  fills: readonly FillRecord[],
  placeOf: (fill: FillRecord) => number,
): SessionFills[] {
  return [...grouped(fills, (fill) => `${placeOf(fill)} ${fill.side}`)].map(([key, list]) => {
    const shares = list.reduce((sum, fill) => sum + fill.shares, 0);
    const price = list.reduce((sum, fill) => sum + fill.shares * fill.price, 0) / shares;
    const [place = '', side] = key.split(' ');
    return { place: Number(place), side: side === 'buy' ? 'buy' : 'sell', price };
  });
}

/** `03-09 09:30 buy 10 @ 101.25, fees 0.10: crossed upwards` */
export const fillText = ({ at, side, shares, price, fees, slippage, reason, order }: FillRecord): string =>
  `${newYorkMinute(at).slice(5)} ${side} ${written(shares, 'shares')} @ ${written(price, 'price')}, fees ${written(fees, 'money')}${slippage === undefined ? '' : `, slippage ${written(slippage, 'money')}`}, order ${order}${reason === '' ? '' : `: ${reason}`}`;

/** Maximum number of lines drawn, the latest: more would be unreadable. */
const DRAWN_MAX = 1000;

/** Intent of an order. A good-till-cancelled intent is placed again each session, as another order. */
const intentOf = (order: string): string => order.slice(0, order.lastIndexOf('.'));

/** Intents with a filled order, whether at its limit or at once at a better price. */
const filledIntents = (fills: readonly FillRecord[], limits: readonly LimitRecord[]): ReadonlySet<string> =>
  new Set([...fills, ...limits.filter(({ filled }) => filled > 0)].map(({ order }) => intentOf(order)));

/** Thin line at each limit, from placement to end: solid if its intent filled, otherwise dashed. */
export function ordersOf(
  view: RunView,
  { symbol, start }: Readonly<{ symbol: string; start: readonly number[] }>,
) {
  const all = (view.record.limitOrders ?? []).filter((order) => order.symbol === symbol);
  const drawn = all.slice(-DRAWN_MAX);
  const placeAt = placesAlong(view, start);
  const own = view.record.fills.filter((fill) => fill.symbol === symbol);
  const filled = filledIntents(own, all);
  return {
    all,
    drawn,
    segments: drawn.map(({ side, order, limit, from, until }): Segment => {
      const style = `limit ${side === 'buy' ? 's3' : 's4'}${filled.has(intentOf(order)) ? '' : ' dashed'}`;
      return [placeAt(from), limit, placeAt(until), limit, style];
    }),
    /** Note about lines not drawn or not visible; empty if there are none. */
    note: ({ low, high }: Scale): string => {
      const beyond = drawn.filter(({ limit }) => limit < low || limit > high).length;
      return [
        ...(drawn.length < all.length
          ? [
              `The ${written(DRAWN_MAX, 'round')} latest of ${written(all.length, 'round')} limit orders are drawn.`,
            ]
          : []),
        ...(beyond > 0
          ? [`${written(beyond, 'round')} of the limits lie beyond the prices of the chart.`]
          : []),
      ].join(' ');
    },
  };
}

/** Lines from the entry to the exit of each listed trade of a stock. */
export const tradeLines = (view: RunView, symbol: string, placeOf: (at: number) => number): Segment[] =>
  view.listed.filter((trade) => trade.symbol === symbol).map((trade) => tradeLine(trade, placeOf));

/** Id of a trade's line, by the row of the list that links to it. */
export const tradeId = (row: number): string => `trade-${row + 1}`;

/** Link targets of the first rows of the trade list, for use without a script; each is shown while targeted. */
export const tradeTargets = (
  { listed }: RunView,
  symbol: string,
  { scale, placeOf }: Readonly<{ scale: Scale; placeOf: (at: number) => number }>,
): Markup =>
  join(
    listed.slice(0, LIST_PAGE).flatMap((trade, row) => {
      if (trade.symbol !== symbol) return [];
      const [from, price, until, last] = tradeLine(trade, placeOf);
      const [top, end] = [price, last].map((each) => Math.round(scale.place(each)));
      return [markup`<path id="${tradeId(row)}" class="line target" d="M${from} ${top}L${until} ${end}h0"/>`];
    }),
  );

const tradeLine = (
  { entryAt, entryPrice, exitAt, exitPrice, pnl }: TradeRecord,
  placeOf: (at: number) => number,
): Segment => [placeOf(entryAt), entryPrice, placeOf(exitAt), exitPrice, `trade ${pnl > 0 ? 's3' : 's4'}`];

/** `buy 10 at 95.00, 03-09 09:31 to 03-09 16:00, expired` */
export const orderText = ({ side, shares, limit, from, until, how, order }: LimitRecord): string =>
  `${side} ${written(shares, 'shares')} at ${written(limit, 'price')}, ${newYorkMinute(from).slice(5)} to ${newYorkMinute(until).slice(5)}, ${how}, order ${order}`;
