import { toNumber } from '../core/amount.ts';
import type { EpochMs } from '../core/brand.ts';
import type { Entry } from '../domain/fact.ts';
import type { Ticker } from '../domain/instrument.ts';
import type { Desk } from '../engine/desk.ts';

/** Time and price of a decision: what the strategy knew when it asked for an order. */
export type Decision = Readonly<{
  at: EpochMs;
  /** Price that the strategy was shown then, mUSD for a share of today; null when there was none. */
  price: number | null;
}>;

/** Keeps the decisions behind orders until these have ended. */
export class Decisions {
  readonly #market: Desk['market'];
  readonly #open = new Map<string, Decision & Readonly<{ symbol: Ticker }>>();

  constructor({ market }: Pick<Desk, 'market'>) {
    this.#market = market;
  }

  /** Takes in what a turn brought, before the next price is known. */
  take({ fact }: Entry): void {
    if (fact.kind === 'wishEnded') this.#open.delete(fact.id);
    if (fact.kind !== 'wished') return;
    const { id, symbol, at } = fact.wish;
    const price = this.#market.price(symbol);
    this.#open.set(id, { symbol, at, price: price === null ? null : toNumber(price) });
  }

  /** Converts the prices of a stock to its shares after a split. @param per shares that one has become */
  split(symbol: Ticker, per: number): void {
    for (const [id, decision] of this.#open)
      if (decision.symbol === symbol && decision.price !== null)
        this.#open.set(id, { ...decision, price: decision.price / per });
  }

  /** Decision of the wish of this id, until the wish has ended. */
  of(wish: string): Decision | undefined {
    return this.#open.get(wish);
  }
}
