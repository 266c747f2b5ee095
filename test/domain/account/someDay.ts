import fc from 'fast-check';
import { parseCash } from '../../../src/core/amount.ts';
import { epochMs } from '../../../src/core/brand.ts';
import { AccountState } from '../../../src/domain/account/accountState.ts';
import type { JournalEntry, JournalEvent } from '../../../src/domain/journalEvent.ts';
import { hasEnded, type Order, assetOf, type OrderEvent } from '../../../src/domain/orders/order.ts';
import { transition } from '../../../src/domain/orders/orderMachine.ts';
import { AAPL, anOrder, aReport, aWish, DEADLINE, id, limitSell, opened, SENT, settled } from '../orders.ts';

const $ = parseCash;
const sent: OrderEvent = { kind: 'sent', at: SENT, deadline: DEADLINE };
const lost: OrderEvent = { kind: 'lost', reason: 'reset' };
const absent: OrderEvent = { kind: 'absent', assumed: false };

/** A random day of two strategies; impossible moves and plans without money are skipped. */
function dayOf(choices: readonly [number, number, number][]): JournalEntry[] {
  const entries: JournalEntry[] = [];
  const kept = new AccountState();
  const add = (fact: JournalEvent, at = epochMs(SENT + entries.length)) => {
    kept.apply({ at, fact });
    entries.push({ at, fact });
  };
  add(opened);
  for (const strategyId of ['alpha', 'beta']) add({ kind: 'allocated', strategyId, amount: $('4000') });
  for (const [what, which, how] of choices) {
    const orders = [...kept.orders.values()];
    const order = orders[which % (orders.length + 1)];
    if (!order) plan(kept, add, { what, how, number: orders.length });
    else {
      const event = eventOf(order, what, how);
      if (transition(order, event).kind === 'moved' && covered(kept, order))
        add({ kind: 'order', id: order.id, event });
    }
  }
  return entries;
}

type Add = (fact: JournalEvent) => void;

function plan(
  kept: AccountState,
  add: Add,
  { what, how, number }: { what: number; how: number; number: number },
) {
  const strategyId = what % 2 === 0 ? 'alpha' : 'beta';
  const order = { ...anOrder(), id: id(`w${number}.1`), intentId: `w${number}`, strategyId };
  const buy = { ...order, reserve: BigInt(how + 1) * 10n ** 18n };
  const quantity = kept.ledger.balance(strategyId, 'free', AAPL) / 2n;
  const sell = { ...order, terms: limitSell('1', '100'), reserve: quantity };
  const planned = what % 3 === 0 && quantity > 0n ? sell : buy;
  if (kept.ledger.balance(strategyId, 'free', assetOf(planned)) < planned.reserve) return;
  add({ kind: 'intentCreated', intent: { ...aWish(planned.intentId), strategyId } });
  add({ kind: 'planned', order: planned });
}

/** An order found late may take more than is left: that is refused, and tested above. */
const covered = (kept: AccountState, order: Order) =>
  !hasEnded(order) || kept.ledger.balance(order.strategyId, 'free', assetOf(order)) >= order.reserve;

function eventOf(order: Order, what: number, how: number): OrderEvent {
  const pay = (order.reserve * BigInt(how % 101)) / 100n;
  const settlement = { ...settled('0', '0'), pay, receive: BigInt(how) * 10n ** 16n };
  const report = (changes: object): OrderEvent => ({
    kind: 'reported',
    report: aReport({ txHash: `0x${order.id}`, ...changes }),
  });
  const events: OrderEvent[] = [
    sent,
    { kind: 'accepted', txHash: `0x${order.id}` },
    lost,
    absent,
    { kind: 'refused', reason: 'x' },
    { kind: 'abandoned', reason: 'x' },
    { kind: 'cancelWanted' },
    report({}),
    report({ status: 'cancelled', settlement }),
    report({ status: 'filled', settlement }),
    report({ status: 'expired' }),
    report({ status: 'reverted' }),
  ];
  return events[what % events.length] ?? sent;
}

/** Random days of two strategies. */
export const someDay = fc
  .array(fc.tuple(fc.nat(999), fc.nat(6), fc.nat(999)), { minLength: 60, maxLength: 150 })
  .map(dayOf);
