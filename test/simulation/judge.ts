import type { RawResponse, TransportRequest } from '../../src/api/transport.ts';
import { cash, parseDecimal } from '../../src/core/amount.ts';
import type { EpochMs } from '../../src/core/brand.ts';
import type { AccountState } from '../../src/domain/account/accountState.ts';
import type { JournalEntry } from '../../src/domain/journalEvent.ts';
import { FENCE_SLACK_MS } from '../../src/domain/orders/fence.ts';
import type { OrderIntent } from '../../src/domain/orders/orderIntent.ts';
import type { Ticker } from '../../src/domain/instrument.ts';
import type { OrderId } from '../../src/domain/orders/order.ts';
import { isTakeProfit } from '../../src/domain/orders/syntheticOrder.ts';
import type { SignedSend } from '../../src/domain/venue.ts';
import { createMarket } from '../../src/emulator/market/index.ts';
import type { Order } from '../../src/emulator/state/state.ts';
import { Claims, type Claim } from './claims.ts';
import { ExitWatch } from './exitWatch.ts';
import { GrowthWatch } from './growth.ts';
import { HeldOrders } from './heldOrders.ts';
import { Restraint } from './restraint.ts';
import type { Counters } from './sometimes.ts';
import { Exposure, limitsOf, type AccountLimits } from './exposure.ts';
import type { Plan } from './plan.ts';
import { boundOf, Spending, type Deal } from './spending.ts';
import { Standing } from './standing.ts';
import type { VenueSide } from './venueSide.ts';

export type Promised = 'P1' | 'P2' | 'P3' | 'P4' | 'P5' | 'P6' | 'P7' | 'P8' | 'P9' | 'P10' | 'P11' | 'crash';
export type Violation = Readonly<{ promise: Promised; detail: string }>;

const MINUTE = 60_000;
/** Oldest reading of orders and account that an order may be based on: the default of the config. */
export const STATE_AGE_MS = 180_000;
/** Time after a price jump in which positions may exceed a limit by themselves. */
const JUMP_MS = 5 * MINUTE;

/** Times at which a request left and its response was received. */
type Took = Readonly<{ begun: EpochMs; now: EpochMs }>;

type Absent = Readonly<{ id: OrderId; assumed: boolean }>;

type PriceRow = Readonly<{ symbol: string; price: number; lastUpdateTimestamp: number }>;
const NO_PRICES = '{"data":[]}';

/**
 * Matches a whole envelope by its ends, because searching all of it costs more. Half a response may end in a brace,
 * too, but not in that of the envelope.
 */
const isWhole = (body: string): boolean =>
  body.startsWith('{"code":200,') && /,"t":[^,{}]*\}$/.test(body.slice(-40));

/** Mark of a send on both sides: the nonce of its request, or the hash of its signed bytes. */
const markOf = (request: SignedSend): string => ('body' in request ? request.nonce : request.txHash);

/** Stocks that the strategies of a run trade. */
const STOCKS = 10n;

/** Limits on what the venue would have if every claim in doubt were a lie: with `limits.doubt` a stock, and one order. */
function doubtfulOf({ positionNotional, grossExposure, orderNotional }: AccountLimits) {
  const doubt = positionNotional;
  return {
    positionNotional: cash(positionNotional + doubt + orderNotional),
    grossExposure: cash(grossExposure + STOCKS * doubt + orderNotional),
  };
}

/** True for an intent of an exit, or of an operator's command. */
const isExit = ({ parent, command }: OrderIntent): boolean =>
  command !== undefined || (parent !== undefined && (parent.leg === 'exit' || isTakeProfit(parent.leg)));

/** Watches journal, network and venue, unknown to them, and notes where they contradict a promise. */
export class Judge {
  readonly violations: Violation[] = [];
  /** Purpose of each send in the journal, orders and cancels, by its mark. */
  readonly journaled = new Map<string, OrderId>();
  /** The only send of each order, by its mark. */
  readonly sends = new Map<OrderId, string>();
  /** Orders that the journal has ended as never placed, each with the time of that. */
  readonly absent: Absent[] = [];
  /** Assets that the harness or a split has moved without the runner: their sums prove nothing any more. */
  readonly moved = new Set<string>();
  readonly standing: Standing;
  readonly restraint: Restraint;
  readonly held: HeldOrders;
  readonly growth: GrowthWatch;
  readonly exits: ExitWatch;
  readonly #venue: VenueSide;
  readonly #limits;
  readonly #exposure: Exposure;
  readonly #symbols = new Map<OrderId, Ticker>();
  readonly #owners = new Map<OrderId, string>();
  /** Intents of exits and of commands: their sells pass what only guards buying. */
  readonly #exits = new Set<string>();
  /** Orders of phases outside the session. */
  readonly #ofNight = new Set<OrderId>();
  readonly #sells = new Map<OrderId, string>();
  readonly #spending: Spending;
  /** The same for what the venue would have if every claim in doubt were a lie. */
  readonly #doubted: Spending;
  readonly #claims = new Claims();
  /** Limits found exceeded: each is reported once. */
  readonly #exceeded = new Set<string>();
  readonly #sentAt: EpochMs[] = [];
  /** The process that sent each order or cancel, by its mark. */
  readonly #left = new Map<string, number>();
  #lives = 0;
  #jumpedAt = -Infinity;
  /** Times at which this process last read orders, and asked for balances that it then read. */
  readonly #readAt = new Map<'orders' | 'account', EpochMs>();
  #prices = NO_PRICES;
  skewMs = 0;

  constructor(venue: VenueSide, plan: Plan, sometimes: Counters) {
    this.#venue = venue;
    this.#limits = limitsOf(plan);
    this.#exposure = new Exposure(venue, this.#limits);
    const capitals = new Map(plan.strategies.map(({ id, capital }) => [id, capital]));
    const market = createMarket({ seed: venue.machine.state.seed });
    const priceAt = (symbol: Ticker, now: EpochMs) => market.priceAt(symbol, now, venue.machine.state.shocks);
    this.#spending = new Spending({ limits: this.#limits, capitals, priceAt });
    this.#doubted = new Spending({ limits: doubtfulOf(this.#limits), capitals: null, priceAt });
    this.standing = new Standing(plan.lies);
    this.held = new HeldOrders({
      accuse: (detail) => this.accuse('P10', detail),
      sometimes,
      isUnsure: (symbol) => this.#isUnsure || this.moved.has(symbol) || venue.lied.has(symbol),
    });
    this.growth = new GrowthWatch({
      accuse: (detail) => this.accuse('P4', detail),
      sometimes,
      announced: () => venue.machine.state.corporateActions,
    });
    this.exits = new ExitWatch(this.held, (detail) => this.accuse('P10', detail));
    this.restraint = new Restraint({ accuse: (detail) => this.accuse('P9', detail), sometimes });
  }

  accuse(promise: Promised, detail: string): void {
    const isKnown = this.violations.some((known) => known.promise === promise && known.detail === detail);
    if (!isKnown && this.violations.length < 20) this.violations.push({ promise, detail });
  }

  committed(batch: readonly JournalEntry[], now: EpochMs): void {
    for (const entry of batch) {
      const { fact } = entry;
      this.#claims.read(fact, now);
      this.restraint.read(entry);
      this.held.read(entry);
      this.growth.read(entry);
      if (fact.kind === 'planned') {
        this.#symbols.set(fact.order.id, fact.order.terms.symbol);
        this.#owners.set(fact.order.id, fact.order.strategyId);
        if (fact.order.until !== undefined) this.#ofNight.add(fact.order.id);
        if (fact.order.terms.side === 'sell') this.#sells.set(fact.order.id, fact.order.intentId);
      }
      if (fact.kind === 'intentCreated' && isExit(fact.intent)) this.#exits.add(fact.intent.id);
      if (fact.kind !== 'order') continue;
      const { id, event, request } = fact;
      if (event.kind === 'sent') {
        if (this.sends.has(id)) this.accuse('P1', `order ${id} is sent a second time`);
        if (!request) this.accuse('P1', `order ${id} is sent without its request`);
        else this.sends.set(id, markOf(request));
      }
      if (request) this.journaled.set(markOf(request), id);
      if (event.kind === 'absent') this.absent.push({ id, assumed: event.assumed });
      if (event.kind === 'accepted' || event.kind === 'reported') this.#turnsUp(id);
    }
  }

  /** Checks that an order which ended as never placed is shown again only as one that reverted later. */
  #turnsUp(id: OrderId): void {
    for (const absent of this.absent) {
      if (absent.id !== id || absent.assumed || this.#isLateRevert(this.#realOf(id))) continue;
      this.accuse('P3', `${id} was closed as never placed, and turns up`);
    }
  }

  /** Starts a new process, which has read nothing. */
  born(): void {
    this.#lives++;
    this.#readAt.clear();
    this.#prices = NO_PRICES;
    this.standing.born();
    this.exits.born();
  }

  jumped(now: EpochMs): void {
    this.#jumpedAt = now;
  }

  /** Handles the first byte of a request that sends something. */
  leaves({ method, uri, nonce }: TransportRequest, now: EpochMs): void {
    if (this.#left.has(nonce)) this.accuse('P1', `the request of ${method} ${uri} leaves a second time`);
    this.#leaves(nonce, `${method} ${uri}`, now);
  }

  /** True when bytes are offered again, which is allowed while the process that signed them lives. */
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
    const sale = this.#sells.get(id);
    const isExcused = sale !== undefined && (this.#exits.has(sale) || this.standing.isSurplus(symbol));
    if (symbol !== undefined && !isExcused && this.standing.isOverdue(symbol, now))
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

  /** Time of the newest price that this process has read, by the venue. */
  #pricedAt(symbol: Ticker | undefined): number {
    const rows = (JSON.parse(this.#prices) as { data: PriceRow[] }).data;
    const row = rows.find((each) => each.symbol === symbol);
    return row ? row.lastUpdateTimestamp * 1_000 : -Infinity;
  }

  /**
   * Checks, when money and stock may have moved, that the real spending and holdings of strategies are within their
   * limits, whatever was stated.
   */
  mined(now: EpochMs): void {
    if (this.#isUnsure || this.#jumpedAt > -Infinity) return;
    const { orders } = this.#venue.machine.state;
    const dealsOf = (all: readonly Order[]) => all.flatMap((order) => this.#dealOf(order) ?? []);
    const deals = dealsOf(orders);
    // An order that list and account deny together, or that is executed after its deadline, cannot be detected: the doubt bounds its purchase.
    const shown = dealsOf(
      orders.filter(({ side, txHash }) => side === 'sell' || !this.#venue.isUnknowable(txHash)),
    );
    this.#within(this.#spending.beyond(shown, now), '');
    const claimed = this.#claims.at(now).flatMap((claim) => this.#dealIfLie(claim) ?? []);
    this.#within(this.#doubted.beyond([...deals, ...claimed], now), ', if all in doubt were lies');
  }

  #within(over: string | null, when: string): void {
    if (over === null || this.#exceeded.has(boundOf(over) + when)) return;
    this.#exceeded.add(boundOf(over) + when);
    this.accuse('P5', over + when);
  }

  /** Deal that an order would be beyond what the venue really has of it, if its claimed end were a lie; null for nothing more. */
  #dealIfLie({ id, strategyId, symbol, reserve }: Claim): Deal | null {
    const real = this.#realOf(id);
    const counted = real && real.word !== 'Failed' ? (real.settlement?.pay ?? real.reserve) : 0n;
    if (reserve <= counted) return null;
    const rest = reserve - counted;
    return { owner: strategyId, symbol, side: 'buy', reserve: rest, settlement: null, settledAt: Infinity };
  }

  /** Deal of an order; null for one of another program, or a reverted one. */
  #dealOf({ txHash, symbol, side, reserve, settlement, word, changes }: Order): Deal | null {
    const id = this.journaled.get(this.#venue.markByTx.get(txHash) ?? '');
    const strategyId = id && this.#owners.get(id);
    if (!strategyId || word === 'Failed') return null;
    return {
      owner: strategyId,
      symbol,
      side,
      reserve,
      settlement,
      settledAt: changes.at(-1)?.at ?? Infinity,
    };
  }

  /** Price that this process has read last, made by the venue since an instant; null before the first. */
  priceRead(symbol: Ticker, since = -Infinity): bigint | null {
    const rows = (JSON.parse(this.#prices) as { data: PriceRow[] }).data;
    const row = rows.find((each) => each.symbol === symbol);
    return row && row.lastUpdateTimestamp * 1_000 >= since ? parseDecimal(String(row.price)) : null;
  }

  /** True when the run has moved the venue's balances in a way that no sum of orders explains. */
  get #isUnsure(): boolean {
    const hasActed = this.#venue.machine.state.corporateActions.some(({ appliedAt }) => appliedAt !== null);
    return hasActed || this.moved.has('all') || this.absent.some(({ assumed }) => assumed);
  }

  /** Handles a response that the runner can read completely. */
  answered({ uri }: TransportRequest, { status, body }: RawResponse, { begun, now }: Took): void {
    if (status !== 200 || !isWhole(body)) return;
    if (uri === '/api/v1/symbols') this.#prices = body;
    else if (uri.endsWith('/balance')) this.#readAt.set('account', begun);
    else if (uri.endsWith('/positions')) this.standing.looked(begun);
    else if (uri.startsWith('/api/v1/orders?')) this.#readAt.set('orders', now);
  }

  /** Handles an order accepted by the venue. */
  accepted(mark: string, order: Order, now: EpochMs): void {
    const id = this.journaled.get(mark);
    if (id === undefined) return;
    const meant = this.#symbols.get(id);
    if (meant !== order.symbol) this.accuse('P5', `${id} is for ${meant ?? '?'} and trades ${order.symbol}`);
    this.held.accepted(id, order);
    if (this.#isUnsure || now - this.#jumpedAt < JUMP_MS) return;
    const over = this.#exposure.beyond(order, now, this.#ofNight.has(id));
    if (over !== null) this.accuse('P5', `${order.txHash} makes an ${over}`);
  }

  /** Checks statements of the journal that the venue must never contradict: after each crash, and at the end. */
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

  /** True when the venue still has the order: a reverted transaction leaves nothing. */
  #isReal(txHash: string): boolean {
    return (this.#venue.orders().get(txHash)?.word ?? 'Failed') !== 'Failed';
  }

  /** Checks that orders proved absent are absent. */
  #noneDenied(): void {
    for (const absent of this.absent) {
      const real = this.#realOf(absent.id);
      // A revert has no such time: it moved nothing.
      if (!real || absent.assumed || real.minedAt === null || this.#isLateRevert(real)) continue;
      this.accuse('P3', `${absent.id} was closed as never placed, but ${real.txHash} is ${real.word}`);
    }
  }

  /** Order at the venue that the send of an order made. */
  #realOf(id: OrderId): Order | undefined {
    return this.#venue.orders().get(this.#venue.txByMark.get(this.sends.get(id) ?? '') ?? '');
  }

  /**
   * True for a transaction that was mined when the fence could already have ended its order: past its deadline it reverts,
   * and moves nothing. Nothing can prevent its mining then. If a venue executes it anyway, that cannot be detected: the
   * amount in doubt bounds it.
   */
  #isLateRevert(real: Order | undefined): boolean {
    if (!real) return false;
    const minedAt = this.#venue.minedAt(real.txHash);
    if (minedAt === null || minedAt <= real.deadline * 1_000 + FENCE_SLACK_MS) return false;
    return real.word === 'Failed' || this.#venue.overdue.has(real.txHash);
  }
}
