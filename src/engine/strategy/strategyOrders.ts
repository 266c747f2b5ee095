import { MINUTE_MS, epochMs } from '../../core/brand.ts';
import { InvalidValueError } from '../../core/errors.ts';
import { hasPhase } from '../../domain/bar.ts';
import { describeIntent } from '../../domain/describe.ts';
import type { Instrument } from '../../domain/instrument.ts';
import type { IntentTerms, OrderIntent, Rest } from '../../domain/orders/orderIntent.ts';
import type { SyntheticOrder, SyntheticState, SyntheticTerms } from '../../domain/orders/syntheticOrder.ts';
import type { Orders } from '../../strategy/contract.ts';
import type {
  BracketTerms,
  ExitChange,
  LimitTerms,
  OcoTerms,
  OrderChange,
  StopTerms,
  TargetSize,
  Timing,
  TrailTerms,
  WorkTerms,
} from '../../strategy/orderTerms.ts';
import {
  deliveryOf,
  toNotional,
  toShares,
  all,
  FORMS,
  GOOD_TILL,
  fractionOf,
  oneOf,
  OUTSIDE,
  RESTS,
  requireChange,
  requireTerms,
  requireWeights,
  SIDES,
  tagOf,
  targetOf,
  textOf,
} from '../intents/terms.ts';
import { OrderAmounts } from '../intents/orderAmounts.ts';
import { expiryOf, startOf, heldTimes } from '../intents/orderTimes.ts';
import { replaceable, successorOf } from '../intents/replacement.ts';
import { refusalOf, type OrderRefusal } from '../intents/refusal.ts';
import type { EngineContext } from '../state/engineContext.ts';
import type { ViewScope } from './view.ts';
import {
  bracketTermsOf,
  ocoTermsOf,
  stopTermsOf,
  trailTermsOf,
  type ExitInput,
} from '../synthetic/exitTerms.ts';
import { adjustable, adjustmentOf } from '../synthetic/adjustment.ts';
import {
  placeOf,
  recordRefusal,
  sideOf,
  sideTowards,
  type Call,
  isMeant,
  isNamed,
  type Filter,
} from './orderCall.ts';
import { endWaitingTarget, sellsUnderWay, targetsOf } from './rebalanceTargets.ts';
import { requireUnprotected } from '../synthetic/protection.ts';
import { workTermsOf } from '../synthetic/workTerms.ts';
import type { AllowedOrder, Trading } from './trading.ts';

/** Maximum number of intents of one strategy per minute: more means that it reacts to its own orders endlessly. */
const INTENTS_MAX = 2_000;

/** Result of a call while intents are ignored: during warm-up and after the stop. */
const IGNORED = 'ignored';

/** Fields of a call's intent that differ between calls. */
type IntentRequest = Readonly<{ terms: IntentTerms; after?: readonly string[]; depositFirst?: boolean }>;

type OrderScope = ViewScope & Readonly<{ allowed: ReadonlySet<AllowedOrder>; rest: Rest | undefined }>;

/** The `order` object of one strategy: makes the amounts of its calls exact and journals them as intents. */
export class StrategyOrders implements Orders {
  readonly #context: EngineContext;
  readonly #trading: Trading;
  readonly #scope: OrderScope;
  readonly #amounts: OrderAmounts;
  /** False during warm-up: decisions on old bars are ignored. */
  enabled = false;
  /** True while a hook runs. Later calls are ignored: their view is stale, and no replay could know when they came. */
  isOpen = false;
  #hasReportedLate = false;
  #minute = { since: epochMs(0), intents: 0 };

  constructor(context: EngineContext, trading: Trading, scope: OrderScope) {
    this.#context = context;
    this.#trading = trading;
    this.#scope = scope;
    this.#amounts = new OrderAmounts(context, scope);
  }

  buy(symbol: string, size: Parameters<Orders['buy']>[1], reason?: string): string {
    requireTerms(FORMS.buy, size);
    return this.#take({ call: 'buy', side: 'buy', symbol, timing: size, reason }, (instrument) => ({
      terms:
        'notional' in size
          ? { kind: 'buy', notional: toNotional(size.notional, instrument) }
          : { kind: 'buyShares', quantity: toShares(size.shares, instrument) },
    }));
  }

  sell(symbol: string, size: Parameters<Orders['sell']>[1], reason?: string): string {
    requireTerms(FORMS.sell, size);
    return this.#take({ call: 'sell', side: 'sell', symbol, timing: size, reason }, (instrument) => {
      const quantity =
        'all' in size ? all(size.all, instrument) : this.#amounts.toSell(size.shares, instrument);
      const delivery = deliveryOf(size, { instrument, quantity, allowed: this.#scope.allowed });
      return delivery === 'deferred' && 'shares' in size
        ? { terms: { kind: 'sellDeferred', quantity: toShares(size.shares, instrument) } }
        : { terms: { kind: 'sell', quantity }, depositFirst: delivery === 'depositFirst' };
    });
  }

  limit(symbol: string, terms: LimitTerms & Timing, reason?: string): string {
    requireTerms(FORMS.limit, terms);
    const side = oneOf(SIDES, terms.side, 'side');
    return this.#take({ call: 'limit', side, symbol, timing: terms, reason }, (instrument) => ({
      terms: {
        kind: 'limit',
        side,
        quantity: this.#amounts.toTrade(terms.shares, side, instrument),
        price: this.#amounts.limitPrice(terms.price, side, instrument),
        goodTill: oneOf(GOOD_TILL, terms.goodTill ?? 'day', 'goodTill'),
      },
    }));
  }

  target(symbol: string, size: TargetSize & Timing, reason?: string): void {
    requireTerms(FORMS.target, size);
    this.#take({ call: 'target', side: sideTowards(size), symbol, timing: size, reason }, (instrument) => ({
      terms: { kind: 'target', to: targetOf(size, instrument), band: 0 },
    }));
  }

  rebalance(
    weights: Readonly<Record<string, number>>,
    options: Parameters<Orders['rebalance']>[1] = {},
    reason?: string,
  ): void {
    requireTerms(FORMS.rebalance, options);
    const rest = options.rest === undefined ? this.#scope.rest : oneOf(RESTS, options.rest, 'rest');
    const owner = {
      strategyId: this.#scope.strategyId,
      known: this.#scope.known,
      rest: this.enabled ? rest : 'keep',
    };
    const call = { call: 'rebalance', timing: options, reason } as const;
    let [band, targets]: [number, ReturnType<typeof targetsOf>] = [0, []];
    try {
      requireWeights(weights);
      band = fractionOf(options.band ?? 0, 'band of a rebalance');
      targets = targetsOf(this.#context, weights, owner);
    } catch (thrown) {
      const refusal = refusalOf(thrown);
      const named = Object.keys(weights);
      for (const symbol of named.length > 0 ? named : this.#scope.known)
        this.#take({ ...call, side: 'buy', symbol }, () => {
          throw refusal;
        });
      return;
    }
    const sells = sellsUnderWay(this.#context, this.#scope.strategyId);
    for (const { symbol, weight, excess } of targets) {
      const side = excess > 0 ? 'sell' : 'buy';
      const id = this.#take({ ...call, side, symbol }, (instrument) => {
        const terms = { kind: 'target', to: targetOf({ weight }, instrument), band } as const;
        return { terms, after: excess > 0 ? [] : [...sells] };
      });
      if (excess > 0) sells.push(id);
    }
  }

  stop(symbol: string, terms: StopTerms, reason?: string): string {
    const side = sideOf(terms, 'sell');
    return this.#hold({ call: 'stop', side, symbol, timing: terms, reason }, (at) => stopTermsOf(terms, at));
  }

  trail(symbol: string, terms: TrailTerms, reason?: string): string {
    const call = { call: 'trail', side: 'sell', symbol, timing: terms, reason } as const;
    return this.#hold(call, (at) => trailTermsOf(terms, at));
  }

  bracket(symbol: string, terms: BracketTerms, reason?: string): string {
    const call = { call: 'bracket', side: 'buy', symbol, timing: terms, reason } as const;
    return this.#hold(call, (at) => bracketTermsOf(terms, at));
  }

  oco(symbol: string, terms: OcoTerms, reason?: string): string {
    const call = { call: 'oco', side: 'sell', symbol, timing: terms, reason } as const;
    return this.#hold(call, (at) => ocoTermsOf(terms, at));
  }

  work(symbol: string, terms: WorkTerms, reason?: string): string {
    const context = this.#context;
    const sets = [...(this.#scope.bars.get(symbol)?.values() ?? [])].filter((set) =>
      hasPhase(set, 'regular'),
    );
    const intervals = new Set(sets.map(({ interval }) => interval));
    const side = sideOf(terms, 'buy');
    return this.#hold({ call: 'work', side, symbol, timing: terms, reason }, (at) =>
      workTermsOf(terms, { ...at, context, intervals }),
    );
  }

  replace(id: string, change: OrderChange, reason?: string): string {
    requireChange(FORMS.replace, id, change);
    const call = { call: 'replace', ...placeOf(this.#context, id), timing: {}, reason } as const;
    return this.#answer(call, (successor, why) => {
      const replaced = replaceable(this.#context, this.#scope.strategyId, id);
      const { symbol, terms, reason: before } = replaced;
      const instrument = this.#amounts.instrumentOfOpen(symbol);
      const { shares: quantity, limit } = change;
      const changed = {
        ...terms,
        ...(quantity === undefined
          ? {}
          : { quantity: this.#amounts.toTrade(quantity, terms.side, instrument) }),
        ...(limit === undefined ? {} : { price: this.#amounts.limitPrice(limit, terms.side, instrument) }),
      };
      const parts = { id: successor, terms: changed, reason: why === '' ? before : why };
      const intent = successorOf(this.#context, replaced, parts);
      return () => {
        this.#context.record({ kind: 'intentCreated', intent });
        this.#trading.intents.cancel(id, `${describeIntent(intent)} takes its place`, 'REPLACED');
        return successor;
      };
    });
  }

  adjust(id: string, change: ExitChange, reason?: string): string {
    requireChange(FORMS.adjust, id, change);
    const call = { call: 'adjust', ...placeOf(this.#context, id), timing: {}, reason } as const;
    return this.#answer(call, (_, why) => {
      const state = adjustable(this.#context, this.#scope.strategyId, id);
      const instrument = this.#amounts.instrumentOfOpen(state.order.symbol);
      const price = this.#context.market.price(instrument.symbol);
      const event = adjustmentOf(state, change, { instrument, price });
      return () => {
        this.#trading.synthetics.adjust(state, event, why);
        return id;
      };
    });
  }

  /** Cancels intents of the strategy, but not those that an operator created with its money or shares. */
  cancel(which: Parameters<Orders['cancel']>[0], reason = 'asked for by the strategy'): void {
    const why = textOf(reason);
    if (typeof which !== 'string') {
      requireTerms(FORMS.cancel, which);
      if (which.side !== undefined) oneOf(SIDES, which.side, 'side');
    }
    if (!this.enabled || this.#isLate()) return;
    for (const intent of [...this.#context.accountState.intents.values()]) {
      if (intent.strategyId !== this.#scope.strategyId || intent.command !== undefined) continue;
      if (intent.parent !== undefined || !isNamed(this.#context, intent, which)) continue;
      this.#trading.intents.cancel(intent.id, why);
    }
    for (const state of [...this.#context.accountState.synthetics.live.values()])
      if (state.order.strategyId === this.#scope.strategyId && isMeant(state, which))
        this.#end(state, which, why);
  }

  /** Ends a synthetic order; if only buys are to be cancelled, the shares already bought stay protected. */
  #end(state: SyntheticState, which: Filter, why: string): void {
    const isBuysAlone = typeof which !== 'string' && which.side === 'buy';
    if (isBuysAlone) this.#trading.synthetics.cancelEntry(state, why);
    else this.#trading.synthetics.cancel(state.order.id, why);
  }

  #take(call: Call, read: (instrument: Instrument) => IntentRequest): string {
    return this.#answer(call, (id, why) => {
      const instrument = this.#amounts.instrument(call.symbol);
      const { terms, after = [], depositFirst = false } = read(instrument);
      const { timing } = call;
      const notBefore = startOf(timing.at ?? 'now', this.#context);
      // A limit order needs no conversion: it is sent in every phase that is traded.
      const isTraded = terms.kind === 'limit' && this.#context.rules.trade;
      const plain: OrderIntent = {
        id,
        strategyId: this.#scope.strategyId,
        symbol: instrument.symbol,
        terms,
        reason: why,
        at: this.#context.now,
        notBefore,
        outside: oneOf(OUTSIDE, timing.outside ?? (isTraded ? 'limit' : 'wait'), 'outside'),
        after,
      };
      const isPlain = timing.expires === undefined && timing.tag === undefined && !depositFirst;
      const intent = isPlain ? plain : this.#withTiming(plain, timing, depositFirst);
      return () => {
        if (terms.kind === 'target') endWaitingTarget(this.#context, this.#trading.intents, intent);
        this.#context.record({ kind: 'intentCreated', intent });
        return id;
      };
    });
  }

  #withTiming(plain: OrderIntent, { expires, tag }: Timing, depositFirst: boolean): OrderIntent {
    return {
      ...plain,
      ...(expires !== undefined && { expires: expiryOf(expires, plain.notBefore, this.#context) }),
      ...tagOf(tag),
      ...(depositFirst && { depositFirst: true as const }),
    };
  }

  /** Places a synthetic order for a call, or refuses it. */
  #hold(call: Call, read: (at: ExitInput) => SyntheticTerms): string {
    return this.#answer(call, (id, why) => {
      const instrument = this.#amounts.instrument(call.symbol);
      const order: SyntheticOrder = {
        id,
        strategyId: this.#scope.strategyId,
        symbol: instrument.symbol,
        terms: read({
          instrument,
          price: this.#context.market.price(instrument.symbol),
          toSell: (value) => this.#amounts.toSell(value, instrument),
        }),
        reason: why,
        at: this.#context.now,
        ...heldTimes(call.timing, this.#context),
      };
      return () => {
        requireUnprotected(this.#context, order);
        this.#trading.synthetics.place(order);
        return id;
      };
    });
  }

  /**
   * Reads a call and carries it out, unless calls are ignored. A call that cannot be carried out is recorded as
   * refused, and the strategy continues. Returns the id from the action, or a new one for a refusal. @throws
   * {InvalidValueError} for a malformed call
   */
  #answer(call: Call, read: (id: string, why: string) => () => string): string {
    const id = `${this.#scope.strategyId}-${this.#context.accountState.intentCount + 1}`;
    const why = textOf(call.reason ?? '');
    let act: (() => string) | null = null;
    let refusal: OrderRefusal | null = null;
    try {
      act = read(id, why);
    } catch (thrown) {
      refusal = refusalOf(thrown);
    }
    if (!this.enabled || this.#isLate()) return IGNORED;
    this.#count();
    try {
      if (act) return act();
    } catch (thrown) {
      refusal = refusalOf(thrown);
    }
    const of = { id, strategyId: this.#scope.strategyId, reason: why };
    if (refusal) recordRefusal(this.#context, call, { ...refusal.reason, ...of });
    return id;
  }

  /** Raises an alarm about the first call made after its hook had ended. */
  noteLate(): void {
    const text = 'a call of `order` after its hook had ended is ignored: hooks are synchronous';
    if (!this.#hasReportedLate)
      this.#context.notify('alarm', text, { code: 'ORDERS_LATE', strategyId: this.#scope.strategyId });
    this.#hasReportedLate = true;
  }

  #isLate(): boolean {
    if (!this.isOpen) this.noteLate();
    return !this.isOpen;
  }

  #count(): void {
    const { now, drops } = this.#context;
    drops.noteDecision(this.#scope.strategyId);
    if (now - this.#minute.since >= MINUTE_MS) this.#minute = { since: now, intents: 0 };
    if (++this.#minute.intents > INTENTS_MAX)
      throw new InvalidValueError(`more than ${INTENTS_MAX} order intents within a minute`);
  }
}
