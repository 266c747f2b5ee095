import { magnitude, stepOf } from '../../core/amount.ts';
import { DEBT, WALLET, type Ledger, type Side } from '../../domain/account/ledger.ts';
import type { Ticker } from '../../domain/instrument.ts';

/** Rounding tolerance between a growth and its token's growth: a fraction of it, plus millionths of a share. */
const PART = 1_000n;
const STEP = stepOf(6);

/** Multipliers of tokens from their contracts, as wads: at the start of a payment, and now. */
export class MultiplierHistory {
  readonly #ledger: Ledger;
  readonly #known = new Map<Ticker, Readonly<{ before: bigint; now: bigint }>>();

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /** Records a multiplier just read. The one from before a payment is kept while it `isDue`. */
  take(symbol: Ticker, now: bigint, isDue: boolean): void {
    const before = isDue ? (this.#known.get(symbol)?.before ?? now) : now;
    this.#known.set(symbol, { before, now });
  }

  /** Moves the base multiplier forward by growth that is about to be booked, whatever multiplier was read. */
  advance(symbol: Ticker, { venue, wallet }: Readonly<Record<Side, bigint>>): void {
    const known = this.#known.get(symbol);
    const held = this.#held(symbol, 'venue') + this.#held(symbol, 'wallet');
    if (known && held > 0n)
      this.#known.set(symbol, { ...known, before: (known.before * (held + venue + wallet)) / held });
  }

  /** True for a surplus of shares by which all stock at a place, locked or not, has grown like its token. */
  explain(symbol: Ticker, place: Side, growth: bigint): boolean {
    const { before, now } = this.#known.get(symbol) ?? { before: 0n, now: 0n };
    if (before <= 0n || now <= before) return false;
    const expected = (this.#held(symbol, place) * now) / before - this.#held(symbol, place);
    return magnitude(growth - expected) <= expected / PART + STEP;
  }

  #held(symbol: Ticker, place: Side): bigint {
    if (place === 'venue') return this.#ledger.total(symbol);
    return place === 'wallet' ? this.#ledger.at(WALLET, symbol) : -this.#ledger.at(DEBT, symbol);
  }
}
