import { toNumber, cash, type Cash } from '../core/amount.ts';
import type { EpochMs } from '../core/brand.ts';
import type { JournalEntry, JournalEvent, JournalEventOf } from '../domain/journalEvent.ts';
import type { Ticker } from '../domain/instrument.ts';
import type { EngineContext } from '../engine/state/engineContext.ts';
import { earningsOf } from '../engine/state/exposure.ts';
import type { Session } from '../calendar/index.ts';
import { ownerName, UNALLOCATED, type Asset, type Ledger } from '../domain/account/ledger.ts';
import { strategyIdOf } from '../domain/orders/orderIntent.ts';
import type { Unsettled } from './restingOrder.ts';
import type { Tape } from './tape.ts';
import type { LogFields } from '../strategy/shown.ts';
import { PlotHistory, type SeriesRecord } from '../domain/plots.ts';
import { StopHistory } from '../domain/stops.ts';
import { OrderTally } from './orderTally.ts';

/** Time and price known to the strategy when it placed the order. */
type Decision = Readonly<{
  at: EpochMs;
  /** Price that the strategy saw then, in mUSD per present share; null if there was none. */
  price: number | null;
}>;

/** Keeps the decisions behind orders until the orders have ended. */
export class Decisions {
  readonly #market: EngineContext['market'];
  readonly #open = new Map<string, Decision & Readonly<{ symbol: Ticker }>>();

  constructor({ market }: Pick<EngineContext, 'market'>) {
    this.#market = market;
  }

  /** Records the event before the next price is known. */
  take({ intent: { id, symbol, at } }: JournalEventOf<'intentCreated'>): void {
    const price = this.#market.price(symbol);
    this.#open.set(id, { symbol, at, price: price === null ? null : toNumber(price) });
  }

  /** Rescales the prices of a stock after a split. @param per present shares for one old share */
  split(symbol: Ticker, per: number): void {
    for (const [id, decision] of this.#open)
      if (decision.symbol === symbol && decision.price !== null)
        this.#open.set(id, { ...decision, price: decision.price / per });
  }

  /** Drops the decisions of intents that have ended. */
  forget(intents: ReadonlyMap<string, unknown>): void {
    for (const id of this.#open.keys()) if (!intents.has(id)) this.#open.delete(id);
  }

  /** Decision of the intent with this id, available at least until the intent has ended. */
  of(intent: string): Decision | undefined {
    return this.#open.get(intent);
  }
}

type LogEvent = JournalEventOf<'logged'>;

/** Account value at a session's close, in mUSD. */
export type Mark = Readonly<{
  date: string;
  at: EpochMs;
  /** Cash, dividends due and shares at the latest prices. */
  equity: number;
  cash: number;
  /** Value of the shares held, by symbol. */
  positions: Readonly<Record<string, number>>;
  /** Profit since the start by strategy, if there are several. */
  earned?: Readonly<Record<string, number>>;
}>;

/** Shares held by the strategies: fractions left by the rounding of a split have no owner and cannot be sold. */
export const heldOf = (ledger: Ledger, asset: Asset): bigint =>
  ledger.total(asset) - ledger.held(UNALLOCATED, asset);

/** Id of the order, held order or intent that a tally counts; null for other events. */
function idOf(fact: JournalEvent): string | null {
  switch (fact.kind) {
    case 'order':
    case 'intentEnded':
    case 'intentRefused':
      return fact.id;
    case 'planned':
    case 'syntheticPlaced':
      return fact.order.id;
    case 'intentCreated':
      return fact.intent.id;
    default:
      return null;
  }
}

/** Line logged by a strategy. */
export type BacktestLog = Readonly<{ at: EpochMs; strategy: string; text: string; fields?: LogFields }>;

/** Maximum number of lines that a result keeps; later ones are left out. */
const LOGS_MAX = 5_000;

/** Collects the marks, trades and order counts of a run for its result. */
export class Recorder {
  readonly marks: Mark[] = [];
  /** Tally of all strategies. `of` returns the tally of each; with a single strategy it returns this one. */
  readonly all = new OrderTally();
  readonly #own = new Map<string, OrderTally>();
  readonly #logs: BacktestLog[] = [];
  readonly #plots = new PlotHistory();
  readonly #stops = new StopHistory();
  heldOrders = 0;
  /** Value in mUSD, at the last price, of shares written off, by symbol. */
  readonly writtenOff = new Map<Ticker, Cash>();
  readonly #context: EngineContext;
  readonly #pricing: ReadonlyMap<string, Tape>;
  readonly #decisions: Decisions;

  /** @param pricing tapes that set the prices, by stock */
  constructor(context: EngineContext, pricing: ReadonlyMap<string, Tape>, decisions: Decisions) {
    this.#context = context;
    this.#pricing = pricing;
    this.#decisions = decisions;
  }

  of(strategyId: string): OrderTally {
    if (this.#isOfOne()) return this.all;
    let known = this.#own.get(strategyId);
    if (!known) this.#own.set(strategyId, (known = new OrderTally()));
    return known;
  }

  #isOfOne(): boolean {
    return this.#context.accountState.allocations.size === 1;
  }

  /** Counts the events of a step. */
  take(facts: readonly JournalEntry[]): void {
    const isOfOne = this.#isOfOne();
    for (const entry of facts) {
      const { fact } = entry;
      if (fact.kind === 'syntheticPlaced') this.heldOrders++;
      if (this.heldOrders > 0) this.#stops.take(entry);
      const id = idOf(fact);
      if (id === null) {
        this.#note(entry);
        continue;
      }
      if (fact.kind === 'intentCreated') this.#decisions.take(fact);
      this.all.take(fact);
      if (!isOfOne) this.of(strategyIdOf(id)).take(fact);
    }
  }

  /** Records an event that belongs to no order. */
  #note({ at, fact }: JournalEntry): void {
    if (fact.kind === 'writtenOff')
      this.writtenOff.set(fact.symbol, cash((this.writtenOff.get(fact.symbol) ?? 0n) + fact.value));
    if (fact.kind === 'logged') this.#log(at, fact);
    if (fact.kind === 'plotted') this.#plots.take(fact.strategyId, fact.series);
  }

  /** Log lines, plotted series and stops of the strategies; empty ones are absent. */
  get annotations(): Readonly<{
    logs?: readonly BacktestLog[];
    plots?: readonly SeriesRecord[];
    stops?: readonly SeriesRecord[];
  }> {
    return {
      ...(this.#logs.length > 0 && { logs: this.#logs }),
      ...(!this.#plots.isEmpty && { plots: this.#plots.records }),
      ...(!this.#stops.isEmpty && { stops: this.#stops.records }),
    };
  }

  #log(at: EpochMs, { kind: _, strategyId: strategy, ...line }: LogEvent): void {
    if (this.#logs.length < LOGS_MAX) this.#logs.push({ at, strategy, ...line });
  }

  /** Counts orders still waiting at the end of the run. */
  end(): void {
    for (const { strategyId } of this.#context.accountState.intents.values()) {
      this.all.orders.pending++;
      if (!this.#isOfOne()) this.of(strategyId).orders.pending++;
    }
  }

  /** Records the account at the close of a session. `unseen`: effect on equity of fills that are not reported yet. */
  mark({ date, close }: Session, unseen = 0): void {
    const { ledger, allocations, actions, intents } = this.#context.accountState;
    this.#decisions.forget(intents);
    const positions: Record<string, number> = {};
    const [money, receivables] = [ledger.total('mUSD'), actions.receivables];
    const free = toNumber(money);
    let equity = toNumber(money + receivables);
    for (const asset of ledger.assets) {
      const held = asset === 'mUSD' ? 0n : heldOf(ledger, asset);
      if (held === 0n) continue;
      const worth = toNumber(held) * (this.#pricing.get(asset)?.last?.price ?? NaN);
      positions[asset] = worth;
      equity += worth;
    }
    const earned = allocations.size > 1 ? { earned: this.#earned(allocations.keys()) } : {};
    this.marks.push({ date, at: close, equity: equity + unseen, cash: free, positions, ...earned });
  }

  /** Market value gained by fills less what they cost, in mUSD. */
  gainOf(fills: readonly Unsettled[]): number {
    const worth = ({ side, pay, receive }: Unsettled, price: number) =>
      side === 'buy' ? toNumber(receive) * price - toNumber(pay) : toNumber(receive) - toNumber(pay) * price;
    return fills.reduce(
      (sum, fill) => sum + worth(fill, this.#pricing.get(fill.symbol)?.last?.price ?? NaN),
      0,
    );
  }

  #earned(strategies: Iterable<string>): Record<string, number> {
    return Object.fromEntries(
      [...strategies].map((id) => [ownerName(id), toNumber(earningsOf(this.#context, id).pnl)]),
    );
  }
}
