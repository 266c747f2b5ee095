import type { BudgetUse } from '../../api/budget.ts';
import type { PhaseAt, Session, TradingCalendar } from '../../calendar/index.ts';
import { hintsOf } from '../../domain/orders/orderHints.ts';
import { decimalsOf } from '../../core/amount.ts';
import { toIso, type EpochMs } from '../../core/brand.ts';
import { ticker, type Ticker } from '../../domain/instrument.ts';
import type { DustTally } from '../../engine/account/dust.ts';
import { describeMismatch, type Reconciliation } from '../../engine/account/reconciliation.ts';
import { nextTimer } from '../../strategy/sessionTime.ts';
import { isHaltOfFlatten } from '../../engine/operator/flatten.ts';
import type { EngineContext } from '../../engine/state/engineContext.ts';
import { accountValues } from '../../engine/state/exposure.ts';
import { premiumShown } from '../../engine/state/tokenPrices.ts';
import { windowFor } from '../../engine/state/tradingWindow.ts';
import type { StrategySetup } from '../../engine/strategy/strategyInstance.ts';
import { symbolsOf } from '../../strategy/dataNeeds.ts';
import { completeAt, gapsNow } from '../../engine/strategy/warmUp.ts';
import type { DaemonIdentity } from '../daemon.ts';
import type { Health } from '../health.ts';
import { heldOrdersOf, protects } from './heldOrders.ts';
import { limitsOf } from './limits.ts';
import { moneyOf } from './money.ts';
import { openOrdersOf, waitingOf } from './orders.ts';
import type { AlarmView, RestrictionView, Status, StrategyView } from './status.ts';
import { todoOf, unknownOrders, unknownTransfers, type StandingDifference } from './todo.ts';
import type { Restriction } from '../../domain/operator/restriction.ts';

export type StatusSource = Readonly<{
  identity: Pick<DaemonIdentity, 'mode' | 'account' | 'version' | 'startedAt' | 'killFiles'>;
  /** False for a status from the journal, without a daemon. */
  isRunning: boolean;
  context: EngineContext;
  now: EpochMs;
  /** Strategies of the run, followed by those that only the journal knows. Null if the run's config is unknown. */
  strategies: readonly Pick<StrategySetup, 'id' | 'needs'>[] | null;
  /** Differences that were counted and persist. */
  differences: readonly StandingDifference[];
  /** Differences too small to count. Default: none. */
  dust?: readonly DustTally[];
  alarms: readonly AlarmView[];
  /** Null for a status from the journal: without a run nothing can be done. */
  health: Pick<Health, 'ready' | 'canSend' | 'canProtect'> | null;
  /** End of the last run, for a status without a daemon. */
  lastEnd?: Status['lastEnd'];
  /** Null if requests are not counted. */
  budget?: BudgetUse | null;
  /** Flags with which a command finds the daemon, such as ` --state DIR`. Default: none. */
  flags?: string;
}>;

/** Differences counted by a run's comparisons of ledger and venue, and still present. */
export const differencesOf = ({ standing }: Pick<Reconciliation, 'standing'>): StandingDifference[] =>
  standing.map((mismatch) => ({ asset: mismatch.asset, text: describeMismatch(mismatch) }));

/** The whole state of a run in one object: a pure function of its context, cheap enough for once a second. */
export function statusOf(source: StatusSource): Status {
  const { identity, isRunning, context, now, strategies, differences, alarms } = source;
  const ids = (strategies ?? []).map(({ id }) => id);
  const values = accountValues(context, ids);
  const money = moneyOf(context, values);
  const day = dayOf(context, now);
  const { mode, account, version, startedAt, killFiles } = identity;
  return {
    running: isRunning,
    lastEnd: source.lastEnd ?? null,
    mode,
    account,
    version,
    startedAt,
    killFiles: [...killFiles],
    now: toIso(now),
    state: tradingOf(context, startedAt),
    restrictions: context.accountState.trading.all.map((one) => ({
      ...restrictionView(one),
      isFlattening: isHaltOfFlatten(context.accountState, one),
    })),
    session: sessionView(source, day),
    ...money,
    strategies: money.strategies.map((own) => ({ ...own, ...standing(source, own.id, day) })),
    orders: openOrdersOf(context, now),
    waiting: waitingOf(context),
    heldOrders: heldOrdersOf(context),
    unknown: unknownOrders(source).length + unknownTransfers(source).length,
    frozen: [...context.accountState.frozen].map(([symbol, why]) => ({ symbol, why })),
    differences: [...differences],
    dust: (source.dust ?? []).map(({ key: asset, gap: amount, moved, looks, bound }) =>
      decimalsOf({ asset, amount, moved, looks, bound }),
    ),
    todo: todoOf({ context, isRunning, differences, alarms, flags: source.flags ?? '' }),
    alarms: [...alarms],
    ...(context.market.tokens.size > 0 && premiumsOf(context)),
    ...(strategies
      ? { limits: limitsOf(context, values, source.budget ?? null) }
      : { limits: [], configUnknown: true as const }),
    freshness: freshnessOf(source),
    ...abilitiesOf(source),
  };
}

/** Premiums of the tokens whose prices are polled. */
function premiumsOf(context: EngineContext): Pick<Status, 'premiums'> {
  const { tokens } = context.market;
  return {
    premiums: [...tokens.values()].map(({ symbol, share, price, ratio }) => {
      const premium = premiumShown(context, symbol);
      return {
        ...decimalsOf({ symbol, share, token: price, ratio }),
        bps: premium.kind === 'known' ? premium.bps : null,
        text: `${symbol}: ${premium.kind === 'known' ? `${premium.bps} bps (${premium.figures})` : premium.why}`,
      };
    }),
  };
}

const NO_RUN = 'no run is active: nothing watches it';

function abilitiesOf({ context, health }: StatusSource): Pick<Status, 'ready' | 'canSend' | 'canProtect'> {
  if (health) return { canSend: health.canSend, canProtect: health.canProtect, ready: health.ready };
  const held = [...context.accountState.synthetics.live.values()].filter(protects);
  const why = held.map(({ order }) => ({ strategy: order.strategyId, symbol: order.symbol, why: NO_RUN }));
  return {
    canSend: { ok: false, why: ['no run is on'] },
    canProtect: { ok: why.length === 0, why },
    ready: false,
  };
}

function tradingOf({ accountState: { trading } }: EngineContext, startedAt: string): Status['state'] {
  const restriction = trading.ofRun;
  if (restriction) {
    const { state, since, by, reason } = restriction;
    return { trading: state, since: toIso(since), by, reason };
  }
  const { lastLifted } = trading;
  if (!lastLifted) return { trading: 'active', since: startedAt, by: '', reason: '' };
  return { trading: 'active', since: toIso(lastLifted.since), by: lastLifted.by, reason: lastLifted.reason };
}

const restrictionView = ({ state, cause, scope, since, by, reason }: Restriction): RestrictionView => ({
  state,
  cause,
  strategy: scope.strategyId ?? null,
  symbol: scope.symbol ?? null,
  since: toIso(since),
  by,
  reason,
});

/** The current phase, its session (the next one while closed), and the next session to open. */
type Day = Pick<PhaseAt, 'phase' | 'nextChange'> & Readonly<{ session: Session; next: Session }>;

function dayOf({ calendar }: EngineContext, now: EpochMs): Day {
  const next = calendar.nextSession(now);
  const { phase, nextChange, session: date } = calendar.phaseAt(now);
  const session = (date === null ? undefined : calendar.sessionOn(date)) ?? next;
  return { phase, nextChange, session, next };
}

function sessionView(
  { context, strategies }: StatusSource,
  { phase, nextChange, session: { date, open, close }, next }: Day,
): Status['session'] {
  const nextOpen = toIso(next.open);
  const times = { open: toIso(open), close: toIso(close), nextOpen, until: toIso(nextChange) };
  if (!context.rules.trade || phase === 'regular') return { phase, date, ...times };
  const trades = (strategies ?? []).flatMap(({ id: strategyId, needs }) =>
    [...symbolsOf(needs)].filter((symbol) => windowFor(context, { strategyId, symbol: ticker(symbol) })),
  );
  return { phase, date, ...times, trades: [...new Set(trades)].sort() };
}

/** State of a strategy: restricted, stopped by an error, and its next timer. */
function standing(
  { context, strategies, now }: StatusSource,
  id: string,
  day: Day,
): Pick<StrategyView, 'state' | 'stopped' | 'nextTimer' | 'nextDecision' | 'warmUp' | 'restarted' | 'hints'> {
  const { trading, stopped, restarts } = context.accountState;
  const restart = restarts.latest.get(id);
  const setup = strategies?.find((each) => each.id === id);
  const why = stopped.get(id) ?? (setup || !strategies ? null : 'it is not in the config any more');
  const timer = setup ? timerOf({ calendar: context.calendar, day, now }, setup) : null;
  return {
    state: why === null ? (trading.over({ strategyId: id })?.state ?? 'active') : 'stopped',
    stopped: why,
    nextTimer: timer,
    nextDecision: setup && why === null ? nextDecision(context, { setup, timer, now }) : null,
    warmUp: context.accountState.warming.has(id) ? warmUpOf(context, setup, now) : null,
    restarted: restart ? { at: toIso(restart.at), why: restart.why } : null,
    hints: hintsNow(context, id),
  };
}

/** Likely reasons why its decisions in this run had less effect than intended; none before the first. */
function hintsNow({ drops }: EngineContext, id: string): string[] {
  const { decisions, planned, notReached, reasons } = drops.of(id);
  const dropped = Object.fromEntries(reasons.map(({ why, count }) => [why, count]));
  return decisions === 0 ? [] : hintsOf({ id, decisions, planned, notReached, dropped });
}

/** Series missing for the warm-up of a waiting strategy; none if its needs are unknown, as in a status from the journal. */
function warmUpOf(
  { market, calendar }: EngineContext,
  setup: Pick<StrategySetup, 'id' | 'needs'> | undefined,
  now: EpochMs,
): StrategyView['warmUp'] {
  const gaps = setup ? gapsNow(market, setup) : [];
  const at = setup && gaps.length > 0 ? completeAt(setup, gaps, { now, calendar }) : null;
  return {
    series: gaps.map(({ symbol, interval, needed, had }) => ({ symbol, interval, needed, had })),
    completeAt: at === null ? null : toIso(at),
  };
}

/** The next timer of a strategy, today (even after the close) or later; null if it has none. */
function timerOf(
  { calendar, day, now }: Readonly<{ calendar: TradingCalendar; day: Day; now: EpochMs }>,
  { needs }: Pick<StrategySetup, 'needs'>,
): StrategyView['nextTimer'] {
  if (!needs.timers?.length) return null;
  const sessions = [day.phase === 'regular' ? day.session : calendar.previousSession(now), day.next];
  const next = nextTimer(needs, sessions, { now, calendar });
  return next && { name: next.name, at: toIso(next.at) };
}

type Ahead = Readonly<{
  setup: Pick<StrategySetup, 'needs'>;
  timer: StrategyView['nextTimer'];
  now: EpochMs;
}>;

/** Event at which a strategy may decide next: the earlier of its timer and the end of a bar, or each price it watches. */
function nextDecision(
  { calendar }: EngineContext,
  { setup: { needs }, timer, now }: Ahead,
): StrategyView['nextDecision'] {
  const bars = (needs.bars ?? []).flatMap(({ symbol, interval }) => {
    const next = { symbol, interval, needed: 1, had: 0 };
    const at = completeAt({ needs }, [next], { now, calendar });
    return at === null ? [] : [{ on: `${interval} bar`, at: toIso(at) }];
  });
  const timers = timer === null ? [] : [{ on: timer.name, at: timer.at }];
  const [first] = [...timers, ...bars].sort((one, other) => Date.parse(one.at) - Date.parse(other.at));
  return first ?? (needs.quotes?.length ? { on: 'each price', at: null } : null);
}

/** Ages in ms of the oldest relevant quote, and of the latest complete reads; null before the first. */
function freshnessOf({ context, strategies, now }: StatusSource): Status['freshness'] {
  const ageOf = (at: number | null): number | null => (at === null ? null : Math.max(0, now - at));
  return {
    quotesMs: ageOf(oldestQuote(context, strategies ?? [])),
    ordersMs: ageOf(context.reads.sweptAt),
    accountMs: ageOf(context.reads.account?.at ?? null),
  };
}

/**
 * Time of the oldest quote of a stock that a strategy watches or the account holds; null before the first. Stocks missing
 * from the latest read are left out.
 */
function oldestQuote(
  context: EngineContext,
  strategies: readonly Pick<StrategySetup, 'needs'>[],
): EpochMs | null {
  const { ledger } = context.accountState;
  const watched = strategies.flatMap(({ needs }) => [...symbolsOf(needs)]) as Ticker[];
  const { listedAt } = context.market;
  const readAt = Math.max(...listedAt.values());
  let oldest: EpochMs | null = null;
  for (const symbol of [...watched, ...ledger.heldStocks]) {
    const quote = context.market.quote(symbol);
    if (!quote || (listedAt.get(symbol) ?? readAt) < readAt) continue;
    if (oldest === null || quote.at < oldest) oldest = quote.at;
  }
  return oldest;
}
