import { tradingCalendar } from '../calendar/index.ts';
import {
  notionalOf,
  price as asPrice,
  shares,
  wadFromNumber,
  type Cash,
  type Price,
} from '../core/amount.ts';
import type { EpochMs } from '../core/brand.ts';
import type { Clock } from '../core/clock.ts';
import { InvalidValueError } from '../core/errors.ts';
import { hashHex } from '../core/random.ts';
import { seededRandom } from '../core/seededRandom.ts';
import type { Bar } from '../domain/bar.ts';
import { buyCost, sellProceeds } from '../domain/fees.ts';
import { ticker, type Address, type Ticker } from '../domain/instrument.ts';
import type { BarQuery, Listing, SendGate, SendOutcome, Venue } from '../domain/venue.ts';
import { SimulatedBook } from '../sim/simulatedBook.ts';
import { createSimulatedVenue } from '../sim/simulatedVenue.ts';
import { settledAmounts } from '../sim/settlement.ts';
import { documentsOn, type Disk } from './memory.ts';

const ADDRESS_DIGITS = 42;
const CHAIN_ID = 1;

/** Prices and bars set by a test. It outlives the runs. */
export class StagedMarket {
  readonly #prices = new Map<Ticker, Price>();
  readonly #bars: Bar[] = [];

  /** Sets the price of a stock, which also lists it. @throws {InvalidValueError} for anything but a price above 0 */
  set(symbol: string, price: number): void {
    if (!(price > 0)) throw new InvalidValueError(`the price of ${symbol} is ${price}: give one above 0`);
    this.#prices.set(ticker(symbol), asPrice(wadFromNumber(price)));
  }

  add(bar: Bar): void {
    this.#bars.push(bar);
  }

  listings(now: EpochMs): Listing[] {
    return [...this.#prices].map(([symbol, price]) => ({
      instrument: {
        symbol,
        address: hashHex(symbol).slice(0, ADDRESS_DIGITS) as Address,
        tradable: true,
        fractionable: true,
        overnightTradable: false,
      },
      quote: { symbol, price, at: now },
    }));
  }

  bars({ symbol, interval, from = -Infinity as EpochMs, to, limit }: BarQuery): Bar[] {
    const all = this.#bars.filter(
      (bar) => bar.symbol === symbol && bar.interval === interval && bar.start >= from && bar.start < to,
    );
    return all.sort((a, b) => a.start - b.start).slice(-limit);
  }
}

type ExchangeParts = Readonly<{ market: StagedMarket; disk: Disk; clock: Clock; opening: Cash }>;

/** A simulated venue over the staged market, with methods for tests to refuse orders and end them partly filled. */
export class StagedExchange {
  readonly venue: Venue;
  readonly #book: SimulatedBook;
  readonly #refusals: string[] = [];

  constructor({ market, disk, clock, opening }: ExchangeParts) {
    this.#book = new SimulatedBook(documentsOn(disk), { opening, now: clock.now() });
    const simulated = createSimulatedVenue({
      market: {
        listings: () => Promise.resolve(market.listings(clock.now())),
        bars: (query) => Promise.resolve(market.bars(query)),
      },
      book: this.#book,
      clock,
      calendar: tradingCalendar,
      slippage: { kind: 'none' },
      chainId: CHAIN_ID,
      // A different seed in each run, so that no two orders have the same hash.
      random: seededRandom(disk.lines.length),
    });
    this.venue = {
      ...simulated,
      place: (terms, gate) => {
        const reason = this.#refusals.shift();
        return reason === undefined ? simulated.place(terms, gate) : Promise.resolve(refuse(gate, reason));
      },
    };
  }

  /** True while an order rests at the exchange, whether or not the run has read it. */
  isOpen(txHash: string): boolean {
    return this.#book.order(txHash)?.status === 'open';
  }

  /** Refuses the next order. */
  refuse(reason: string): void {
    this.#refusals.push(reason);
  }

  /** Ends an open order partly filled at its limit price. @throws {InvalidValueError} when it is not open */
  end(
    txHash: string,
    { status, filled }: Readonly<{ status: 'cancelled' | 'expired'; filled: number }>,
  ): void {
    const order = this.#book.open.find((open) => open.txHash === txHash);
    if (order?.terms.type !== 'limit')
      throw new InvalidValueError(
        'only a limit order that rests at the exchange can end with a part of it filled',
      );
    const { side, price, quantity } = order.terms;
    const part = shares(wadFromNumber(filled));
    if (part <= 0n || part >= quantity)
      throw new InvalidValueError(`${filled} is not a part of the order: give fewer shares than it has`);
    const notional = notionalOf(part, price, side === 'sell' ? 'down' : 'up');
    const fees = side === 'sell' ? sellProceeds(notional) : buyCost(notional);
    const { mintFee, protocolFee } = fees;
    const amounts = settledAmounts({ side, filled: part, notional, mintFee, protocolFee });
    this.#book.fill(order, { price, ...amounts, txHash: hashHex(`part of ${txHash}`) }, status);
  }
}

/** Refusal of a sent order, with a text that proves that it was not placed. */
function refuse(gate: SendGate, reason: string): SendOutcome {
  const permit = gate.open();
  if ('stop' in permit) return { kind: 'stopped', reason: permit.stop };
  const txHash = hashHex(`refused ${permit.deadline}`);
  gate.commit({ chainId: CHAIN_ID, to: '0x', nonce: 0, raw: '0x', txHash });
  return { kind: 'refused', reason, unsent: true };
}
