import { tradingCalendar } from '../../src/calendar/index.ts';
import { formatDecimal, parseCash, parsePrice, parseShares, type Cash } from '../../src/core/amount.ts';
import { epochMs, epochSeconds } from '../../src/core/brand.ts';
import { seededRandom } from '../../src/core/seededRandom.ts';
import { VirtualClock } from '../../src/core/virtualClock.ts';
import type { CorporateAction, DividendRules } from '../../src/domain/corporateAction.ts';
import { ticker, type DayReading } from '../../src/domain/instrument.ts';
import type { OrderTerms, SendGate, SignedSend } from '../../src/domain/venue.ts';
import { SimulatedBook, type BookStore } from '../../src/sim/simulatedBook.ts';
import { createSimulatedVenue, type QuoteSlippage } from '../../src/sim/simulatedVenue.ts';
import { decode, encode } from '../../src/store/codec.ts';

/** A Monday, 10:00 in New York; the session runs from 13:30 to 20:00 UTC. */
export const MORNING = epochMs(Date.parse('2026-06-15T14:00:00Z'));
export const CLOSE = epochMs(Date.parse('2026-06-15T20:00:00Z'));
export const SECOND = 1_000;
export const AAPL = ticker('AAPL');
const stock = '0x0000000000000000000000000000000000000001' as const;

export const buyFor = (notional: string): OrderTerms => ({
  symbol: AAPL,
  stock,
  type: 'market',
  side: 'buy',
  notional: parseCash(notional),
});
export const sellAll = (quantity: string): OrderTerms => ({
  symbol: AAPL,
  stock,
  type: 'market',
  side: 'sell',
  quantity: parseShares(quantity),
});
export const limit = (side: 'buy' | 'sell', quantity: string, price: string): OrderTerms => ({
  symbol: AAPL,
  stock,
  type: 'limit',
  side,
  quantity: parseShares(quantity),
  price: parsePrice(price),
});

/** Keeps saved values as text, as a disk would. */
export function storeIn(kept: Map<string, string>): BookStore {
  return {
    *all() {
      for (const [name, text] of kept) yield [name, decode(text)];
    },
    save: (changed) => {
      for (const [name, value] of changed) kept.set(name, encode(value));
    },
  };
}

const AT_ONCE: QuoteSlippage = { kind: 'none' };
let benches = 0;

type Options = Readonly<{
  slippage?: QuoteSlippage;
  start?: number;
  kept?: Map<string, string>;
  opening?: Cash;
  /** Orders also fill outside the session, in a stock that trades there. */
  dayEnds?: DayReading;
  dividends?: DividendRules;
}>;

/** A simulated venue over a market of one stock, at a price that a test sets. */
export class Bench {
  readonly clock: VirtualClock;
  readonly kept: Map<string, string>;
  readonly venue;
  readonly committed: SignedSend[] = [];
  price = parsePrice('100');
  quotedAt: number | null = null;
  stop: string | null = null;
  /** Splits and dividends of the market. */
  actions: readonly CorporateAction[] = [];

  constructor({
    slippage = AT_ONCE,
    start = MORNING,
    kept = new Map(),
    opening,
    dayEnds,
    dividends,
  }: Options = {}) {
    this.clock = new VirtualClock({ start: epochMs(start) });
    this.kept = kept;
    const listing = () => ({
      instrument: {
        symbol: AAPL,
        address: stock,
        tradable: true,
        fractionable: true,
        overnightTradable: dayEnds !== undefined,
      },
      quote: { symbol: AAPL, price: this.price, at: epochMs(this.quotedAt ?? this.clock.now()) },
    });
    this.venue = createSimulatedVenue({
      clock: this.clock,
      calendar: tradingCalendar,
      slippage,
      dayEnds,
      dividends,
      chainId: 143,
      random: seededRandom(benches++),
      market: {
        listings: () => Promise.resolve([listing()]),
        bars: () => Promise.resolve([]),
        corporateActions: () => Promise.resolve(this.actions),
      },
      book: new SimulatedBook(storeIn(kept), {
        opening: opening ?? parseCash('10000'),
        now: this.clock.now(),
      }),
    });
  }

  get gate(): SendGate {
    return {
      open: () => (this.stop === null ? { deadline: epochSeconds(2_000_000_000) } : { stop: this.stop }),
      commit: (request) => void this.committed.push(request),
    };
  }

  async place(terms: OrderTerms): Promise<string> {
    const outcome = await this.venue.place(terms, this.gate);
    if (outcome.kind !== 'accepted') throw new Error(outcome.kind);
    return outcome.txHash;
  }

  /** A read of the market, a second later. */
  async look(price?: string): Promise<void> {
    if (price !== undefined) this.price = parsePrice(price);
    await this.clock.advanceBy(SECOND);
    await this.venue.listings();
  }

  async row(txHash: string) {
    const report = await this.venue.orderByTx(txHash);
    if (!report) throw new Error('no such order');
    return report;
  }

  async statusOf(txHash: string): Promise<string> {
    return (await this.row(txHash)).status;
  }

  /** Free cash and shares. */
  async balances(): Promise<readonly [string, string]> {
    const { cash, holdings } = await this.venue.account();
    return [formatDecimal(cash), formatDecimal(holdings.get(AAPL)?.exchange ?? 0n)];
  }
}
