import { parseDecimal } from '../../src/core/amount.ts';
import { epochMs, type EpochMs } from '../../src/core/brand.ts';
import { ticker } from '../../src/domain/instrument.ts';
import { boundOf, type Deal, type Spending } from '../simulation/spending.ts';
import type { Finding } from './judge.ts';
import { isReal, ordersOf, type TrueOrder, type TrueSides } from './sides.ts';

/** An order with the time from which it locks money or stock. */
type Lasting = Deal & Readonly<{ minedAt: number }>;

/** Compares the venue's real state of an account, at each moment at which it moved, with capital and limits. */
export class SpendingSide {
  readonly #spending: Spending;
  /** Time up to which all moments have been checked. */
  #until = -Infinity;

  constructor(spending: Spending) {
    this.#spending = spending;
  }

  /** Checks each moment since the last call. A limit exceeded many times is one finding. */
  look(sides: Omit<TrueSides, 'journal'>, ownerOf: (order: TrueOrder) => string | null): Finding[] {
    const deals = ordersOf(sides)
      .filter(isReal)
      .flatMap((order) => dealOf(order, ownerOf(order)) ?? []);
    const now = epochMs(Date.parse(sides.truth.now));
    const times = deals.flatMap(({ minedAt, settledAt }) => [minedAt, settledAt]);
    const moments = new Set([...times.filter((at) => at > this.#until && at <= now), now]);
    this.#until = now;
    const found = new Map<string, Finding>();
    for (const at of [...moments].sort((a, b) => a - b)) {
      const over = this.#spending.beyond(asOf(deals, epochMs(at)), epochMs(at));
      if (over === null || found.has(boundOf(over))) continue;
      found.set(boundOf(over), { kind: 'exceeded', text: `${new Date(at).toISOString()}: ${over}` });
    }
    return [...found.values()];
  }
}

/** Orders of the chain at a moment, with the amounts they had moved by then. */
const asOf = (deals: readonly Lasting[], at: EpochMs): Deal[] =>
  deals
    .filter(({ minedAt }) => minedAt <= at)
    .map((deal) => (deal.settledAt <= at ? deal : { ...deal, settlement: null, settledAt: Infinity }));

/** Strategy of an order; null for an unknown order, which is a finding of its own. */
function dealOf(order: TrueOrder, owner: string | null): Lasting | null {
  if (owner === null) return null;
  const { minedAt, settledAt, settlePay, settleReceive } = order;
  const timeOf = (text: string | null) => (text === null ? Infinity : Date.parse(text));
  const settlement = { pay: parseDecimal(settlePay ?? '0'), receive: parseDecimal(settleReceive ?? '0') };
  return {
    owner,
    symbol: ticker(order.symbol),
    side: order.side === 'Buy' ? 'buy' : 'sell',
    reserve: parseDecimal(order.reserve),
    settlement: settledAt === null ? null : settlement,
    settledAt: timeOf(settledAt),
    minedAt: timeOf(minedAt),
  };
}
