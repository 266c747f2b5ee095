import { formatDecimal, parseCash, WAD, type Cash } from '../../src/core/amount.ts';
import type { EpochMs } from '../../src/core/brand.ts';
import type { Ticker } from '../../src/domain/instrument.ts';
import type { Limits } from '../../src/domain/limits.ts';
import { createMarket } from '../../src/emulator/market/index.ts';
import type { Order } from '../../src/emulator/state/state.ts';
import type { VenueSide } from './venueSide.ts';

/** Limits of the account outside the session: so low that a night reaches them. */
const limitsOutside = (tight: boolean) => ({
  orderNotional: parseCash('1200'),
  positionNotional: parseCash('6000'),
  grossExposure: parseCash(tight ? '20000' : '50000'),
});

export type AccountLimits = Limits &
  Readonly<{
    orderNotional: Cash;
    positionNotional: Cash;
    grossExposure: Cash;
    ordersPerMinute: number;
    quoteAgeMs: number;
    outside?: ReturnType<typeof limitsOutside>;
  }>;

/** Limits of the account: those of the shipped config, or so low that every day reaches them; with `nights` others outside the session. */
export const limitsOf = ({
  tight,
  nights = false,
}: Readonly<{ tight: boolean; nights?: boolean }>): AccountLimits => ({
  orderNotional: parseCash('10000'),
  positionNotional: parseCash(tight ? '9500' : '25000'),
  grossExposure: parseCash(tight ? '24000' : '80000'),
  ordersPerMinute: 12,
  dayLoss: parseCash('5000'),
  priceBandBps: 500,
  quoteAgeMs: 60_000,
  ...(nights && { outside: limitsOutside(tight) }),
});

/** Tolerance for prices that move while a request is under way, and for fees. */
const SLACK_PERCENT = 105n;

/** Compares orders accepted by the venue with the limits of the account. */
export class Exposure {
  readonly #venue: VenueSide;
  readonly #limits: AccountLimits;
  readonly #market;

  constructor(venue: VenueSide, limits: AccountLimits) {
    this.#venue = venue;
    this.#limits = limits;
    this.#market = createMarket({ seed: venue.machine.state.seed });
  }

  /** The limit that an order exceeds, with every accepted order counted as filled; null for none. `isOutside`: it is one of the night. */
  beyond(order: Order, now: EpochMs, isOutside = false): string | null {
    if (order.side === 'sell') return null;
    const { orders, shocks } = this.#venue.machine.state;
    const bySymbol = new Map<Ticker, bigint>();
    for (const other of orders) {
      const { txHash, word, side } = other;
      if (this.#venue.foreign.has(txHash) || word === 'Failed') continue;
      if (side === 'buy' && txHash !== order.txHash && this.#venue.isUnknowable(txHash)) continue;
      const price = () => this.#market.priceAt(other.symbol, now, shocks);
      bySymbol.set(other.symbol, (bySymbol.get(other.symbol) ?? 0n) + worthOf(other, price));
    }
    const position = bySymbol.get(order.symbol) ?? 0n;
    const gross = [...bySymbol.values()].reduce((sum, each) => sum + each, 0n);
    const { orderNotional, positionNotional, grossExposure } = {
      ...this.#limits,
      ...(isOutside && this.#limits.outside),
    };
    const sums = [
      ['order', order.reserve, orderNotional],
      [`position in ${order.symbol}`, position, positionNotional],
      ['gross exposure', gross, grossExposure],
    ] as const;
    const over = sums.find(([, value, most]) => value * 100n > most * SLACK_PERCENT);
    return over ? `${over[0]} of ${formatDecimal(over[1])}, above ${formatDecimal(over[2])}` : null;
  }
}

function worthOf({ side, settlement, reserve }: Order, price: () => bigint): bigint {
  if (settlement === null) return side === 'buy' ? reserve : 0n;
  return ((side === 'buy' ? settlement.receive : -settlement.pay) * price()) / WAD;
}
