import { magnitude, stepOf } from '../../core/amount.ts';
import { DEBT, WALLET, type Ledger, type Side } from '../../domain/account/ledger.ts';
import type { Ticker } from '../../domain/instrument.ts';

/** Part of a growth, and millionths of a share, by which rounding may make it differ from that of the token. */
const PART = 1_000n;
const STEP = stepOf(6);

/** Multipliers of tokens by their contracts, as wads: as a payment began, and now. */
export class MultiplierHistory {
  readonly #ledger: Ledger;
  readonly #known = new Map<Ticker, Readonly<{ before: bigint; now: bigint }>>();

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /** Takes a multiplier as read now. That from before a payment stays while it `isDue`. */
  take(symbol: Ticker, now: bigint, isDue: boolean): void {
    const before = isDue ? (this.#known.get(symbol)?.before ?? now) : now;
    this.#known.set(symbol, { before, now });
  }

  /** Moves the begin of what comes next to the multiplier up to which growth goes that is about to be booked, whichever was read. */
  advance(symbol: Ticker, { venue, wallet }: Readonly<Record<Side, bigint>>): void {
    const known = this.#known.get(symbol);
    const held = this.#held(symbol, 'venue') + this.#held(symbol, 'wallet');
    if (known && held > 0n)
      this.#known.set(symbol, { ...known, before: (known.before * (held + venue + wallet)) / held });
  }

  /** True for shares beyond the ledger by which all of the stock at a place, locked or not, has grown as its token has. */
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
