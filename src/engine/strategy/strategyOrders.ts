import { shares, toNumber, type Shares } from '../../core/amount.ts';
import { epochMs } from '../../core/brand.ts';
import { InvalidValueError } from '../../core/errors.ts';
import type { Interval } from '../../domain/bar.ts';
import type { Instrument, Ticker } from '../../domain/instrument.ts';
import type { IntentTerms, OrderIntent } from '../../domain/orders/orderIntent.ts';
import {
  filledBy,
  type SyntheticOrder,
  type SyntheticState,
  type SyntheticTerms,
} from '../../domain/orders/syntheticOrder.ts';
import type {
  BracketTerms,
  Decimal,
  HeldTiming,
  LimitTerms,
  OcoTerms,
  Orders,
  StopTerms,
  TargetSize,
  Timing,
  TrailTerms,
  WorkTerms,
} from '../../strategy/contract.ts';
import {
  deliveryOf,
  toNotional,
  toPrice,
  toShares,
  toTickPrice,
  all,
  FORMS,
  GOOD_TILL,
  isFraction,
  oneOf,
  OUTSIDE,
  requireTerms,
  requireWeights,
  SIDES,
  tagOf,
  targetOf,
  textOf,
} from '../intents/terms.ts';
import { expiryOf, startOf } from '../intents/orderTimes.ts';
import type { EngineContext } from '../state/engineContext.ts';
import { equityOf, worth } from '../state/exposure.ts';
import { sideOf } from '../intents/sizing.ts';
import type { ViewScope } from './view.ts';
import {
  bracketTermsOf,
  ocoTermsOf,
  stopTermsOf,
  trailTermsOf,
  type ExitInput,
} from '../synthetic/exitTerms.ts';
import { heldTimes } from '../synthetic/heldTimes.ts';
import { requireUnprotected } from '../synthetic/protection.ts';
import { workTermsOf } from '../synthetic/workTerms.ts';
import type { AllowedOrder, Trading } from './trading.ts';

/** Most intents of one strategy within a minute: beyond it the strategy reacts to its own orders endlessly. */
const INTENTS_MAX = 2_000;
const MINUTE_MS = 60_000;

/** Result of a call while intents are ignored: during warm-up and after the stop. */
const IGNORED = 'ignored';

const NO_BARS: ReadonlySet<Interval> = new Set();

type Request = Readonly<{
  terms: IntentTerms;
  timing: Timing;
  reason: string | undefined;
  after?: readonly string[];
  depositFirst?: boolean;
}>;

type OrderScope = ViewScope & Readonly<{ allowed: ReadonlySet<AllowedOrder> }>;

/** The `order` object of one strategy: makes the amounts of its calls exact and journals them as intents. */
export class StrategyOrders implements Orders {
  readonly #context: EngineContext;
  readonly #trading: Trading;
  readonly #strategyId: string;
  readonly #known: ReadonlySet<string>;
  readonly #allowed: ReadonlySet<AllowedOrder>;
  readonly #bars: ViewScope['bars'];
  /** False during warm-up: decisions on old bars are ignored. */
  enabled = false;
  /** True while a hook runs. A later call is ignored: its view is out of date, and no replay could know when it came. */
  isOpen = false;
  #hasReportedLate = false;
  #minute = { since: epochMs(0), intents: 0 };

  constructor(context: EngineContext, trading: Trading, { strategyId, known, bars, allowed }: OrderScope) {
    this.#context = context;
    this.#trading = trading;
    this.#strategyId = strategyId;
    this.#known = known;
    this.#allowed = allowed;
    this.#bars = bars;
  }

  buy(symbol: string, size: Parameters<Orders['buy']>[1], reason?: string): string {
    const instrument = this.#instrument(symbol);
    requireTerms(FORMS.buy, size);
    const terms: IntentTerms =
      'notional' in size
        ? { kind: 'buy', notional: toNotional(size.notional, instrument) }
        : { kind: 'buyShares', quantity: toShares(size.shares, instrument) };
    return this.#intend(instrument, { terms, timing: size, reason });
  }

  sell(symbol: string, size: Parameters<Orders['sell']>[1], reason?: string): string {
    const instrument = this.#instrument(symbol);
    requireTerms(FORMS.sell, size);
    const quantity = 'all' in size ? all(size.all, instrument) : this.#toSell(size.shares, instrument);
    const delivery = deliveryOf(size, { instrument, quantity, allowed: this.#allowed });
    const terms: IntentTerms =
      delivery === 'deferred' && 'shares' in size
        ? { kind: 'sellDeferred', quantity: toShares(size.shares, instrument) }
        : { kind: 'sell', quantity };
    const depositFirst = delivery === 'depositFirst';
    return this.#intend(instrument, { terms, timing: size, reason, depositFirst });
  }

  limit(symbol: string, terms: LimitTerms & Timing, reason?: string): string {
    const instrument = this.#instrument(symbol);
    requireTerms(FORMS.limit, terms);
    const side = oneOf(SIDES, terms.side, 'side');
    const limit: IntentTerms = {
      kind: 'limit',
      side,
      quantity: side === 'sell' ? this.#toSell(terms.shares, instrument) : toShares(terms.shares, instrument),
      price: this.#context.rules.plainExchange
        ? toPrice(terms.price, instrument)
        : toTickPrice(terms.price, { side, instrument }),
      goodTill: oneOf(GOOD_TILL, terms.goodTill ?? 'day', 'goodTill'),
    };
    return this.#intend(instrument, { terms: limit, timing: terms, reason });
  }

  target(symbol: string, size: TargetSize & Timing, reason?: string): void {
    const instrument = this.#instrument(symbol);
    requireTerms(FORMS.target, size);
    this.#intend(instrument, {
      terms: { kind: 'target', to: targetOf(size, instrument), band: 0 },
      timing: size,
      reason,
    });
  }

  rebalance(
    weights: Readonly<Record<string, number>>,
    options: Readonly<{ band?: number }> & Timing = {},
    reason?: string,
  ): void {
    requireTerms(FORMS.rebalance, options);
    requireWeights(weights);
    const { band = 0 } = options;
    if (!isFraction(band)) throw new InvalidValueError(`band of a rebalance: ${band} is not between 0 and 1`);
    const equity = equityOf(this.#context, this.#strategyId);
    const excessOf = (instrument: Instrument, weight: number) =>
      Number(worth(this.#context, instrument.symbol, this.#held(instrument.symbol))) -
      weight * Number(equity);
    const targets = Object.entries(weights)
      .map(([symbol, weight]) => ({ instrument: this.#instrument(symbol), weight }))
      .map((target) => ({
        ...target,
        to: targetOf(target, target.instrument),
        excess: excessOf(target.instrument, target.weight),
      }))
      .sort((a, b) => b.excess - a.excess);
    const sells = this.#sellsUnderWay();
    for (const { instrument, to, excess } of targets) {
      const terms: IntentTerms = { kind: 'target', to, band };
      const id = this.#intend(instrument, {
        terms,
        timing: options,
        reason,
        after: excess > 0 ? [] : [...sells],
      });
      if (excess > 0) sells.push(id);
    }
  }

  stop(symbol: string, terms: StopTerms, reason?: string): string {
    return this.#hold(symbol, { timing: terms, reason, read: (at) => stopTermsOf(terms, at) });
  }

  trail(symbol: string, terms: TrailTerms, reason?: string): string {
    return this.#hold(symbol, { timing: terms, reason, read: (at) => trailTermsOf(terms, at) });
  }

  bracket(symbol: string, terms: BracketTerms, reason?: string): string {
    return this.#hold(symbol, { timing: terms, reason, read: (at) => bracketTermsOf(terms, at) });
  }

  oco(symbol: string, terms: OcoTerms, reason?: string): string {
    return this.#hold(symbol, { timing: terms, reason, read: (at) => ocoTermsOf(terms, at) });
  }

  work(symbol: string, terms: WorkTerms, reason?: string): string {
    const [context, intervals] = [this.#context, this.#bars.get(symbol) ?? NO_BARS];
    return this.#hold(symbol, {
      timing: terms,
      reason,
      read: (at) => workTermsOf(terms, { ...at, context, intervals }),
    });
  }

  /** Cancels intents of the strategy; what an operator has ordered with its money or shares is not its own. */
  cancel(which: Parameters<Orders['cancel']>[0], reason = 'asked for by the strategy'): void {
    const why = textOf(reason);
    if (typeof which !== 'string') {
      requireTerms(FORMS.cancel, which);
      if (which.side !== undefined) oneOf(SIDES, which.side, 'side');
    }
    if (!this.enabled || this.#isLate()) return;
    for (const intent of [...this.#context.accountState.intents.values()]) {
      if (intent.strategyId !== this.#strategyId || intent.command !== undefined) continue;
      if (intent.parent !== undefined || !this.#matches(intent, which)) continue;
      this.#trading.intents.cancel(intent.id, why);
    }
    for (const state of [...this.#context.accountState.synthetics.live.values()])
      if (state.order.strategyId === this.#strategyId && isMeant(state, which)) this.#end(state, which, why);
  }

  /** Ends an order that the runner holds; where buys alone are meant, what it has bought stays protected. */
  #end(state: SyntheticState, which: Filter, why: string): void {
    const isBuysAlone = typeof which !== 'string' && which.side === 'buy';
    if (isBuysAlone) this.#trading.synthetics.cancelEntry(state, why);
    else this.#trading.synthetics.cancel(state.order.id, why);
  }

  #matches(intent: OrderIntent, which: Filter): boolean {
    if (typeof which === 'string') return intent.id === which;
    return (
      (which.symbol === undefined || intent.symbol === which.symbol) &&
      (which.side === undefined || sideOf(this.#context, intent) === which.side)
    );
  }

  /** Intents with market sells under way, whose proceeds the buys of a rebalance also wait for. */
  #sellsUnderWay(): string[] {
    return [...this.#context.accountState.live.values()]
      .filter(
        ({ strategyId, terms }) =>
          strategyId === this.#strategyId && terms.side === 'sell' && terms.type === 'market',
      )
      .map(({ intentId: intent }) => intent);
  }

  /**
   * Shares to sell. The number that `view.position` shows means the whole holding, although a number lacks its last digits:
   * otherwise a remainder too small to sell would stay.
   */
  #toSell(value: Decimal, instrument: Instrument): Shares {
    const quantity = toShares(value, instrument);
    if (typeof value === 'string' || !instrument.fractionable) return quantity;
    const held = this.#held(instrument.symbol);
    return quantity !== held && toNumber(held) === value ? shares(held) : quantity;
  }

  #held(symbol: Ticker): bigint {
    return this.#context.accountState.ledger.held(this.#strategyId, symbol);
  }

  #instrument(symbol: string): Instrument {
    if (!this.#known.has(symbol))
      throw new InvalidValueError(
        `${JSON.stringify(symbol)} is none of the symbols that the strategy asks for in data(): ${[...this.#known].join(', ')}`,
      );
    const instrument = this.#context.market.instruments.get(symbol as Ticker);
    if (!instrument) throw new InvalidValueError(`${JSON.stringify(symbol)} is not listed at this venue`);
    return instrument;
  }

  #intend({ symbol }: Instrument, { terms, timing, reason = '', after = [], ...request }: Request): string {
    const why = textOf(reason);
    if (!this.enabled || this.#isLate()) return IGNORED;
    this.#count();
    if (terms.kind === 'target') this.#replaceTarget(symbol);
    const id = `${this.#strategyId}-${this.#context.accountState.intentCount + 1}`;
    const { now } = this.#context;
    const notBefore = startOf(timing.at ?? 'now', this.#context);
    const outside = oneOf(OUTSIDE, timing.outside ?? 'wait', 'outside');
    const intent = {
      id,
      strategyId: this.#strategyId,
      symbol,
      terms,
      reason: why,
      at: now,
      notBefore,
      outside,
      after,
      ...(timing.expires === undefined
        ? {}
        : { expires: expiryOf(timing.expires, notBefore, this.#context) }),
      ...(timing.tag === undefined ? {} : { tag: tagOf(timing.tag) }),
      ...(request.depositFirst ? { depositFirst: true as const } : {}),
    };
    this.#context.record({ kind: 'intentCreated', intent });
    return id;
  }

  /** Places an order that the runner holds itself. */
  #hold(symbol: string, { timing, reason = '', read }: Held): string {
    const instrument = this.#instrument(symbol);
    const terms = read({
      instrument,
      price: this.#context.market.price(instrument.symbol),
      toSell: (value) => this.#toSell(value, instrument),
    });
    const why = textOf(reason);
    if (!this.enabled || this.#isLate()) return IGNORED;
    this.#count();
    const order: SyntheticOrder = {
      id: `${this.#strategyId}-${this.#context.accountState.intentCount + 1}`,
      strategyId: this.#strategyId,
      symbol: instrument.symbol,
      terms,
      reason: why,
      at: this.#context.now,
      ...heldTimes(timing, this.#context),
    };
    requireUnprotected(this.#context, order);
    this.#trading.synthetics.place(order);
    return order.id;
  }

  /** Raises the alarm about the first call that came after its hook had ended. */
  noteLate(): void {
    const text = 'a call of `order` after its hook had ended is ignored: hooks are synchronous';
    if (!this.#hasReportedLate) this.#context.notify('alarm', text, this.#strategyId);
    this.#hasReportedLate = true;
  }

  #isLate(): boolean {
    if (!this.isOpen) this.noteLate();
    return !this.isOpen;
  }

  #count(): void {
    const { now } = this.#context;
    if (now - this.#minute.since >= MINUTE_MS) this.#minute = { since: now, intents: 0 };
    if (++this.#minute.intents > INTENTS_MAX)
      throw new InvalidValueError(`more than ${INTENTS_MAX} order intents within a minute`);
  }

  /** Replaces a waiting target of the same symbol by a newer one. */
  #replaceTarget(symbol: Ticker): void {
    const { intents, open } = this.#context.accountState;
    for (const intent of [...intents.values()]) {
      const same =
        intent.strategyId === this.#strategyId && intent.symbol === symbol && intent.terms.kind === 'target';
      if (same && !open.has(intent.id))
        this.#trading.intents.end(intent.id, 'cancelled', {
          code: 'REPLACED',
          why: 'a newer target took its place',
        });
    }
  }
}

type Filter = Parameters<Orders['cancel']>[0];

type Held = Readonly<{
  timing: HeldTiming;
  reason: string | undefined;
  read: (at: ExitInput) => SyntheticTerms;
}>;

/** True for an order that a filter names. A bracket is a buy while its entry may buy, and a sell once that has bought. */
function isMeant(state: SyntheticState, which: Filter): boolean {
  const { id, symbol, terms } = state.order;
  if (typeof which === 'string') return id === which;
  if (which.symbol !== undefined && symbol !== which.symbol) return false;
  if (which.side === undefined) return true;
  if (terms.kind === 'work') return terms.side === which.side;
  if (which.side === 'buy') return terms.kind === 'bracket' || terms.kind === 'stopBuy';
  return terms.kind !== 'stopBuy' && (terms.kind !== 'bracket' || filledBy(state, 'entry') > 0n);
}
