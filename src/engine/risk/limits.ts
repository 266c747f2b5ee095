import { newYorkClock } from '../../calendar/index.ts';
import { epochMs } from '../../core/brand.ts';
import { failureOf, isDeferred, type Order, assetOf } from '../../domain/orders/order.ts';
import type { EngineContext } from '../state/engineContext.ts';
import { restrictionName, resumeCommand } from '../../domain/operator/tradingState.ts';
import type { EndCode } from '../../domain/orders/endCode.ts';
import { breachOf, type Breach } from '../../domain/limitBreach.ts';
import { type Limits, type TradingRules, LIMIT_CODES } from '../../domain/limits.ts';
import { notionalAt } from '../state/exposure.ts';
import { premiumNow } from '../state/tokenPrices.ts';
import { inPhase, limitsNow } from '../state/tradingWindow.ts';
import { pauseOf } from './pauses.ts';
import { beyondDoubt, exposureUnder } from './sizeExposure.ts';
import type { Asset } from '../../domain/account/ledger.ts';
import type { Ticker } from '../../domain/instrument.ts';
import type { OrderTerms } from '../../domain/venue.ts';
import type { Cash } from '../../core/amount.ts';
import { cutTerms, isProtective } from './sizeCuts.ts';

/** Number of consecutive failed orders that freeze the symbol. */
const FAILURES_MAX = 3;

/** Reason why an order has to wait after failures of its strategy, symbol and side; null if it need not. */
function spacingOf(
  { accountState, rules, now }: EngineContext,
  order: Pick<Order, 'strategyId' | 'terms'>,
): string | null {
  const streak = rules.failureSpacingMs === undefined ? undefined : accountState.failures.of(order);
  if (!streak || rules.failureSpacingMs === undefined) return null;
  const next = epochMs(streak.at + rules.failureSpacingMs * 2 ** (streak.count - 1));
  if (now >= next) return null;
  const { side, symbol } = order.terms;
  return `the last ${side} of ${symbol} failed (${streak.why}): the next may go out at ${newYorkClock(next)}`;
}

/**
 * Freezes the symbol after too many consecutive orders without a fill. Deferred sells do not count: nothing at the
 * venue depends on them, and their pauses grow.
 */
export function freezeAfterFailures(context: EngineContext, order: Order): void {
  const streak = context.accountState.failures.of(order);
  if (failureOf(order) === null || isDeferred(order.terms)) return;
  if (!streak || streak.count < FAILURES_MAX) return;
  const { side, symbol } = order.terms;
  context.freeze(
    symbol,
    `${streak.count} orders of ${order.strategyId} in a row to ${side} ${symbol} ended without a fill, the last ${streak.why}`,
    side === 'buy' ? { guards: 'buys' } : {},
  );
}

/** Number of consecutive unrequested ends, in any stocks, after which trading is reduce-only. */
const UNSOLICITED_MAX = 3;

/** Makes trading reduce-only after too many consecutive unrequested ends. */
export function reduceAfterDoubts(context: EngineContext): void {
  const { doubts, trading } = context.accountState;
  const restriction = { cause: 'doubt', scope: {} } as const;
  if (doubts.inARow < UNSOLICITED_MAX || trading.of(restriction)) return;
  const reason = `${doubts.inARow} orders in a row have ended without a fill, by the venue's word alone, and nobody asked for it`;
  context.record({ kind: 'restricted', state: 'reducing', ...restriction, by: 'drover', reason });
  context.alarm(
    restrictionName(restriction),
    `${reason}: only sells are sent from now on. What those orders could have filled counts as filled ("drover status"). ` +
      `Look at the venue's own page, and continue with \`${resumeCommand({})}\``,
    { code: 'DOUBT_AT_LIMIT' },
  );
}

type LimitScope = Readonly<{ limits: Limits; strategyId?: string }>;

/** Limits of the account and of each strategy. */
export class RiskLimits {
  readonly #context: EngineContext;
  /** Limits of the account, then of each strategy, without scopes that limit nothing. */
  #scopes: readonly LimitScope[] = [];
  /** Rules that the scopes belong to. */
  #rules: TradingRules | null = null;

  constructor(context: EngineContext) {
    this.#context = context;
  }

  /** Scopes of the current rules, which a reload of the config replaces. */
  #current(): readonly LimitScope[] {
    const { rules } = this.#context;
    if (rules === this.#rules) return this.#scopes;
    this.#rules = rules;
    const own = [...rules.ownLimits].map(([strategyId, limits]) => ({ limits, strategyId }));
    return (this.#scopes = [{ limits: rules.limits }, ...own].filter((scope) => binds(scope.limits)));
  }

  /** Limit of the account or the strategy that an order would break. The size of a protective sell breaks none. */
  breach(order: OrderSubject): Breach | null {
    return this.#first(order, (breach) => !isOfSize(breach) || !this.#isProtective(order));
  }

  /**
   * Cuts an order to the size that the limits allow, if their policy says so; a protective sell always. `breach`: limit
   * that it still breaks; `cut`: the first limit it was cut for.
   */
  fit(order: OrderSubject): Readonly<{ terms: OrderTerms; breach: Breach | null; cut: Breach | null }> {
    let { terms } = order;
    let cut: Breach | null = null;
    for (;;) {
      const subject = terms === order.terms ? order : { ...order, terms };
      const breach = this.#first(subject, all);
      const smaller = breach?.room === undefined ? null : this.#cut(subject, breach.room);
      if (breach && smaller) {
        cut ??= breach;
        terms = smaller;
        continue;
      }
      const isPassed = breach !== null && isOfSize(breach) && this.#isProtective(order);
      return { terms, breach: isPassed ? this.breach({ ...order, terms }) : breach, cut };
    }
  }

  #isProtective(order: Parameters<typeof isProtective>[1]): boolean {
    return isProtective(this.#context.accountState, order);
  }

  /** Terms cut to a value; null if the order must not be cut, or not below the venue's minimum. */
  #cut(order: OrderSubject, room: Cash): OrderTerms | null {
    const { market, accountState, rules } = this.#context;
    const { symbol } = order.terms;
    const [instrument, price] = [market.instruments.get(symbol), market.price(symbol)];
    const isByHand = accountState.intents.get(order.intentId)?.command !== undefined;
    const policy = rules.ownLimits.get(order.strategyId)?.limitPolicy ?? rules.limits.limitPolicy;
    if (!instrument || price === null) return null;
    if (!this.#isProtective(order) && (isByHand || policy !== 'reduce')) return null;
    return cutTerms(order.terms, room, { instrument: inPhase(this.#context, instrument), price });
  }

  /** The first applicable limit that an order would break. */
  #first(
    { id, intentId, strategyId, terms }: OrderSubject,
    counts: (breach: Breach) => boolean,
  ): Breach | null {
    if (!this.#context.market.quote(terms.symbol))
      return { limit: 'quoteAgeMs', message: `no price of ${terms.symbol} is known` };
    const spacing = spacingOf(this.#context, { strategyId, terms });
    if (spacing !== null) return { limit: 'failureSpacing', message: spacing };
    for (const { limits: ofDay, ...scope } of this.#current()) {
      const limits = ofDay.outside ? limitsNow(this.#context, ofDay) : ofDay;
      if (scope.strategyId !== undefined && scope.strategyId !== strategyId) continue;
      const exposure = exposureUnder(this.#context, limits, { symbol: terms.symbol, except: id, ...scope });
      if (!exposure) continue;
      const isBound = limits.premiumBps !== undefined && !this.#isProtective({ intentId, terms });
      const at = isBound ? { ...exposure, premium: premiumNow(this.#context, terms.symbol) } : exposure;
      const order = { terms, notional: notionalAt(terms, exposure.quote.price) };
      const breach =
        (terms.side === 'buy' && hasPauses(limits)
          ? pauseOf(this.#context, limits, { symbol: terms.symbol, ...scope })
          : null) ??
        breachOf(order, limits, at) ??
        (terms.side === 'buy'
          ? doubtedBreach(this.#context, { order, limits }, { exposure, symbol: terms.symbol, ...scope })
          : null);
      if (breach && counts(breach)) return breach;
    }
    return null;
  }
}

/** Limit that a buy would break because of amounts in doubt beyond `limits.doubt`; this passes with time. */
function doubtedBreach(
  context: EngineContext,
  { order, limits }: Readonly<{ order: Parameters<typeof breachOf>[0]; limits: Limits }>,
  at: Parameters<typeof beyondDoubt>[2],
): Breach | null {
  const beyond = beyondDoubt(context, limits, at);
  const breach = beyond && breachOf(order, limits, beyond.exposure);
  if (!breach) return null;
  const message = `${breach.message}, with buys that were cancelled or have expired and are in doubt until ${newYorkClock(beyond.until)} (doubt)`;
  return { limit: 'doubt', message, until: beyond.until };
}

type OrderSubject = Pick<Order, 'id' | 'intentId' | 'strategyId' | 'terms'>;

const hasPauses = ({ lossStreak, cooldown }: Limits): boolean =>
  lossStreak !== undefined || cooldown !== undefined;

const all = (): boolean => true;

const isOfSize = ({ room }: Breach): boolean => room !== undefined;

/** True for limits that an order may break. */
const binds = ({ limitPolicy: _, drawdown: __, ...limits }: Limits): boolean =>
  Object.values(limits).some((limit) => limit !== undefined);

/** True for a breach that passes with time. */
export const isPassing = (breach: Breach | null): boolean => breach !== null && PASSING.has(breach.limit);

const PASSING: ReadonlySet<Breach['limit']> = new Set([
  'ordersPerMinute',
  'quoteAgeMs',
  'premiumBps',
  'failureSpacing',
  'lossStreak',
  'cooldown',
  'doubt',
]);

const PASSING_CODES: ReadonlySet<EndCode> = new Set([...PASSING].map((limit) => LIMIT_CODES[limit]));

/** The same for the code of an order that was not sent. */
export const isPassingCode = (code: EndCode): boolean => PASSING_CODES.has(code);

/** Buying power that ledger and venue agree on. `unshown`: further amounts that the balance does not show yet. */
type Funds = Readonly<{ available: bigint; missing: bigint; unshown: bigint }>;

/** Buying power for an order; null before the account was read. Amounts reserved by live orders are excluded. */
export function fundsFor({ accountState, reads }: EngineContext, asset: Asset): Funds | null {
  const { account, unshown } = reads;
  if (!account) return null;
  const missing = account.shortfalls.get(asset) ?? 0n;
  const coming = unshown.get(asset) ?? 0n;
  // Amounts not shown yet may be exactly what is missing.
  const unusable = (missing > coming ? missing : coming) + accountState.open.sent(asset);
  const available = accountState.ledger.total(asset) - unusable;
  return { available, missing, unshown: coming };
}

/** Shares of a stock that both ledger and venue have, without those of sells under way; all shares while the two agree. */
export function sureShares(context: EngineContext, symbol: Ticker): bigint {
  const missing = context.reads.account?.shortfalls.get(symbol) ?? 0n;
  const sure = missing === 0n ? null : fundsFor(context, symbol);
  const { ledger } = context.accountState;
  return sure === null ? ledger.total(symbol) : sure.available > 0n ? sure.available : 0n;
}

/** True for an order that can only be paid with money or stock that the balance does not show yet. */
export function awaitsBalance(context: EngineContext, order: Pick<Order, 'terms' | 'reserve'>): boolean {
  if (context.reads.unshown.size === 0) return false;
  const funds = fundsFor(context, assetOf(order));
  return (
    funds !== null && funds.available < order.reserve && funds.available + funds.unshown >= order.reserve
  );
}
