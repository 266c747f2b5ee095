import { formatDecimal, parseDecimal, WAD } from '../../src/core/amount.ts';
import type { AccountState } from '../../src/domain/account/accountState.ts';
import type { OrderId, Leg } from '../../src/domain/orders/order.ts';
import { openChild, type SyntheticState } from '../../src/domain/orders/syntheticOrder.ts';
import type { Held } from '../simulation/heldOrders.ts';
import { areRivals, isSellable, leftBy, priceIn } from './heldSide.ts';
import type { Finding } from './judge.ts';
import { isReal, markOfTrue, ordersOf, type TrueOrder, type TrueSides } from './sides.ts';

const SELLS: readonly Leg[] = ['take profit', 'second take profit', 'exit'];

/** A leg's order at the venue, from its mining to its end; wads of shares, or of mUSD without fees, that it has moved or may. */
type LegAtVenue = Readonly<{
  id: string;
  leg: Leg;
  from: number;
  to: number;
  shares: bigint;
  notional: bigint;
}>;

/**
 * Compares the venue's orders with the orders that the bot holds: never two exits at once, never more sold than was bought for it,
 * never more worked than was asked for. Stocks of `lied` are left out.
 */
export function judgeHeld(sides: TrueSides, lied: ReadonlySet<string>): Finding[] {
  const { held, broken } = { held: sides.journal.held.orders.all, broken: sides.journal.held.broken };
  const truths = truthsOf(sides);
  const seen = [...held.values()]
    .filter(({ order: { symbol } }) => !lied.has(symbol))
    .flatMap((each) => faultsOf(each, legsOf(each, truths)));
  return [...broken, ...seen].map((text) => ({ kind: 'held', text }));
}

function truthsOf(sides: TrueSides): ReadonlyMap<OrderId, TrueOrder> {
  const truths = new Map<OrderId, TrueOrder>();
  for (const truth of ordersOf(sides).filter(isReal)) {
    const [send] = sides.journal.sends.get(markOfTrue(truth)) ?? [];
    if (send) truths.set(send.id, truth);
  }
  return truths;
}

const legsOf = ({ orders }: Held, truths: ReadonlyMap<OrderId, TrueOrder>): readonly LegAtVenue[] =>
  orders
    .flatMap(({ id, leg }) => {
      const truth = truths.get(id);
      return truth ? [legOf(id, leg, truth)] : [];
    })
    .sort((one, other) => one.from - other.from);

function legOf(id: string, leg: Leg, truth: TrueOrder): LegAtVenue {
  const { minedAt, settledAt } = truth;
  const span = { from: Date.parse(minedAt ?? ''), to: settledAt === null ? Infinity : Date.parse(settledAt) };
  const wad = (text: string | null) => parseDecimal(text ?? '0');
  const isBuy = truth.side === 'Buy';
  if (settledAt !== null) {
    const fees = wad(truth.mintFee) + wad(truth.protocolFee);
    const [pay, receive] = [wad(truth.settlePay), wad(truth.settleReceive)];
    return isBuy
      ? { id, leg, ...span, shares: receive, notional: pay - fees }
      : { id, leg, ...span, shares: pay, notional: receive + fees };
  }
  // What it has bought so far counts as bought, all that it may still move as moved.
  const most = leg === 'entry' ? wad(truth.filledQuantity) : wad(truth.quantity ?? truth.filledQuantity);
  return { id, leg, ...span, shares: most, notional: wad(truth.notional) || (most * wad(truth.price)) / WAD };
}

function faultsOf(held: Held, legs: readonly LegAtVenue[]): string[] {
  const { id, terms } = held.order;
  const together = legs.flatMap((one, index) =>
    legs
      .slice(index + 1)
      .filter(({ leg, from }) => from < one.to && (areRivals(one.leg, leg) || areRivals(leg, one.leg)))
      .map((other) => `${other.id} (${other.leg}) of ${id} is at the venue beside ${one.id} (${one.leg})`),
  );
  const over = overOf(terms, legs);
  return over === null ? together : [...together, `${id} ${over}`];
}

/** Text for more than a held order may move; null where its orders stay within it. */
function overOf(terms: Held['order']['terms'], legs: readonly LegAtVenue[]): string | null {
  const moved = (of: 'shares' | 'notional', which: readonly Leg[]) =>
    legs.filter(({ leg }) => which.includes(leg)).reduce((sum, leg) => sum + leg[of], 0n);
  const compare = (what: string, amount: bigint, most: bigint) =>
    amount > most ? `${what} ${formatDecimal(amount)}, and may ${formatDecimal(most)}` : null;
  if (terms.kind === 'work')
    return 'quantity' in terms.total
      ? compare('works', moved('shares', ['slice']), terms.total.quantity)
      : compare('works mUSD', moved('notional', ['slice']), terms.total.notional);
  if (terms.kind === 'bracket') return compare('sells', moved('shares', SELLS), moved('shares', ['entry']));
  if (terms.kind === 'stopBuy') return compare('buys', moved('shares', ['entry']), terms.quantity);
  return terms.quantity === 'all' ? null : compare('sells', moved('shares', SELLS), terms.quantity);
}

/** Reasons for which a due exit may wait at a day's end. */
export type Excuses = Readonly<{
  /** True when an alarm has named the strategy or the stock of a held order. */
  isTold: (state: SyntheticState) => boolean;
}>;

/** Held orders that are due at the end of a session without faults, and are not under way. */
export function judgeHeldEnd({ journal: { books, held } }: TrueSides, { isTold }: Excuses): Finding[] {
  const unknown = [...books.synthetics.live.keys()].filter(
    (id) => held.orders.all.get(id)?.hasEnded !== false,
  );
  const due = [...books.synthetics.live.values()].filter((state) => isDue(state, books) && !isTold(state));
  return [
    ...unknown.map((id) => `${id} is held by the books, and not by the journal`),
    ...due.map(({ order }) => `${order.id} should have sold ${order.symbol}, and nothing of it is under way`),
  ].map((text) => ({ kind: 'held', text }));
}

function isDue(state: SyntheticState, books: AccountState): boolean {
  const { strategyId, symbol } = state.order;
  const price = priceIn(state);
  if (state.trigger === null || price === null || !isSellable(leftBy(books, state), price)) return false;
  const isUnderWay = SELLS.some((leg) => openChild(state, leg) !== undefined);
  return !isUnderWay && !books.frozen.has(symbol) && books.trading.on({ strategyId, symbol }) === null;
}
