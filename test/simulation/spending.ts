import { formatDecimal, WAD, type Cash } from '../../src/core/amount.ts';
import type { EpochMs } from '../../src/core/brand.ts';
import type { Ticker } from '../../src/domain/instrument.ts';
import type { Side } from '../../src/domain/venue.ts';
import type { AccountLimits } from './exposure.ts';

/** Tolerance for quotes that move between decision and fill, and for fees. */
const SLACK_PERCENT = 105n;
/** Tolerance for the rounding of reserves. */
const DUST = WAD / 100n;

type Bounds = Readonly<{
  limits: Pick<AccountLimits, 'positionNotional' | 'grossExposure'>;
  /** Capital of each strategy in mUSD, by its id; null where it bounds nothing. */
  capitals: ReadonlyMap<string, Cash> | null;
  priceAt: (symbol: Ticker, now: EpochMs) => bigint;
}>;

/** An order as the venue has it, unless it reverted. Amounts are wads. */
export type Deal = Readonly<{
  /** The strategy that placed it. */
  owner: string;
  symbol: Ticker;
  side: Side;
  /** Reserve: mUSD with fees for a buy. */
  reserve: bigint;
  /** mUSD with fees and shares for a buy, shares and mUSD after fees for a sell; null while it is open. */
  settlement: Readonly<{ pay: bigint; receive: bigint }> | null;
  /** Time of its settlement; in the future while it is open. */
  settledAt: number;
}>;

/** Remaining position of one symbol: shares, their cost, and the amount locked by buys under way. */
type Holding = { shares: bigint; cost: bigint; locked: bigint };

/**
 * Compares the real spending and holdings of strategies, by the venue's own orders, with their capital and the
 * account's limits.
 */
export class Spending {
  readonly #bounds: Bounds;

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
  }

  /**
   * The limit exceeded at this moment, or null. A position counts at its cost or its present worth, whichever is less,
   * because prices move after a purchase.
   */
  beyond(deals: readonly Deal[], now: EpochMs): string | null {
    return this.#overspent(deals) ?? this.#overexposed(deals, now);
  }

  #overspent(deals: readonly Deal[]): string | null {
    const { capitals } = this.#bounds;
    if (!capitals) return null;
    const spent = new Map<string, bigint>();
    for (const deal of deals) spent.set(deal.owner, (spent.get(deal.owner) ?? 0n) + spentBy(deal));
    for (const [strategyId, amount] of spent) {
      const capital = capitals.get(strategyId) ?? 0n;
      if (amount > capital + DUST)
        return `${strategyId} has spent ${formatDecimal(amount)} of a capital of ${formatDecimal(capital)}`;
    }
    return null;
  }

  #overexposed(deals: readonly Deal[], now: EpochMs): string | null {
    const { positionNotional, grossExposure } = this.#bounds.limits;
    const isOver = (value: bigint, most: bigint) => value * 100n > most * SLACK_PERCENT;
    let gross = 0n;
    for (const [symbol, holding] of holdingsOf(deals)) {
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
    const worth = (shares * this.#bounds.priceAt(symbol, now)) / WAD;
    return locked + (worth < cost ? worth : cost);
  }
}

/** The limit that a finding names, without its figures: each is reported once. */
export const boundOf = (finding: string): string => finding.replace(/[\d.]+/g, '');

/** Cash that an order has spent or locked, less its proceeds. */
function spentBy({ side, settlement, reserve }: Deal): bigint {
  if (side === 'buy') return settlement ? settlement.pay : reserve;
  return settlement ? -settlement.receive : 0n;
}

/** Positions by symbol, at average cost in the order of settlement. */
function holdingsOf(deals: readonly Deal[]): ReadonlyMap<Ticker, Holding> {
  const bySymbol = new Map<Ticker, Holding>();
  for (const deal of deals.toSorted((a, b) => a.settledAt - b.settledAt)) {
    const holding = bySymbol.get(deal.symbol) ?? { shares: 0n, cost: 0n, locked: 0n };
    bySymbol.set(deal.symbol, holding);
    take(holding, deal);
  }
  return bySymbol;
}

function take(holding: Holding, { side, settlement, reserve }: Deal): void {
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
