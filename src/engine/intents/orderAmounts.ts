import { shares, toNumber, type Price, type Shares } from '../../core/amount.ts';
import { InvalidValueError } from '../../core/errors.ts';
import type { Instrument, Ticker } from '../../domain/instrument.ts';
import type { Side } from '../../domain/venue.ts';
import type { Decimal } from '../../strategy/orderTerms.ts';
import type { EngineContext } from '../state/engineContext.ts';
import { refuse } from './refusal.ts';
import { toPrice, toShares, toTickPrice } from './terms.ts';

/** `known`: stocks listed in its `data`. */
type AmountScope = Readonly<{ strategyId: string; known: ReadonlySet<string> }>;

/** Stocks that a strategy's calls may use, and exact amounts of the values it passes. */
export class OrderAmounts {
  readonly #context: EngineContext;
  readonly #scope: AmountScope;

  constructor(context: EngineContext, scope: AmountScope) {
    this.#context = context;
    this.#scope = scope;
  }

  /** @throws {OrderRefusal} for a stock that is not listed now. @throws {InvalidValueError} for one that is not in `data` */
  instrument(symbol: string): Instrument {
    if (!this.#scope.known.has(symbol)) throw new InvalidValueError(this.#unknownText(symbol));
    const instrument = this.#context.market.instruments.get(symbol as Ticker);
    return instrument ?? refuse('NOT_TRADABLE', `${JSON.stringify(symbol)} is not listed at this venue`);
  }

  /** Stock of an open order. @throws {OrderRefusal} for one that is no longer listed, or no longer in `data` */
  instrumentOfOpen(symbol: Ticker): Instrument {
    if (!this.#scope.known.has(symbol))
      refuse('NOT_TRADABLE', `${this.#unknownText(symbol)}: the order stays as it is, and may be cancelled`);
    return this.instrument(symbol);
  }

  #unknownText(symbol: string): string {
    return `${JSON.stringify(symbol)} is none of the symbols that the strategy asks for in data(): ${[...this.#scope.known].join(', ')}`;
  }

  /**
   * Shares to sell. The number shown by `view.position` means the whole holding, even though a number lacks its last
   * digits: otherwise a remainder too small to sell would stay.
   */
  toSell(value: Decimal, instrument: Instrument): Shares {
    const quantity = toShares(value, instrument);
    if (typeof value === 'string' || !instrument.fractionable) return quantity;
    const held = this.#context.accountState.ledger.held(this.#scope.strategyId, instrument.symbol);
    return quantity !== held && toNumber(held) === value ? shares(held) : quantity;
  }

  toTrade(value: Decimal, side: Side, instrument: Instrument): Shares {
    return side === 'sell' ? this.toSell(value, instrument) : toShares(value, instrument);
  }

  limitPrice(value: Decimal, side: Side, instrument: Instrument): Price {
    return this.#context.rules.plainExchange
      ? toPrice(value, instrument)
      : toTickPrice(value, { side, instrument });
  }
}
