import { price as asPrice, type Price } from '../../core/amount.ts';
import { rescalePrice, type Split } from '../../domain/corporateAction.ts';
import type { Ticker } from '../../domain/instrument.ts';
import type { JournalReader } from '../../store/readJournal.ts';

/** Price of a stock as of an entry of the journal; null if none was recorded before. */
type PricePoint = Readonly<{ price: Price | null; seq: number }>;

const UNKNOWN: PricePoint = { price: null, seq: 0 };

/**
 * Latest prices as of an entry, found backwards from it: quotes are most of a journal, and only a few of them matter to a record. The
 * numbers of entries that it is asked for never fall; one may be of an entry that is still to come.
 */
export class PastPrices {
  readonly #known = new Map<Ticker, PricePoint>();
  readonly #reader: Pick<JournalReader, 'backwards'>;

  constructor(reader: Pick<JournalReader, 'backwards'>) {
    this.#reader = reader;
  }

  /** Finds the prices of some stocks as of the entry of this number. */
  learn(symbols: Iterable<Ticker>, seq: number): void {
    const missing = new Map<Ticker, PricePoint>();
    for (const symbol of symbols) {
      const known = this.#known.get(symbol) ?? UNKNOWN;
      if (known.seq < seq) missing.set(symbol, known);
    }
    for (const [symbol, { price }] of missing) this.#known.set(symbol, { price, seq });
    this.#find(missing, seq);
  }

  #find(missing: Map<Ticker, PricePoint>, seq: number): void {
    if (missing.size === 0) return;
    const oldest = Math.min(...[...missing.values()].map((known) => known.seq));
    for (const line of this.#reader.backwards(['quotes'], seq)) {
      if (line.seq < oldest) return;
      for (const [symbol, price] of line.fact.prices) {
        const known = missing.get(symbol);
        if (!known || line.seq < known.seq) continue;
        missing.delete(symbol);
        this.#known.set(symbol, { price, seq });
      }
      if (missing.size === 0) return;
    }
  }

  /** Converts the price of a stock to shares after a split, which is the entry of this number. */
  split(split: Split, seq: number): void {
    this.learn([split.symbol], seq);
    const price = this.price(split.symbol);
    if (price !== null) this.#known.set(split.symbol, { price: asPrice(rescalePrice(price, split)), seq });
  }

  /** Latest price found; null if none was recorded. */
  price(symbol: Ticker): Price | null {
    return this.#known.get(symbol)?.price ?? null;
  }
}
