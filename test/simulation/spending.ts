import { formatDecimal, WAD, type Cash } from '../../src/core/amount.ts';
import type { EpochMs } from '../../src/core/brand.ts';
import type { Ticker } from '../../src/domain/instrument.ts';
import { createMarket } from '../../src/emulator/market/index.ts';
import type { Order } from '../../src/emulator/state.ts';
import type { AccountLimits } from './exposure.ts';
import type { VenueSide } from './venueSide.ts';

/** Quotes move between a decision and its fill, and fees come on top. */
const SLACK_PERCENT = 105n;
/** Rounding of what an order reserves. */
const DUST = WAD / 100n;

type Bounds = Readonly<{
  limits: AccountLimits;
  /** mUSD that each strategy was given, by its id. */
  capitals: ReadonlyMap<string, Cash>;
}>;

/** What the orders of one symbol have left: shares, what was paid for them, and what buys under way lock. */
type Holding = { shares: bigint; cost: bigint; locked: bigint };

/** Compares what strategies have really spent and hold, by the venue's own orders, with their capital and the account's limits. */
export class Spending {
  readonly #venue: VenueSide;
  readonly #bounds: Bounds;
  readonly #market;

  constructor(venue: VenueSide, bounds: Bounds) {
    this.#venue = venue;
    this.#bounds = bounds;
    this.#market = createMarket({ seed: venue.machine.state.seed });
  }

  /**
   * The bound that is exceeded at this moment, or null. A position counts at what was paid for it or at its present worth, whichever
   * is less, since prices move after a purchase. `ownerOf` gives the strategy of an order; orders without one are not the runner's.
   */
  beyond(ownerOf: (order: Order) => string | null, now: EpochMs): string | null {
    const own = this.#venue.machine.state.orders.filter((order) => ownerOf(order) !== null);
    return this.#overspent(own, ownerOf) ?? this.#overexposed(own, now);
  }

  #overspent(orders: readonly Order[], ownerOf: (order: Order) => string | null): string | null {
    const spent = new Map<string, bigint>();
    for (const order of orders) {
      const owner = ownerOf(order) ?? '';
      spent.set(owner, (spent.get(owner) ?? 0n) + spentBy(order));
    }
    for (const [owner, amount] of spent) {
      const capital = this.#bounds.capitals.get(owner) ?? 0n;
      if (amount > capital + DUST)
        return `${owner} has spent ${formatDecimal(amount)} of a capital of ${formatDecimal(capital)}`;
    }
    return null;
  }

  #overexposed(orders: readonly Order[], now: EpochMs): string | null {
    const { positionNotional, grossExposure } = this.#bounds.limits;
    const isOver = (value: bigint, most: bigint) => value * 100n > most * SLACK_PERCENT;
    let gross = 0n;
    for (const [symbol, holding] of holdingsOf(orders)) {
      const value = this.#valueOf(symbol, holding, now);
      if (isOver(value, positionNotional))
        return `${symbol} stands at ${formatDecimal(value)}, above ${formatDecimal(positionNotional)}`;
      gross += value;
    }
    return isOver(gross, grossExposure)
      ? `all stocks stand at ${formatDecimal(gross)}, above ${formatDecimal(grossExposure)}`
      : null;
  }

  #valueOf(symbol: Ticker, { shares, cost, locked }: Holding, now: EpochMs): bigint {
    const worth = (shares * this.#market.priceAt(symbol, now, this.#venue.machine.state.shocks)) / WAD;
    return locked + (worth < cost ? worth : cost);
  }
}

/** Cash that an order has taken or locks, less what it has brought. */
function spentBy({ side, settlement, reserve, word }: Order): bigint {
  if (word === 'Failed') return 0n;
  if (side === 'buy') return settlement ? settlement.pay : reserve;
  return settlement ? -settlement.receive : 0n;
}

/** By symbol, at average cost in the order in which orders have settled. */
function holdingsOf(orders: readonly Order[]): ReadonlyMap<Ticker, Holding> {
  const bySymbol = new Map<Ticker, Holding>();
  const settledAt = ({ changes }: Order) => changes.at(-1)?.at ?? Infinity;
  for (const order of orders.toSorted((a, b) => settledAt(a) - settledAt(b))) {
    const holding = bySymbol.get(order.symbol) ?? { shares: 0n, cost: 0n, locked: 0n };
    bySymbol.set(order.symbol, holding);
    take(holding, order);
  }
  return bySymbol;
}

function take(holding: Holding, { side, settlement, reserve, word }: Order): void {
  if (word === 'Failed') return;
  if (!settlement) {
    if (side === 'buy') holding.locked += reserve;
  } else if (side === 'buy') {
    holding.shares += settlement.receive;
    holding.cost += settlement.pay;
  } else if (holding.shares > 0n) {
    const sold = settlement.pay < holding.shares ? settlement.pay : holding.shares;
    holding.cost -= (holding.cost * sold) / holding.shares;
    holding.shares -= sold;
  }
}
