import { cash, shares, WAD, type Cash, type Shares } from '../../core/amount.ts';
import type { Ticker } from '../instrument.ts';
import type { Side } from '../venue.ts';

/** Position of one owner in one stock. `cost`: mUSD paid for the held shares, fees included. */
export type Position = Readonly<{ quantity: Shares; cost: Cash; realised: Cash }>;

export type Trade = Readonly<{ owner: string; symbol: Ticker; side: Side; pay: bigint; receive: bigint }>;

/** Position before and after a trade. */
export type Change = Readonly<{ before: Position; after: Position }>;

const NONE: Position = { quantity: shares(0n), cost: cash(0n), realised: cash(0n) };

export type Gift = Readonly<{ owner: string; symbol: Ticker; quantity: bigint; cost: Cash }>;

/** Positions by owner and symbol at average cost. Settled orders, deposits and corporate actions move them, and nothing else. */
export class Positions {
  readonly #byOwner = new Map<string, Map<Ticker, Position>>();

  of(owner: string, symbol: Ticker): Position {
    return this.#byOwner.get(owner)?.get(symbol) ?? NONE;
  }

  all(owner: string): ReadonlyMap<Ticker, Position> {
    return this.#byOwner.get(owner) ?? new Map<Ticker, Position>();
  }

  /** Books a trade. Returns the change, which `undo` takes back. */
  settle({ owner, symbol, side, pay, receive }: Trade): Change {
    const before = this.of(owner, symbol);
    const after = side === 'buy' ? bought(before, pay, receive) : sold(before, pay, receive);
    this.#set(owner, symbol, after);
    return { before, after };
  }

  /** Takes back the change of a trade. */
  undo({ owner, symbol }: Pick<Trade, 'owner' | 'symbol'>, { before, after }: Change): void {
    this.#set(owner, symbol, less(this.of(owner, symbol), less(after, before)));
  }

  /** Adds stock that comes from the wallet, at its value. */
  bring({ owner, symbol, quantity, cost }: Gift): void {
    this.#set(owner, symbol, bought(this.of(owner, symbol), cost, quantity));
  }

  /** Rescales the shares after a split; their cost stays. */
  split(owner: string, symbol: Ticker, rescaled: (quantity: bigint) => bigint): void {
    const before = this.#byOwner.get(owner)?.get(symbol);
    if (before) this.#set(owner, symbol, { ...before, quantity: shares(rescaled(before.quantity)) });
  }

  /** Removes stock that is gone, as if sold at its value: its owner keeps the profit made so far. */
  remove({ owner, symbol, quantity, value }: Omit<Gift, 'cost'> & Readonly<{ value: Cash }>): void {
    this.#set(owner, symbol, sold(this.of(owner, symbol), quantity, value));
  }

  /** Adds a dividend to the realised profit. */
  earn(owner: string, symbol: Ticker, amount: Cash): void {
    const before = this.of(owner, symbol);
    this.#set(owner, symbol, { ...before, realised: cash(before.realised + amount) });
  }

  #set(owner: string, symbol: Ticker, after: Position): void {
    const own = this.#byOwner.get(owner);
    if (own) own.set(symbol, after);
    else this.#byOwner.set(owner, new Map([[symbol, after]]));
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

/** Average cost of a held share as a wad; null when none is held. */
export const averageCost = ({ quantity, cost }: Position): bigint | null =>
  quantity > 0n ? (cost * WAD) / quantity : null;
