import type { RawResponse, TransportRequest } from '../../src/api/transport.ts';
import { formatDecimal, parseCash, WAD, type Cash } from '../../src/core/amount.ts';
import type { EpochMs } from '../../src/core/brand.ts';
import type { Entry } from '../../src/domain/fact.ts';
import type { OrderId } from '../../src/domain/order.ts';
import type { Ticker } from '../../src/domain/instrument.ts';
import type { Limits } from '../../src/domain/limits.ts';
import { balanceOf } from '../../src/emulator/ledger.ts';
import { createMarket } from '../../src/emulator/market/index.ts';
import type { Order } from '../../src/emulator/state.ts';
import type { VenueSide } from './venueSide.ts';

export type Promised = 'P1' | 'P2' | 'P3' | 'P4' | 'P5' | 'P6' | 'P7' | 'P8' | 'crash';
export type Violation = Readonly<{ promise: Promised; detail: string }>;

/** What the account may do, as in the config that is shipped. */
export const LIMITS: Limits & Readonly<{ grossExposure: Cash; ordersPerMinute: number; quoteAgeMs: number }> =
  {
    orderNotional: parseCash('10000'),
    positionNotional: parseCash('25000'),
    grossExposure: parseCash('80000'),
    ordersPerMinute: 12,
    dayLoss: parseCash('5000'),
    priceBandBps: 500,
    quoteAgeMs: 60_000,
  };

const MINUTE = 60_000;
/** Prices move while a request is on its way, and fees come on top. */
const SLACK_PERCENT = 105n;

/** Watches journal, network and venue, none of which knows it, and notes where they contradict a promise. */
export class Judge {
  readonly violations: Violation[] = [];
  /** The request of each order and cancel that the journal knows, by its nonce. */
  readonly journaled = new Map<string, OrderId>();
  /** The one request of each order. */
  readonly sends = new Map<OrderId, string>();
  readonly absent: Readonly<{ id: OrderId; assumed: boolean }>[] = [];
  /** The harness has moved money or shares, or a split has: sums prove nothing any more. */
  isMoneyMoved = false;
  readonly #venue: VenueSide;
  readonly #started: ReadonlyMap<string, bigint>;
  readonly #market;
  readonly #sentAt: EpochMs[] = [];
  readonly #seen = new Set<string>();
  /** When the venue made the newest price list that this process has read whole. */
  #pricedAt = -Infinity;
  skewMs = 0;

  constructor(venue: VenueSide) {
    this.#venue = venue;
    this.#market = createMarket({ seed: venue.machine.state.seed });
    this.#started = this.#holdings();
  }

  accuse(promise: Promised, detail: string): void {
    if (this.violations.length < 20) this.violations.push({ promise, detail });
  }

  committed(batch: readonly Entry[]): void {
    for (const { fact } of batch) {
      if (fact.kind !== 'order') continue;
      const { id, event, request } = fact;
      if (event.kind === 'sent') {
        if (this.sends.has(id)) this.accuse('P1', `order ${id} is sent a second time`);
        if (!request || !('body' in request)) this.accuse('P1', `order ${id} is sent without its request`);
        else this.sends.set(id, request.nonce);
      }
      if (request && 'body' in request) this.journaled.set(request.nonce, id);
      if (event.kind === 'absent') this.absent.push({ id, assumed: event.assumed });
    }
  }

  /** A new process knows no price. */
  born(): void {
    this.#pricedAt = -Infinity;
  }

  leaves({ method, uri, nonce }: TransportRequest, now: EpochMs): void {
    const id = this.journaled.get(nonce);
    if (id === undefined) this.accuse('P1', `${method} ${uri} leaves before it is in the journal`);
    if (this.#seen.has(nonce)) this.accuse('P1', `the request of ${id ?? uri} leaves a second time`);
    this.#seen.add(nonce);
    if (method !== 'POST') return;
    this.#sentAt.push(now);
    const recent = this.#sentAt.filter((at) => at > now - MINUTE).length;
    if (recent > LIMITS.ordersPerMinute) this.accuse('P5', `${recent} orders within a minute`);
    const age = now - this.#pricedAt - Math.abs(this.skewMs);
    if (age > LIMITS.quoteAgeMs + 1_000) this.accuse('P6', `order ${id ?? ''} on prices ${age} ms old`);
  }

  answered({ uri }: TransportRequest, { status, body }: RawResponse, now: EpochMs): void {
    if (uri !== '/api/v1/symbols' || status !== 200) return;
    const made = /"t":(\d{13})\}$/.exec(body)?.[1];
    if (made !== undefined) this.#pricedAt = Math.max(this.#pricedAt, Math.min(Number(made), now));
  }

  /** The venue has taken an order. */
  accepted(nonce: string, order: Order, now: EpochMs): void {
    if (!this.journaled.has(nonce)) return;
    if (this.isMoneyMoved || this.absent.length > 0) return;
    const { state } = this.#venue.machine;
    let gross = 0n;
    for (const [symbol, quantity] of this.#holdings())
      gross += this.#worth(symbol, quantity - (this.#started.get(symbol) ?? 0n), now);
    for (const other of state.orders) {
      const isLive = other.settlement === null && other.word !== 'Failed' && other.closing !== 'Rejected';
      const isBuy = other.side === 'buy' && !this.#venue.foreign.has(other.txHash);
      // What is never mined cannot spend; the runner cannot know, so it only counts on the runner's side.
      if (isLive && isBuy) gross += other.reserve;
    }
    if (order.side === 'buy' && gross * 100n > LIMITS.grossExposure * SLACK_PERCENT)
      this.accuse('P5', `gross exposure of ${formatDecimal(gross)} at ${new Date(now).toISOString()}`);
  }

  /** Shares of the account, locked ones included. */
  #holdings(): Map<string, bigint> {
    const { state } = this.#venue.machine;
    const holder = this.#venue.key.userAddress;
    const held = new Map<string, bigint>();
    for (const { symbol } of state.orders) if (!held.has(symbol)) held.set(symbol, 0n);
    for (const symbol of [...held.keys(), 'AAPL', 'MSFT'])
      held.set(
        symbol,
        balanceOf(state.balances, { holder, bucket: 'exchange' }, symbol as Ticker) +
          balanceOf(state.balances, { holder, bucket: 'locked' }, symbol as Ticker),
      );
    return held;
  }

  #worth(symbol: string, quantity: bigint, at: EpochMs): bigint {
    const { state } = this.#venue.machine;
    return (quantity * this.#market.priceAt(symbol as Ticker, at, state.shocks)) / WAD;
  }
}
