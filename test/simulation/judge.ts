import type { RawResponse, TransportRequest } from '../../src/api/transport.ts';
import type { EpochMs } from '../../src/core/brand.ts';
import type { AccountState } from '../../src/domain/account/accountState.ts';
import type { JournalEntry } from '../../src/domain/journalEvent.ts';
import type { Ticker } from '../../src/domain/instrument.ts';
import type { OrderId } from '../../src/domain/orders/order.ts';
import type { SignedSend } from '../../src/domain/venue.ts';
import { createMarket } from '../../src/emulator/market/index.ts';
import type { Order } from '../../src/emulator/state/state.ts';
import { Exposure, limitsOf } from './exposure.ts';
import type { Plan } from './plan.ts';
import { boundOf, Spending, type Deal } from './spending.ts';
import { Standing } from './standing.ts';
import type { VenueSide } from './venueSide.ts';

export type Promised = 'P1' | 'P2' | 'P3' | 'P4' | 'P5' | 'P6' | 'P7' | 'P8' | 'crash';
export type Violation = Readonly<{ promise: Promised; detail: string }>;

const MINUTE = 60_000;
/** Oldest look at orders and account that an order may follow, as where the config does not say. */
export const STATE_AGE_MS = 180_000;
/** A price that has jumped takes what is held beyond a bound all by itself. */
const JUMP_MS = 5 * MINUTE;

/** When a question has left and its answer was handed in. */
type Took = Readonly<{ begun: EpochMs; now: EpochMs }>;

type PriceRow = Readonly<{ symbol: string; lastUpdateTimestamp: number }>;
const NO_PRICES = '{"data":[]}';

/** By its ends: a search through all of it costs more. Half of an answer may end in a brace too, but not in that of the envelope. */
const isWhole = (body: string): boolean =>
  body.startsWith('{"code":200,') && /,"t":[^,{}]*\}$/.test(body.slice(-40));

/** What tells a send at both sides: the nonce of its request, or the hash of its signed bytes. */
const markOf = (request: SignedSend): string => ('body' in request ? request.nonce : request.txHash);

/** Watches journal, network and venue, none of which knows it, and notes where they contradict a promise. */
export class Judge {
  readonly violations: Violation[] = [];
  /** What each send that the journal knows is for, orders and cancels, by its mark. */
  readonly journaled = new Map<string, OrderId>();
  /** The one send of each order, by its mark. */
  readonly sends = new Map<OrderId, string>();
  readonly absent: Readonly<{ id: OrderId; assumed: boolean }>[] = [];
  /** What the harness has moved behind the runner's back, or a split has: sums of it prove nothing any more. */
  readonly moved = new Set<string>();
  readonly standing: Standing;
  readonly #plan: Plan;
  readonly #venue: VenueSide;
  readonly #limits;
  readonly #exposure: Exposure;
  readonly #symbols = new Map<OrderId, Ticker>();
  readonly #owners = new Map<OrderId, string>();
  readonly #spending: Spending;
  /** Bounds that were found exceeded: each is told once. */
  readonly #exceeded = new Set<string>();
  readonly #sentAt: EpochMs[] = [];
  /** The process that each send has left from, by its mark. */
  readonly #left = new Map<string, number>();
  #lives = 0;
  #jumpedAt = -Infinity;
  /** When this process has last read orders and balances. */
  readonly #readAt = new Map<'orders' | 'account', EpochMs>();
  #prices = NO_PRICES;
  skewMs = 0;

  constructor(venue: VenueSide, plan: Plan) {
    this.#venue = venue;
    this.#plan = plan;
    this.#limits = limitsOf(plan);
    this.#exposure = new Exposure(venue, this.#limits);
    const capitals = new Map(plan.strategies.map(({ id, capital }) => [id, capital]));
    const market = createMarket({ seed: venue.machine.state.seed });
    this.#spending = new Spending({
      limits: this.#limits,
      capitals,
      priceAt: (symbol, now) => market.priceAt(symbol, now, venue.machine.state.shocks),
    });
    this.standing = new Standing(plan.lies);
  }

  accuse(promise: Promised, detail: string): void {
    const isKnown = this.violations.some((known) => known.promise === promise && known.detail === detail);
    if (!isKnown && this.violations.length < 20) this.violations.push({ promise, detail });
  }

  committed(batch: readonly JournalEntry[]): void {
    for (const { fact } of batch) {
      if (fact.kind === 'planned') {
        this.#symbols.set(fact.order.id, fact.order.terms.symbol);
        this.#owners.set(fact.order.id, fact.order.owner);
      }
      if (fact.kind !== 'order') continue;
      const { id, event, request } = fact;
      if (event.kind === 'sent') {
        if (this.sends.has(id)) this.accuse('P1', `order ${id} is sent a second time`);
        if (!request) this.accuse('P1', `order ${id} is sent without its request`);
        else this.sends.set(id, markOf(request));
      }
      if (request) this.journaled.set(markOf(request), id);
      if (event.kind === 'absent') this.absent.push({ id, assumed: event.assumed });
    }
  }

  /** A new process has read nothing. */
  born(): void {
    this.#lives++;
    this.#readAt.clear();
    this.#prices = NO_PRICES;
    this.standing.born();
  }

  jumped(now: EpochMs): void {
    this.#jumpedAt = now;
  }

  /** The first byte of a request that sends something. */
  leaves({ method, uri, nonce }: TransportRequest, now: EpochMs): void {
    if (this.#left.has(nonce)) this.accuse('P1', `the request of ${method} ${uri} leaves a second time`);
    this.#leaves(nonce, `${method} ${uri}`, now);
  }

  /** The same bytes may be offered again, as long as the process lives that has signed them. Says whether they are. */
  offered(txHash: string, now: EpochMs): boolean {
    const before = this.#left.get(txHash);
    if (before !== undefined && before !== this.#lives)
      this.accuse('P1', `the transaction ${txHash} leaves again after a restart`);
    if (before === undefined) this.#leaves(txHash, `the transaction ${txHash}`, now);
    return before !== undefined;
  }

  #leaves(mark: string, what: string, now: EpochMs): void {
    const id = this.journaled.get(mark);
    if (id === undefined) this.accuse('P1', `${what} leaves before it is in the journal`);
    this.#left.set(mark, this.#lives);
    if (id === undefined || this.sends.get(id) !== mark) return;
    this.#sentAt.push(now);
    const recent = this.#sentAt.filter((at) => at > now - MINUTE).length;
    if (recent > this.#limits.ordersPerMinute) this.accuse('P5', `${recent} orders within a minute`);
    this.#fresh(id, now);
    const symbol = this.#symbols.get(id);
    if (symbol !== undefined && this.standing.isOverdue(symbol, now))
      this.accuse('P4', `order ${id} of ${symbol}, of which ledger and venue have differed for long`);
  }

  #fresh(id: OrderId, now: EpochMs): void {
    const ages = {
      prices: [now - this.#pricedAt(this.#symbols.get(id)), this.#limits.quoteAgeMs],
      orders: [now - (this.#readAt.get('orders') ?? -Infinity), STATE_AGE_MS],
      account: [now - (this.#readAt.get('account') ?? -Infinity), STATE_AGE_MS],
    } as const;
    for (const [what, [age, most]] of Object.entries(ages))
      if (age - Math.abs(this.skewMs) > most + 1_000)
        this.accuse('P6', `order ${id} on ${what} ${age} ms old`);
  }

  /** As the venue dates the newest price that this process has read. */
  #pricedAt(symbol: Ticker | undefined): number {
    const rows = (JSON.parse(this.#prices) as { data: PriceRow[] }).data;
    const row = rows.find((each) => each.symbol === symbol);
    return row ? row.lastUpdateTimestamp * 1_000 : -Infinity;
  }

  /** Money and stock may have moved: what strategies have really spent and hold stays within their bounds, whatever was said. */
  mined(now: EpochMs): void {
    if (this.#isUnsure || this.#jumpedAt > -Infinity) return;
    const deals = this.#venue.machine.state.orders.flatMap((order) => this.#dealOf(order) ?? []);
    const over = this.#spending.beyond(deals, now);
    if (over === null || this.#exceeded.has(boundOf(over))) return;
    this.#exceeded.add(boundOf(over));
    this.accuse('P5', over);
  }

  /** Null for an order of another program, and for one that was reverted. */
  #dealOf({ txHash, symbol, side, reserve, settlement, word, changes }: Order): Deal | null {
    const id = this.journaled.get(this.#venue.markByTx.get(txHash) ?? '');
    const owner = id && this.#owners.get(id);
    if (!owner || word === 'Failed') return null;
    return { owner, symbol, side, reserve, settlement, settledAt: changes.at(-1)?.at ?? Infinity };
  }

  /** Whether the run has moved what the venue has in a way that no sum of orders tells. */
  get #isUnsure(): boolean {
    const isMoved = this.moved.has('all') || this.#plan.action !== null;
    return isMoved || this.absent.some(({ assumed }) => assumed);
  }

  /** An answer that the runner can read whole is handed in. */
  answered({ uri }: TransportRequest, { status, body }: RawResponse, { begun, now }: Took): void {
    if (status !== 200 || !isWhole(body)) return;
    if (uri === '/api/v1/symbols') this.#prices = body;
    else if (uri.endsWith('/balance')) this.#readAt.set('account', now);
    else if (uri.endsWith('/positions')) this.standing.looked(begun);
    else if (uri.startsWith('/api/v1/orders?')) this.#readAt.set('orders', now);
  }

  /** The venue has taken an order. */
  accepted(mark: string, order: Order, now: EpochMs): void {
    const id = this.journaled.get(mark);
    if (id === undefined) return;
    const meant = this.#symbols.get(id);
    if (meant !== order.symbol) this.accuse('P5', `${id} is for ${meant ?? '?'} and trades ${order.symbol}`);
    if (this.#isUnsure || now - this.#jumpedAt < JUMP_MS) return;
    const over = this.#exposure.beyond(order, now);
    if (over !== null) this.accuse('P5', `${order.txHash} makes an ${over}`);
  }

  /** What a journal may not say of what the venue has, at any time: looked at after each crash, and at the end. */
  believes({ orders }: AccountState): void {
    for (const [mark, txHash] of this.#venue.txByMark) {
      const id = this.journaled.get(mark);
      if (id === undefined) this.accuse('P1', `the journal does not know the request of ${txHash}`);
      const order = id === undefined ? undefined : orders.get(id);
      if (!order) continue;
      const { state } = order;
      const isDenied = state.kind === 'planned' || state.kind === 'abandoned';
      if (isDenied || (state.kind === 'refused' && !state.sent && this.#isReal(txHash)))
        this.accuse('P2', `${order.id} is ${state.kind}, but the venue took it as ${txHash}`);
    }
    this.#noneDenied();
  }

  /** Whether the venue still has the order: a transaction that has reverted has left nothing. */
  #isReal(txHash: string): boolean {
    return (this.#venue.orders().get(txHash)?.word ?? 'Failed') !== 'Failed';
  }

  /** What was proved to be absent is absent. */
  #noneDenied(): void {
    const orders = this.#venue.orders();
    for (const { id, assumed } of this.absent) {
      const txHash = this.#venue.txByMark.get(this.sends.get(id) ?? '') ?? '';
      const real = orders.get(txHash);
      if (!real || assumed || real.minedAt === null || real.word === 'Failed') continue;
      // Denied by the node for ever and never linked to the key: once it has ended unfilled, the account agrees without it.
      if (this.#venue.lied.has(real.symbol) && real.filled === 0n) continue;
      this.accuse('P3', `${id} was closed as never placed, but ${txHash} is ${real.word}`);
    }
  }
}
