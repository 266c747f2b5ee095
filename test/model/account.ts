/**
 * One user's money and stock at the venue: what is available and what open orders lock. Both reported balances are net of locks.
 */
export interface Holding {
  available: bigint;
  locked: bigint;
}

export class ModelAccount {
  /** Shares owed for deferred sells, by symbol. */
  readonly debts = new Map<string, bigint>();
  readonly #holdings = new Map<string, Holding>();

  constructor(opening: ReadonlyMap<string, Holding>) {
    for (const [asset, holding] of opening) this.#holdings.set(asset, { ...holding });
  }

  holding(asset: string): Holding {
    const known = this.#holdings.get(asset);
    if (known !== undefined) return known;
    const empty = { available: 0n, locked: 0n };
    this.#holdings.set(asset, empty);
    return empty;
  }

  assets(): readonly string[] {
    return [...this.#holdings.keys()];
  }

  lock(asset: string, amount: bigint): void {
    const holding = this.holding(asset);
    holding.available -= amount;
    holding.locked += amount;
  }

  /** Ends a lock: `spent` of it leaves the account, the rest is available again. */
  settle(asset: string, locked: bigint, spent: bigint): void {
    const holding = this.holding(asset);
    holding.locked -= locked;
    holding.available += locked - spent;
  }

  owe(symbol: string, shares: bigint): void {
    this.debts.set(symbol, (this.debts.get(symbol) ?? 0n) + shares);
  }

  receive(asset: string, amount: bigint): void {
    this.holding(asset).available += amount;
  }
}

/** The name of mUSD among an account's assets; stocks go by their symbols. */
export const CASH = 'mUSD';

/** Name of an asset in the user's own wallet. */
export const inWallet = (asset: string): string => `${asset} in the wallet`;
