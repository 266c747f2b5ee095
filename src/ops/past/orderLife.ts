import { toIso, type EpochMs } from '../../core/brand.ts';
import { describeIntent, describeTerms } from '../../domain/describe.ts';
import type { JournalEvent } from '../../domain/journalEvent.ts';
import type { OrderIntent } from '../../domain/orders/orderIntent.ts';
import type { JournalReader } from '../../store/readJournal.ts';
import { recordOf } from '../../store/storedNames.ts';
import type { OrderLife, OrderPage, OrderRow } from '../model/past.ts';
import { NothingFound, type OrderFilter } from './question.ts';
import type { Line } from '../../store/codec.ts';
import { newYorkDate } from '../../calendar/index.ts';
import { type Order, exactShares, hasEnded, txHashOf } from '../../domain/orders/order.ts';
import { formatDecimal } from '../../core/amount.ts';
import { InvariantError } from '../../core/errors.ts';
import { transition } from '../../domain/orders/orderMachine.ts';
import { endedOrderView } from '../model/orders.ts';

/** Row of an order from its entries, oldest first. @throws {InvariantError} when they do not begin with its plan */
function orderRow(history: readonly Line[]): OrderRow {
  const { seq, order, endedAt } = stateAfter(history);
  const { terms } = order;
  const settlement = order.state.kind === 'closed' ? order.state.settlement : null;
  const quantity = exactShares(terms);
  return {
    seq,
    ...endedOrderView(order),
    plannedAt: toIso(order.plannedAt),
    endedAt: endedAt === null ? null : toIso(endedAt),
    quantity: quantity && formatDecimal(quantity),
    notional: quantity === null && 'notional' in terms ? formatDecimal(terms.notional) : null,
    limit: terms.type === 'limit' ? formatDecimal(terms.price) : null,
    price: settlement && formatDecimal(settlement.price),
    fees: settlement && formatDecimal(settlement.mintFee + settlement.protocolFee),
    txHash: txHashOf(order),
  };
}

type Present = Readonly<{ seq: number; order: Order; endedAt: EpochMs | null }>;

function stateAfter([first, ...later]: readonly Line[]): Present {
  if (first?.fact.kind !== 'planned') throw new InvariantError('entries of an order begin with its plan');
  let { order } = first.fact;
  let endedAt: EpochMs | null = null;
  for (const { at, fact } of later) {
    if (fact.kind !== 'order') continue;
    const result = transition(order, fact.event);
    if (result.kind !== 'moved') continue;
    endedAt = hasEnded(result.order) ? (hasEnded(order) ? endedAt : at) : null;
    ({ order } = result);
  }
  return { seq: first.seq, order, endedAt };
}

const INTENT_KINDS = [
  'intentCreated',
  'intentDeferred',
  'intentEnded',
] as const satisfies readonly JournalEvent['kind'][];

/** @throws {NothingFound} for an id that no order in the journal has */
export function orderLife(
  reader: Pick<JournalReader, 'history' | 'backwards' | 'ofKindsAfter'>,
  id: string,
): OrderLife {
  const own = reader.history(id);
  const [planned] = own;
  if (planned?.fact.kind !== 'planned') throw new NothingFound(`there is no order ${id} in this journal`);
  const { order } = planned.fact;
  const intents = intentLines(reader, order.intentId, planned.seq);
  const created = intents.find(({ fact }) => fact.kind === 'intentCreated')?.fact;
  const lines = [...own, ...intents].sort((a, b) => a.seq - b.seq);
  return {
    ...orderRow(own),
    parent: order.parent ?? null,
    decision: created?.kind === 'intentCreated' ? decisionOf(created.intent) : null,
    entries: lines.map(recordOf),
  };
}

const decisionOf = (intent: OrderIntent) => ({
  id: intent.id,
  at: toIso(intent.at),
  text: describeIntent({ ...intent, reason: '' }),
  reason: intent.reason,
});

/** Entries of an intent, from its creation to its end. */
function intentLines(
  reader: Pick<JournalReader, 'backwards' | 'ofKindsAfter'>,
  id: string,
  seq: number,
): Line[] {
  const found: Line[] = [];
  for (const line of reader.backwards(INTENT_KINDS, seq)) {
    if (isOf(line, id)) found.push(line);
    if (line.fact.kind === 'intentCreated' && line.fact.intent.id === id) break;
  }
  let after = seq;
  for (;;) {
    const page = reader.ofKindsAfter(after, INTENT_KINDS, PAGE);
    for (const line of page) {
      if (!isOf(line, id)) continue;
      found.push(line);
      if (line.fact.kind === 'intentEnded') return found;
    }
    if (page.length < PAGE) return found;
    after = page.at(-1)?.seq ?? Infinity;
  }
}

/** Number of entries read at once. */
const PAGE = 500;

const isOf = ({ fact }: Line, id: string): boolean =>
  fact.kind === 'intentCreated'
    ? fact.intent.id === id
    : (fact.kind === 'intentDeferred' || fact.kind === 'intentEnded') && fact.id === id;

/** Maximum number of orders examined by one search: a page may have fewer than its limit without being the last. */
const LOOKED_AT_MAX = 5_000;

/** Orders in the journal that pass a filter, by planning time. */
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
    if (!isOfTerms(fact.order, filter)) continue;
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
