import type { Ticker } from '../domain/instrument.ts';

/** What a hold is for: at most one of each on everything, and on each symbol. */
export type HoldCause =
  'blind' | 'order list' | 'skew' | 'price' | 'corporate action' | 'contract' | `order ${string}`;

/**
 * What keeps orders back until it is lifted: all of them, or those of one symbol. Unlike a frozen symbol it goes away by
 * itself, when the venue has shown what was missing; after a restart what is still so is found again.
 */
export class Holds {
  readonly #all = new Map<HoldCause, string>();
  readonly #bySymbol = new Map<Ticker, Map<HoldCause, string>>();

  /** Why nothing at all is sent, or null. */
  get everything(): string | null {
    return firstOf(this.#all);
  }

  /** Why no order of a symbol is sent, or null. */
  against(symbol: Ticker): string | null {
    return this.everything ?? firstOf(this.#bySymbol.get(symbol));
  }

  has(cause: HoldCause, symbol?: Ticker): boolean {
    return this.#of(symbol)?.has(cause) ?? false;
  }

  /** False when it was there before. */
  put(cause: HoldCause, why: string, symbol?: Ticker): boolean {
    if (symbol !== undefined && !this.#bySymbol.has(symbol)) this.#bySymbol.set(symbol, new Map());
    const isNew = !this.has(cause, symbol);
    this.#of(symbol)?.set(cause, why);
    return isNew;
  }

  /** False when it was not there. */
  lift(cause: HoldCause, symbol?: Ticker): boolean {
    return this.#of(symbol)?.delete(cause) ?? false;
  }

  #of(symbol: Ticker | undefined): Map<HoldCause, string> | undefined {
    return symbol === undefined ? this.#all : this.#bySymbol.get(symbol);
  }
}

const firstOf = (reasons: ReadonlyMap<HoldCause, string> | undefined): string | null =>
  reasons?.values().next().value ?? null;
