import { price as asPrice, type Price } from '../../core/amount.ts';
import { rescalePrice, type Split } from '../../domain/corporateAction.ts';
import type { Ticker } from '../../domain/instrument.ts';
import type { JournalReader } from '../../store/readJournal.ts';

/** Price of a stock as of a journal entry; null if none was recorded before. */
type PricePoint = Readonly<{ price: Price | null; seq: number }>;

const UNKNOWN: PricePoint = { price: null, seq: 0 };

/**
 * Latest prices as of an entry, found by reading backwards: quotes are most of a journal, and a record needs only a few
 * of them. The entry numbers requested never decrease; one may be that of the next entry.
 */
export class PastPrices {
  readonly #known = new Map<Ticker, PricePoint>();
  readonly #reader: Pick<JournalReader, 'backwards'>;

  constructor(reader: Pick<JournalReader, 'backwards'>) {
    this.#reader = reader;
  }

  /** Finds the prices of some stocks as of the entry with this number. */
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

  /** Converts the price of a stock to post-split shares; `seq` is the number of the split's entry. */
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
