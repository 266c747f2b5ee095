import { cash, formatDecimal, WAD, wadFromNumber, type Cash } from '../../core/amount.ts';
import { epochMs } from '../../core/brand.ts';
import { moneyText } from '../../domain/amountText.ts';
import type { EquityPeak } from '../../domain/account/equityPeaks.ts';
import { UNALLOCATED } from '../../domain/account/ledger.ts';
import type { DrawdownLimit, TradingRules } from '../../domain/limits.ts';
import type { OperatorCommand, OperatorRequest } from '../../domain/operator/command.ts';
import { restrictionName, resumeCommand } from '../../domain/operator/tradingState.ts';
import type { EngineContext } from '../state/engineContext.ts';
import { watchedEquity } from '../state/exposure.ts';
import { isTraded } from '../state/tradingWindow.ts';
import type { CommandId, Scope } from '../../domain/operator/restriction.ts';

/** Name under which drawdown limits give commands; they restrict trading with the cause `drawdown`. */
export const DRAWDOWN_LIMIT = 'drawdown limit';

/** Longest wait in ms after the open for the session's first prices: losses are not judged by prices of the night. */
const OPENING_MS = 300_000;

type LimitInForce = Readonly<{ owner: string; scope: Scope; limit: DrawdownLimit }>;

/**
 * Drawdown limits: how far the equity of a strategy, or of all, may fall from its peak. A breach restricts trading
 * until an operator resumes it; the peak then starts again.
 */
export class Drawdowns {
  readonly #context: EngineContext;
  #watched: readonly LimitInForce[] = [];
  /** Rules that the limits belong to. */
  #rules: TradingRules | null = null;

  constructor(context: EngineContext) {
    this.#context = context;
  }

  /** Records new peaks, and returns a command for each limit that is now reached. Costs nothing without a limit. */
  check(): readonly OperatorRequest[] {
    const watched = this.#current();
    if (watched.length === 0 || !this.#isPriced()) return NONE;
    const { accountState } = this.#context;
    const peaks: (readonly [string, Cash])[] = [];
    const requests: OperatorRequest[] = [];
    for (const one of watched) {
      const { owner, scope, limit } = one;
      const equity = watchedEquity(this.#context, owner);
      const known = accountState.peaks.of(owner);
      const peak = peakOf(known, equity, limit);
      if (known?.equity !== peak || known.flow !== 0n) peaks.push([owner, peak]);
      if (accountState.trading.of({ cause: 'drawdown', scope })) continue;
      if (isReached(limit, peak, equity)) requests.push(this.#reached(one, peak, equity));
    }
    if (peaks.length > 0) this.#context.record({ kind: 'equityPeaks', peaks });
    return requests;
  }

  /** Limits of the current rules, which a reload of the config replaces. */
  #current(): readonly LimitInForce[] {
    const { rules } = this.#context;
    if (rules === this.#rules) return this.#watched;
    this.#rules = rules;
    const all = rules.limits.drawdown;
    const own = [...rules.ownLimits].flatMap(([strategyId, { drawdown: limit }]): LimitInForce[] =>
      limit ? [{ owner: strategyId, scope: { strategyId }, limit }] : [],
    );
    return (this.#watched = all ? [{ owner: UNALLOCATED, scope: {}, limit: all }, ...own] : own);
  }

  /** True in a session already booked, while every stock of a strategy has a trusted price from that session. */
  #isPriced(): boolean {
    const { accountState, isStarting, market, now } = this.#context;
    const session = this.#session;
    if (isStarting || !session) return false;
    const { sessionDate, dayDate } = accountState;
    if (session.date > (sessionDate ?? '') && session.date !== dayDate) return false;
    const { ledger } = accountState;
    for (const symbol of ledger.assets) {
      if (symbol === 'mUSD' || ledger.total(symbol) === ledger.held(UNALLOCATED, symbol)) continue;
      if (market.doubted.has(symbol) || market.isKept(symbol)) return false;
      const at = market.quote(symbol)?.at ?? -Infinity;
      if (at < session.open && now < session.open + OPENING_MS) return false;
    }
    return true;
  }

  /** The session that is open, or closes right now, since a daily bar ends then; or any other phase that is traded. */
  get #session(): Readonly<{ date: string; open: number }> | undefined {
    const { session, calendar, now, rules } = this.#context;
    const closing = session ?? calendar.sessionAt(epochMs(now - 1));
    if (closing || !rules.trade) return closing;
    const { phase, session: date, since } = calendar.phaseAt(now);
    return date !== null && isTraded(rules, phase) ? { date, open: since } : undefined;
  }

  #reached({ owner, scope, limit }: LimitInForce, peak: Cash, equity: Cash): OperatorRequest {
    const { now } = this.#context;
    const subject = owner === UNALLOCATED ? 'all strategies' : owner;
    const fallen = `${drawdownText(limit, peak, equity)} below its peak of ${moneyText(peak)}`;
    const reason = `the equity of ${subject}, ${moneyText(equity)} mUSD, is ${fallen}: ${limitText(limit)}`;
    const what =
      limit.action === 'flatten'
        ? 'trading is halted, and all holdings are sold'
        : 'open buys are cancelled, and only sells are sent';
    this.#context.alarm(
      restrictionName({ cause: 'drawdown', scope }),
      `${reason}. From now on ${what}, until \`${resumeCommand(scope)}\`; a new peak counts from then on`,
      { code: 'DRAWDOWN', strategyId: scope.strategyId ?? null },
    );
    const command: OperatorCommand =
      limit.action === 'flatten'
        ? { kind: 'flatten', scope }
        : { kind: 'trade', state: 'reducing', scope, cancel: true };
    const id = `drawdown-${now}-${owner === UNALLOCATED ? 'all' : owner}` as CommandId;
    return { id, by: DRAWDOWN_LIMIT, reason, command };
  }
}

const NONE: readonly OperatorRequest[] = [];

/**
 * Current peak. Capital that came or went since it was recorded moves it: by its amount for a limit in mUSD, and in
 * proportion for one in percent, so that a withdrawal makes no loss larger, and a deposit none smaller.
 */
export function peakOf(known: EquityPeak | undefined, equity: Cash, { percent }: DrawdownLimit): Cash {
  if (!known) return equity;
  const before = equity - known.flow;
  const moved =
    known.flow === 0n || percent === undefined
      ? known.equity + known.flow
      : before > 0n
        ? (known.equity * equity) / before
        : equity;
  return cash(moved > equity ? moved : equity);
}

/** Fall from the peak in the unit of the limit: percent as a wad, or mUSD. */
export function drawdownOf({ percent }: DrawdownLimit, peak: Cash, equity: Cash): bigint {
  const fall = peak - equity;
  if (percent === undefined) return fall;
  return peak > 0n ? (fall * 100n * WAD) / peak : 0n;
}

/** Bound of a limit in the same unit. */
export const drawdownBound = ({ percent, amount }: DrawdownLimit): bigint =>
  percent === undefined ? (amount ?? 0n) : wadFromNumber(percent);

const isReached = (limit: DrawdownLimit, peak: Cash, equity: Cash): boolean =>
  peak > 0n && drawdownOf(limit, peak, equity) >= drawdownBound(limit);

const CENT = WAD / 100n;

function drawdownText(limit: DrawdownLimit, peak: Cash, equity: Cash): string {
  const fall = drawdownOf(limit, peak, equity);
  return limit.percent === undefined ? `${moneyText(fall)} mUSD` : `${formatDecimal(fall - (fall % CENT))} %`;
}

const limitText = ({ percent, amount = cash(0n) }: DrawdownLimit): string =>
  percent === undefined
    ? `the limit is ${formatDecimal(amount)} mUSD (drawdown.amount)`
    : `the limit is ${percent} % (drawdown.percent)`;
