import {
  formatDecimal,
  notionalOf,
  price,
  shares,
  WAD,
  type Price,
  type Shares,
} from '../../src/core/amount.ts';
import type { AccountState } from '../../src/domain/account/accountState.ts';
import type { JournalEntry, JournalEvent } from '../../src/domain/journalEvent.ts';
import { MIN_NOTIONAL } from '../../src/domain/fees.ts';
import { hasEnded, type Leg } from '../../src/domain/orders/order.ts';
import { filledBy, soldBy, type Child, type SyntheticState } from '../../src/domain/orders/syntheticOrder.ts';
import { HeldOrders } from '../simulation/heldOrders.ts';
import { noneYet } from '../simulation/sometimes.ts';

type Of<K extends JournalEvent['kind']> = Extract<JournalEvent, { kind: K }>;

const SELLS: ReadonlySet<Leg> = new Set<Leg>(['take profit', 'second take profit', 'exit']);

/** True for two legs of one held order that may never be at the venue at once. The two take-profits of a bracket share its size. */
export const areRivals = (leg: Leg, other: Leg): boolean =>
  (SELLS.has(leg) && SELLS.has(other) && (leg === other || leg === 'exit' || other === 'exit')) ||
  (leg === 'slice' && other === 'slice') ||
  (leg === 'exit' && other === 'entry');

/** Orders that the bot holds, by the journal of a real process: what it says of them must not contradict itself. */
export class HeldSide {
  /** Contradictions, in words. */
  readonly broken: string[] = [];
  /** Number of times that each event was met. */
  readonly met = noneYet();
  readonly orders = new HeldOrders({
    accuse: (text) => this.broken.push(text),
    sometimes: this.met,
    isUnsure: () => false,
  });

  /** Takes the next entry. `books`: the account state before it. */
  read(entry: JournalEntry, books: AccountState): void {
    const { fact } = entry;
    this.orders.read(entry);
    if (fact.kind === 'order' && fact.event.kind === 'sent') this.#sent(fact, books);
    if (fact.kind === 'syntheticEnded') this.#ended(fact, books.synthetics.of(fact.id), books);
  }

  /** A leg leaves only after the end of every other that may move the same shares. */
  #sent({ id }: Of<'order'>, books: AccountState): void {
    const { parent } = books.order(id);
    if (!parent) return;
    for (const other of this.orders.all.get(parent.id)?.orders ?? []) {
      const { state } = books.order(other.id);
      if (other.id === id || state.kind === 'planned' || hasEnded(books.order(other.id))) continue;
      if (areRivals(parent.leg, other.leg))
        this.broken.push(`${id}, ${parent.leg} of ${parent.id}, leaves while ${other.id} is ${state.kind}`);
    }
  }

  /** Without a word of anybody an exit ends only once nothing is left that could be sold. */
  #ended({ id, why }: Of<'syntheticEnded'>, state: SyntheticState, books: AccountState): void {
    const { order, children, ending } = state;
    const open = children.find(({ ended }) => ended === null);
    if (open)
      this.broken.push(`${order.symbol} ${id} ends (${why}) while its ${open.leg} ${open.id} goes on`);
    const [left, at] = [leftBy(books, state), priceIn(state)];
    if (ending === null && at !== null && isSellable(left, at))
      this.broken.push(`${id} ends (${why}) with ${formatDecimal(left)} ${order.symbol} unsold`);
  }
}

/** Shares that an exit has still to sell by the books: never more than its strategy holds. */
export function leftBy({ ledger }: AccountState, state: SyntheticState): Shares {
  const { terms, strategyId, symbol } = state.order;
  if (terms.kind === 'work' || terms.kind === 'stopBuy') return shares(0n);
  const held = ledger.held(strategyId, symbol);
  if ('quantity' in terms && terms.quantity === 'all') return shares(held);
  const whole: bigint = 'quantity' in terms ? (terms.quantity as Shares) : filledBy(state, 'entry');
  const left = whole - soldBy(state);
  return shares(left < held ? left : held);
}

/** Latest price that a held order knows; null before the first. */
export function priceIn({ stop, takeProfit, mark, children }: SyntheticState): Price | null {
  const traded = children.find(({ filled }) => filled > 0n);
  return stop ?? takeProfit ?? mark ?? (traded ? averageOf(traded) : null);
}

const averageOf = ({ notional, filled }: Child): Price => price((notional * WAD) / filled);

/** True for shares that the venue takes in one order at a price, or at one a tenth lower. */
export const isSellable = (quantity: Shares, at: Price): boolean =>
  quantity > 0n && notionalOf(quantity, at, 'down') * 10n >= MIN_NOTIONAL * 11n;

/** Moments of the held orders at which a kill is counted, as `bracket cancelling its take profit, triggered`. */
export const momentsOf = ({ synthetics, open }: AccountState): readonly string[] =>
  [...synthetics.live.values()].map(({ order: { terms }, trigger, children }) => {
    const going = children.filter(({ ended }) => ended === null);
    if (terms.kind === 'work') return `${terms.style.kind} ${going.length > 0 ? 'with a' : 'between'} slice`;
    const cancelled = going.find(({ id }) => (open.of(id)?.cancel.kind ?? 'none') !== 'none');
    const legs = going.map(({ leg }) => leg).join(' and ');
    if (cancelled) return `${terms.kind} cancelling its ${cancelled.leg}${trigger ? ', triggered' : ''}`;
    return `${terms.kind} ${trigger ? 'triggered' : 'armed'}${legs === '' ? '' : `, ${legs} under way`}`;
  });
