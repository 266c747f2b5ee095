import type { Session } from '../calendar/index.ts';
import { formatDecimal, roundTo, stepOf } from '../core/amount.ts';
import { filledOf, type Order } from '../domain/order.ts';
import { describeTerms } from './describe.ts';
import type { Desk } from './desk.ts';
import { feesOf } from './earnings.ts';
import { bookedEquityOf } from './exposure.ts';

/** A close that is reported so much later was not seen: what has happened since is no part of its day. */
const LATE_MS = 3_600_000;
/** Most open orders that are named. */
const NAMED_MAX = 5;
const CENT = stepOf(2);

/** Reports the day of each strategy at a close: profit since the open, orders, fees, and what is still open. */
export function tellDay(desk: Desk, ids: readonly string[], { open, close }: Session): void {
  if (desk.quiet || desk.now - close > LATE_MS) return;
  for (const id of ids) {
    const start = desk.books.dayStart?.get(id);
    if (start === undefined) continue;
    const own = [...desk.books.orders.values()].filter(({ owner }) => owner === id);
    const placed = own.filter(({ plannedAt }) => plannedAt >= open);
    const ended = own.filter((order) => (desk.books.ended.get(order.id)?.at ?? 0) >= open);
    const pnl = signedCents(bookedEquityOf(desk, id) - start);
    const filled = ended.filter((order) => filledOf(order) > 0n).length;
    const fees = twoPlaces(nearestCent(feesOf(ended)));
    const text = `day: ${pnl} mUSD; orders ${placed.length}, filled ${filled}, fees ${fees}; ${openText(desk.liveOf({ owner: id }))}`;
    desk.tell('session', text, id);
  }
}

function openText(live: readonly Order[]): string {
  if (live.length === 0) return 'nothing open';
  const more = live.length > NAMED_MAX ? ` and ${live.length - NAMED_MAX} more` : '';
  const named = live.slice(0, NAMED_MAX).map(({ terms }) => describeTerms(terms));
  return `open: ${named.join(', ')}${more}`;
}

const nearestCent = (wad: bigint): bigint => roundTo(wad + CENT / 2n, CENT, 'down');

/** An amount to the nearest cent, a profit with its sign. */
function signedCents(wad: bigint): string {
  const cents = nearestCent(wad);
  return `${cents > 0n ? '+' : ''}${twoPlaces(cents)}`;
}

function twoPlaces(wad: bigint): string {
  const [whole = '', fraction = ''] = formatDecimal(wad).split('.');
  return `${whole}.${fraction.padEnd(2, '0')}`;
}
