import { written } from './format.ts';
import { newYorkText, type FillRecord } from './runView.ts';

/** What was bought, or sold, within one candle. */
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

/** What a candle tells of its fills: the first of them, and how many more there are. */
export function fillTexts(all: readonly FillRecord[]): string {
  const told = all.slice(0, TOLD_MAX).map(fillText);
  return (all.length > told.length ? [...told, `and ${all.length - told.length} more`] : told).join('\n');
}
