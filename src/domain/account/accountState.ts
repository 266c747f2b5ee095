import { cash, shares, type Cash } from '../../core/amount.ts';
import type { EpochMs } from '../../core/brand.ts';
import { InvariantError } from '../../core/errors.ts';
import { Acceptances, bookAcceptance } from './acceptance.ts';
import { ActionBook } from './actionBook.ts';
import { Externals, type External } from '../orders/reportMatching.ts';
import type { BookedKind, JournalEntry, JournalEvent, JournalEventOf } from '../journalEvent.ts';
import { Doubts } from '../orders/doubts.ts';
import { Failures, Sends } from '../orders/orderActivity.ts';
import { SettledTrades } from '../orders/settledTrades.ts';
import { Freezes } from './freezes.ts';
import type { Ticker } from '../instrument.ts';
import { freeOf, Ledger, reservedOf, UNALLOCATED, VENUE } from './ledger.ts';
import { ShortfallCover } from './shortfallCover.ts';
import {
  bareId,
  filledOf,
  hasEnded,
  sentOf,
  txHashOf,
  type Order,
  type OrderId,
  assetOf,
  assetReceived,
  endPostings,
  isDeferred,
  paidBy,
  paymentBack,
  type OrderEvent,
} from '../orders/order.ts';
import { TradingStates } from '../operator/tradingState.ts';
import { IntentFills } from '../orders/intentFills.ts';
import { OpenOrders } from '../orders/openOrders.ts';
import { transition } from '../orders/orderMachine.ts';
import { TransferBook } from '../transfers/transferBook.ts';
import { EndTotals } from './endTotals.ts';
import { EquityPeaks, shiftedBy } from './equityPeaks.ts';
import { Positions, type Change } from './positions.ts';
import type { Side, SignedSend } from '../venue.ts';
import type { OrderIntent } from '../orders/orderIntent.ts';
import { moved, placed } from '../orders/syntheticOrder.ts';
import { SyntheticBook } from '../orders/syntheticBook.ts';
import { Pins } from './pinBook.ts';
import { OperatorCommands } from '../operator/operatorCommands.ts';

type Step<Kind extends JournalEvent['kind']> = (
  account: AccountState,
  fact: JournalEventOf<Kind>,
  at: EpochMs,
) => void;

/** Account as the bot knows it: folded only from the journal's events. Checkpoints store its fields that are not `#private`. */
export class AccountState {
  readonly ledger = new Ledger();
  readonly positions = new Positions();
  readonly transfers = new TransferBook(this.ledger, this.positions);
  orders = new Map<OrderId, Order>();
  readonly open = new OpenOrders();
  /** Orders that have not ended, oldest first. */
  readonly live: ReadonlyMap<OrderId, Order> = this.open.all;
  /** Intents that have not ended, oldest first. */
  readonly intents = new Map<string, OrderIntent>();
  /** Synthetic orders, which the bot runs itself. */
  readonly synthetics = new SyntheticBook();
  readonly filledByIntent = new IntentFills(this.intents);
  readonly endTotals = new EndTotals();
  readonly actions = new ActionBook(this);
  /** Ended orders, latest end last: when each end became known, and its change of a position. */
  ended = new Map<OrderId, Readonly<{ at: EpochMs; change: Change | null }>>();
  /** Orders with fills not yet delivered to their strategies, oldest first. */
  readonly undelivered = new Set<OrderId>();
  /** Orders whose settlement was reversed after their fill had been delivered. */
  private readonly deliveredOnce = new Set<OrderId>();
  private readonly shortfallCover = new ShortfallCover(this.ledger);
  byTx = new Map<string, OrderId>();
  /** Nonces of transactions signed by the wallet itself, by hash. */
  readonly nonces = new Map<string, number>();
  /** Orders by venue id, without its hex prefix. */
  byVenueId = new Map<string, OrderId>();
  /** Orders closed as never placed, or refused, without a known transaction: matched again only by terms and time. */
  readonly absent = new Map<OrderId, Order>();
  readonly cancelHashes = new Set<string>();
  readonly states = new Map<string, Readonly<Record<string, unknown>>>();
  readonly stopped = new Map<string, string>();
  /**
   * Restarts of strategies whose code was lost with a shared thread: the latest of each, and the strategies that ended
   * or outgrew a thread and therefore have one of their own.
   */
  readonly restarts = {
    latest: new Map<string, Readonly<{ at: EpochMs; why: string }>>(),
    alone: new Set<string>(),
  };
  /** Strategies of this process that wait for their warm-up bars. */
  readonly warming = new Set<string>();
  readonly externals = new Externals();
  readonly external: ReadonlyMap<string, External> = this.externals.all;
  readonly failures = new Failures();
  readonly doubts = new Doubts();
  readonly freezes = new Freezes();
  readonly frozen: ReadonlyMap<Ticker, string> = this.freezes.why;
  readonly pins = new Pins();
  readonly differences: (JournalEventOf<'difference'> & Readonly<{ at: EpochMs }>)[] = [];
  readonly allocations = new Map<string, Cash>();
  /** Time of each strategy's first start: that of its first allocation, which may be zero. */
  readonly firstStarts = new Map<string, EpochMs>();
  readonly sends = new Sends();
  readonly trades = new SettledTrades(this.positions);
  /** Number of attempts per intent, for the ids of orders. */
  attempts = new Map<string, number>();
  /** Time at which each timer last fired, by `<strategy> <timer>`. */
  readonly timers = new Map<string, EpochMs>();
  /** Equity by owner at the session's open; all strategies together have the empty key. */
  dayStart: ReadonlyMap<string, Cash> | null = null;
  readonly peaks = new EquityPeaks();
  readonly acceptances = new Acceptances();
  /** Value in mUSD of all balances of the venue that operators have accepted. */
  accepted = cash(0n);
  /** The latest session with a recorded open or close. */
  sessionDate: string | null = null;
  /** The latest trading day that began, if phases outside the session are traded. */
  dayDate: string | null = null;
  /** True when the close of `sessionDate` was recorded. */
  sessionClosed = false;
  sessionsClosed = 0;
  /** Latest session that the venue has contradicted by stating another. */
  doubtedDate: string | null = null;
  intentCount = 0;
  /** Trading restrictions, and operators' commands. */
  readonly trading = new TradingStates();
  readonly commands = new OperatorCommands();
  /** Highest rate, above all known ones, that settlements of a side have charged, in hundredths of a percent. */
  readonly feesTaken = new Map<Side, number>();
  /** True if strategies first started with 0.8.0 or earlier, when rebalances kept unweighted stocks; null before a start. */
  keptRest: boolean | null = null;
  /** Number of the process that writes the journal. */
  epoch = 0;
  opened: Readonly<{ at: EpochMs; equity: Cash }> | null = null;

  /** Handler of each kind of event. */
  static readonly #steps: { readonly [Kind in BookedKind]: Step<Kind> } = {
    epoch: (account, { epoch }) => {
      if (epoch <= account.epoch) throw new InvariantError(`epoch ${epoch} follows ${account.epoch}`);
      account.epoch = epoch;
      account.warming.clear();
    },
    opened: (account, fact, at) => account.#open(at, fact),
    allocated: (account, { strategyId, amount }, at) => {
      if (!account.firstStarts.has(strategyId)) account.firstStarts.set(strategyId, at);
      const [from, to] = [freeOf(UNALLOCATED), freeOf(strategyId)];
      account.ledger.move('allocation', { asset: 'mUSD', amount, from, to });
      account.allocations.set(strategyId, cash((account.allocations.get(strategyId) ?? 0n) + amount));
      account.#shiftEquity(strategyId, amount, account.firstStarts.get(strategyId) === at);
    },
    intentCreated: (account, { intent }) => {
      account.intentCount++;
      account.intents.set(intent.id, intent);
      account.filledByIntent.created(intent);
      if (intent.command !== undefined) account.commands.noteIntent(intent.command, intent.id);
      if (intent.parent) account.synthetics.noteIntent(intent);
    },
    intentRefused: (account) => void account.intentCount++,
    started: (account, { strategies }) => void (account.keptRest ??= strategies === undefined),
    intentDeferred: ({ intents }, { id, notBefore }) => {
      const intent = intents.get(id);
      if (intent) intents.set(id, { ...intent, notBefore });
    },
    intentEnded: (account, fact, at) => account.#endIntent(fact, at),
    planned: (account, { order }) => {
      const { id, strategyId, reserve: amount } = order;
      const [from, to] = [freeOf(strategyId), reservedOf(strategyId)];
      account.ledger.move(`order ${id}`, { asset: assetOf(order), amount, from, to });
      account.attempts.set(order.intentId, (account.attempts.get(order.intentId) ?? 0) + 1);
      account.#keep(order, false, null);
    },
    order: (account, fact, at) => account.#transition(fact, at),
    strategyState: (account, { strategyId, state }) => void account.states.set(strategyId, state),
    strategyStopped: (account, { strategyId, error }) => void account.stopped.set(strategyId, error),
    strategyStarted: (account, { strategyId }) => void account.stopped.delete(strategyId),
    strategyRestarted: ({ restarts }, { strategyId, why, alone }, at) => {
      restarts.latest.set(strategyId, { at, why });
      restarts.alone.add(alone);
    },
    fillDelivered: (account, { id }) => void account.undelivered.delete(id),
    external: (account, fact) => account.externals.apply(fact, account.cancelHashes),
    externalAccepted: (account, fact) => account.externals.apply(fact, account.cancelHashes),
    externalCancel: (account, fact) => account.externals.apply(fact, account.cancelHashes),
    frozen: (account, fact) => account.freezes.freeze(fact),
    released: (account, fact) => {
      account.freezes.release(fact);
      if (fact.over === undefined) account.failures.clear(fact.symbol);
    },
    pinned: (account, fact) => account.pins.apply(fact),
    departed: (account, fact) => account.pins.apply(fact),
    instruments: (account, fact) => account.pins.apply(fact),
    feeTaken: (account, { side, bps }) => void account.feesTaken.set(side, bps),
    difference: (account, fact, at) => void account.differences.push({ ...fact, at }),
    session: (account, fact, at) => account.#session(fact, at),
    dayBegan: (account, fact, at) => account.#session(fact, at),
    sessionDoubted: (account, { date }) => void (account.doubtedDate = date),
    timer: (account, { strategyId, timer }, at) => void account.timers.set(`${strategyId} ${timer}`, at),
    warmUpAwaited: (account, { strategyId }) => void account.warming.add(strategyId),
    warmedUp: (account, { strategyId }) => void account.warming.delete(strategyId),
    equityPeaks: (account, fact) => account.peaks.apply(fact),
    doubtLifted: (account, { id }) => account.doubts.lift(id),
    // Takes an id from the same sequence as intents.
    syntheticPlaced: (account, { order }) => {
      account.intentCount++;
      account.synthetics.put(placed(order));
    },
    syntheticMoved: ({ synthetics }, { id, event }, at) =>
      synthetics.put(moved(synthetics.of(id), event, at)),
    syntheticEnded: (account, { id }) => account.synthetics.end(id),
    operator: (account, fact, at) => account.#command(fact, at),
    operatorAnswered: (account, fact, at) => account.#command(fact, at),
    flattened: (account, fact, at) => account.#command(fact, at),
    restricted: (account, fact, at) => account.trading.apply(fact, at),
    halted: (account, fact, at) => account.trading.apply(fact, at),
    resumed: (account, fact, at) => account.trading.apply(fact, at),
    restrictionLifted: (account, fact, at) => {
      account.trading.apply(fact, at);
      // A drawdown starts from a new peak, and a count of doubtful ends starts again.
      if (fact.cause === 'drawdown') account.peaks.forget(fact.scope.strategyId ?? UNALLOCATED);
      if (fact.cause === 'doubt') account.doubts.restart();
    },
    split: (account, fact) => account.actions.split(fact),
    entitled: (account, { kind: _, ...due }, at) => account.actions.entitle(due, at),
    paid: (account, { id }) => account.actions.pay(id),
    paidInTokens: (account, fact) => account.actions.payInTokens(fact),
    writtenOff: (account, fact) => account.actions.writeOff(fact),
    balanceAccepted: (account, fact, at) => account.#accept(fact, at),
    walletOpened: (account, fact) => account.transfers.openWallet(fact),
    debtsOpened: (account, fact) => account.transfers.openDebts(fact),
    transferPlanned: (account, { transfer }, at) => account.transfers.plan(transfer, at),
    transfer: (account, { id, event, request }, at) => {
      account.#noteNonce(request);
      const brought = account.transfers.move(id, event, at);
      if (brought) account.#shiftEquity(brought.strategyId, brought.value);
    },
    treasuryStopped: (account, { why }) => void (account.transfers.stopped = why),
  };

  /** @throws {InvariantError} when the event contradicts the account state */
  apply({ at, fact }: JournalEntry): void {
    const steps: Readonly<Partial<Record<JournalEvent['kind'], unknown>>> = AccountState.#steps;
    (steps[fact.kind] as Step<JournalEvent['kind']> | undefined)?.(this, fact, at);
  }

  /** Drops ended orders and intents once nothing can refer to them. Creates new maps: a cleared one keeps its memory. */
  forgetEnded(): void {
    if (this.ended.size === 0) return;
    this.orders = new Map(this.live);
    this.ended = new Map();
    this.byTx = new Map([...this.byTx].filter(([, id]) => this.live.has(id)));
    this.byVenueId = new Map([...this.byVenueId].filter(([, id]) => this.live.has(id)));
    this.attempts = new Map([...this.attempts].filter(([intent]) => this.intents.has(intent)));
    this.filledByIntent.forgetEnded();
  }

  order(id: OrderId): Order {
    const order = this.orders.get(id);
    if (!order) throw new InvariantError(`the account state has no order ${id}`);
    return order;
  }

  #session(fact: JournalEventOf<'session' | 'dayBegan'>, at: EpochMs): void {
    if (fact.kind === 'session') {
      this.sessionDate = fact.date;
      this.sessionClosed = fact.change === 'closed';
      if (this.sessionClosed) return void this.sessionsClosed++;
      this.doubts.opened(at);
      if (fact.date === this.dayDate) return;
    } else this.dayDate = fact.date;
    this.dayStart = new Map(fact.equity);
    this.trades.turnover.begin(at);
  }

  #open(at: EpochMs, { cash: amount, holdings, equity }: JournalEventOf<'opened'>): void {
    if (this.opened) throw new InvariantError('an account is opened only once');
    this.opened = { at, equity };
    for (const [asset, quantity] of [['mUSD', amount] as const, ...holdings])
      this.ledger.move('opening balance', { asset, amount: quantity, from: VENUE, to: freeOf(UNALLOCATED) });
  }

  #command(fact: JournalEventOf<'operator' | 'operatorAnswered' | 'flattened'>, at: EpochMs): void {
    this.commands.apply(fact, at, { restrictions: this.trading.count, freezes: this.freezes.count });
  }

  /** Accepts a balance of the venue. @throws {InvariantError} if its owner has less than the amount that leaves */
  #accept(fact: JournalEventOf<'balanceAccepted'>, at: EpochMs): void {
    this.acceptances.note(fact, at);
    bookAcceptance(fact, this);
    if (fact.side !== 'venue') return;
    this.accepted = cash(this.accepted + fact.value);
    this.#shiftEquity(fact.strategyId, fact.value);
  }

  /** Adjusts the equity at the session's open, and its peaks, by capital that arrives or leaves: no profit or loss. */
  #shiftEquity(strategyId: string, amount: Cash, isNew = false): void {
    if (strategyId === UNALLOCATED) return;
    this.peaks.shift(strategyId, amount);
    this.dayStart &&= shiftedBy(this.dayStart, { strategyId, amount, isNew });
  }

  #endIntent({ id, how, why, code }: JournalEventOf<'intentEnded'>, at: EpochMs): void {
    this.synthetics.noteEnd(id, { at, how, why, code });
    const command = this.intents.get(id)?.command;
    this.intents.delete(id);
    this.filledByIntent.ended(id);
    if (command !== undefined) this.commands.noteEnd(command, { how, why });
  }

  /** Stores an order in its new state. `known`: its transaction before. */
  #keep(order: Order, hasEnded: boolean, known: string | null): void {
    this.orders.set(order.id, order);
    this.open.keep(order, hasEnded);
    const txHash = txHashOf(order);
    if (txHash !== null && txHash !== known) this.byTx.set(txHash, order.id);
    if ('venueId' in order.state && order.state.venueId !== null)
      this.byVenueId.set(bareId(order.state.venueId), order.id);
    if (hasEnded && txHash === null && sentOf(order)) this.absent.set(order.id, order);
    else if (this.absent.size > 0) this.absent.delete(order.id);
  }

  #transition({ id, event, request }: JournalEventOf<'order'>, at: EpochMs): void {
    const before = this.order(id);
    const result = transition(before, event);
    if (result.kind !== 'moved')
      throw new InvariantError(`the journal has an event that order ${id} cannot take`, { event, result });
    this.advance({ before, after: result.order, event, request }, at);
  }

  /** Applies a transition that the caller has already computed; `apply` does the same from its event. */
  advance({ before, after, event, request }: Advance, at: EpochMs): void {
    this.#noteNonce(request);
    const [had, has] = [hasEnded(before), hasEnded(after)];
    if (had && !has) this.#takeBack(before);
    if (had) this.ended.delete(before.id);
    const reserved = had ? this.shortfallCover.reserveAgain(after) : after.reserve;
    if (had || has) this.endTotals.moved(before, after);
    if (had || has || after.claim) this.doubts.moved(before, after);
    if (has) this.#end(after, reserved, at);
    if (has || event.kind === 'endClaimed') this.failures.note(after, at);
    if (event.kind === 'sent') this.sends.note({ at, strategyId: after.strategyId });
    if (event.kind === 'cancelAccepted') this.cancelHashes.add(event.txHash);
    if (event.kind === 'mistaken') this.byTx.delete(txHashOf(before) ?? '');
    this.#keep(after, has, txHashOf(before));
  }

  #noteNonce(request: SignedSend | undefined): void {
    if (request && 'txHash' in request) this.nonces.set(request.txHash, request.nonce);
  }

  /** Releases the reserve of an ended order and books its settlement. */
  #end(order: Order, reserved: bigint, at: EpochMs): void {
    const { state, strategyId, intentId } = order;
    const settlement = state.kind === 'closed' ? state.settlement : null;
    const unused = reserved - paidBy(order);
    const cover =
      unused < 0n
        ? this.shortfallCover.cover(order, -unused)
        : this.shortfallCover.returnUnused(order, unused);
    const postings = endPostings(order, reserved);
    if (cover.length > 0) postings.push(...cover);
    if (settlement) {
      const good = this.shortfallCover.repay(order, assetReceived(order), settlement.receive);
      if (good.length > 0) postings.push(...good);
    }
    this.ledger.post(`end of order ${order.id}`, postings);
    if (!settlement) return void this.ended.set(order.id, { at, change: null });
    const { receive } = settlement;
    const isHeard = strategyId !== UNALLOCATED && !this.deliveredOnce.has(order.id);
    if (receive > 0n && isHeard) this.undelivered.add(order.id);
    const change = this.trades.settle(order, settlement, at);
    if (!change) this.#shiftEquity(strategyId, cash(receive));
    this.ended.set(order.id, { at, change });
    this.filledByIntent.add(intentId, filledOf(order));
    this.synthetics.noteFill(intentId, filledOf(order), settlement.price);
  }

  /** Reverses the end of an order that the chain has undone: its settlement is reversed, and it may settle again. */
  #takeBack(order: Order): void {
    const { id, strategyId, terms, state, intentId } = order;
    const ended = this.ended.get(id);
    if (state.kind !== 'closed' || !state.settlement || !ended) return;
    const { pay, receive, price } = state.settlement;
    this.synthetics.noteFill(intentId, shares(-filledOf(order)), price);
    this.ledger.post(`end of order ${id} taken back`, [
      ...paymentBack(order, pay),
      ...this.shortfallCover.returnUnused(order, pay),
      ...this.shortfallCover.takeBack(order, assetReceived(order), receive),
    ]);
    this.trades.takeBack(order, state.settlement, ended);
    if (isDeferred(terms)) this.#shiftEquity(strategyId, cash(-receive));
    this.filledByIntent.add(intentId, shares(-filledOf(order)));
    if (!this.undelivered.delete(id) && strategyId !== UNALLOCATED) this.deliveredOnce.add(id);
  }
}
type Advance = Readonly<{ before: Order; after: Order; event: OrderEvent; request?: SignedSend | undefined }>;
