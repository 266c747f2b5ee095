import { cash, shares, WAD, type Cash, type Shares } from '../../core/amount.ts';
import type { Ticker } from '../instrument.ts';
import type { Side } from '../venue.ts';
import { UNALLOCATED } from './ledger.ts';

/** Position of one owner in one stock. `cost`: mUSD paid for the held shares, including fees. */
export type Position = Readonly<{ quantity: Shares; cost: Cash; realised: Cash }>;

export type Trade = Readonly<{
  strategyId: string;
  symbol: Ticker;
  side: Side;
  pay: bigint;
  receive: bigint;
}>;

export type Change = Readonly<{ before: Position; after: Position }>;

const NONE: Position = { quantity: shares(0n), cost: cash(0n), realised: cash(0n) };

export type Gift = Readonly<{ strategyId: string; symbol: Ticker; quantity: bigint; cost: Cash }>;

/** Positions by owner and symbol at average cost. Only settled orders, deposits and corporate actions change them. */
export class Positions {
  private readonly byStrategy = new Map<string, Map<Ticker, Position>>();
  /** Counts changes. */
  readonly version: number = 0;

  of(strategyId: string, symbol: Ticker): Position {
    return this.byStrategy.get(strategyId)?.get(symbol) ?? NONE;
  }

  all(strategyId: string): ReadonlyMap<Ticker, Position> {
    return this.byStrategy.get(strategyId) ?? new Map<Ticker, Position>();
  }

  /** Books a trade. Returns the change, which `undo` reverses. */
  settle({ strategyId, symbol, side, pay, receive }: Trade): Change {
    const before = this.of(strategyId, symbol);
    const after =
      side === 'buy'
        ? bought(before, pay, receive)
        : strategyId === UNALLOCATED
          ? soldByHand(before, pay, receive)
          : sold(before, pay, receive);
    this.#set(strategyId, symbol, after);
    return { before, after };
  }

  undo({ strategyId, symbol }: Pick<Trade, 'strategyId' | 'symbol'>, { before, after }: Change): void {
    this.#set(strategyId, symbol, less(this.of(strategyId, symbol), less(after, before)));
  }

  /** Adds stock from the wallet at its value. */
  bring({ strategyId, symbol, quantity, cost }: Gift): void {
    this.#set(strategyId, symbol, bought(this.of(strategyId, symbol), cost, quantity));
  }

  /** Rescales the shares after a split; their cost stays. */
  split(strategyId: string, symbol: Ticker, rescaled: (quantity: bigint) => bigint): void {
    const before = this.byStrategy.get(strategyId)?.get(symbol);
    if (before) this.#set(strategyId, symbol, { ...before, quantity: shares(rescaled(before.quantity)) });
  }

  /** Removes stock that is gone, as if sold at its value: its owner keeps the profit made so far. */
  remove({ strategyId, symbol, quantity, value }: Omit<Gift, 'cost'> & Readonly<{ value: Cash }>): void {
    this.#set(strategyId, symbol, sold(this.of(strategyId, symbol), quantity, value));
  }

  /** Adds a dividend to the realised profit. */
  earn(strategyId: string, symbol: Ticker, amount: Cash): void {
    const before = this.of(strategyId, symbol);
    this.#set(strategyId, symbol, { ...before, realised: cash(before.realised + amount) });
  }

  #set(strategyId: string, symbol: Ticker, after: Position): void {
    (this as { version: number }).version++;
    const own = this.byStrategy.get(strategyId);
    if (own) own.set(symbol, after);
    else this.byStrategy.set(strategyId, new Map([[symbol, after]]));
  }
}

const less = (a: Position, b: Position): Position => ({
  quantity: shares(a.quantity - b.quantity),
  cost: cash(a.cost - b.cost),
  realised: cash(a.realised - b.realised),
});

const bought = ({ quantity, cost, realised }: Position, pay: bigint, receive: bigint): Position => ({
  quantity: shares(quantity + receive),
  cost: cash(cost + pay),
  realised,
});

function sold({ quantity, cost, realised }: Position, pay: bigint, receive: bigint): Position {
  const costOfSold = quantity === 0n ? 0n : (cost * pay) / quantity;
  return {
    quantity: shares(quantity - pay),
    cost: cash(cost - costOfSold),
    realised: cash(realised + receive - costOfSold),
  };
}

/**
 * Position after a sell of unallocated stock. Shares that the account held before have no cost: only those bought by
 * hand count, and are sold first.
 */
function soldByHand(before: Position, pay: bigint, receive: bigint): Position {
  const known = pay < before.quantity ? pay : before.quantity;
  return known === 0n ? before : sold(before, known, (receive * known) / pay);
}

/** Average cost per held share as a wad; null if none are held. */
export const averageCost = ({ quantity, cost }: Position): bigint | null =>
  quantity > 0n ? (cost * WAD) / quantity : null;
