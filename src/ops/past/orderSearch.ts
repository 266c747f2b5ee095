import { newYorkDate } from '../../calendar/index.ts';
import { describeTerms } from '../../domain/describe.ts';
import type { Order } from '../../domain/orders/order.ts';
import type { JournalReader } from '../../store/readJournal.ts';
import { orderRow, type OrderRow } from './orderRow.ts';
import type { OrderFilter } from './question.ts';

/** Most orders that one search looks at: a page may have fewer than its limit, and is then no end. */
const LOOKED_AT_MAX = 5_000;

/** Page of orders, the latest first. `next`: `before` of the next page; null at the first order of the journal. */
export type OrderPage = Readonly<{ orders: readonly OrderRow[]; next: number | null }>;

/** Orders of the journal that pass a filter, by the time at which they were planned. */
export function searchOrders(
  reader: Pick<JournalReader, 'backwards' | 'history'>,
  filter: OrderFilter,
): OrderPage {
  const { before, limit, date } = filter;
  const orders: OrderRow[] = [];
  let looked = 0;
  for (const { seq, at, fact } of reader.backwards(['planned'], before ?? Infinity)) {
    if (orders.length === limit || looked === LOOKED_AT_MAX) return { orders, next: seq + 1 };
    if (date !== null && newYorkDate(at) < date) break;
    looked++;
    if (fact.kind !== 'planned' || !isOfTerms(fact.order, filter)) continue;
    if (date !== null && newYorkDate(fact.order.plannedAt) !== date) continue;
    const row = orderRow(reader.history(fact.order.id));
    if (isInState(row, filter.status)) orders.push(row);
  }
  return { orders, next: null };
}

function isOfTerms({ id, strategyId, terms, reason, tag }: Order, wanted: OrderFilter): boolean {
  const { strategy, symbol, text } = wanted;
  const words = () => `${id} ${describeTerms(terms)} ${reason} ${tag ?? ''}`.toLowerCase();
  return (
    (strategy === null || strategyId === strategy) &&
    (symbol === null || terms.symbol === symbol) &&
    (text === null || words().includes(text.toLowerCase()))
  );
}

const isInState = ({ status, endedAt }: OrderRow, wanted: string | null): boolean =>
  wanted === null || status === wanted || (wanted === 'open' && endedAt === null);
