import type { BudgetUse } from '../api/budget.ts';
import type { EpochMs } from '../core/brand.ts';
import { isRun } from '../domain/operator/tradingState.ts';
import { openChild, type SyntheticState } from '../domain/orders/syntheticOrder.ts';
import { followsPrice } from '../domain/orders/triggers.ts';
import { sureShares } from '../engine/risk/limits.ts';
import { restrictionOn, restrictionText } from '../engine/risk/restrictions.ts';
import type { EngineContext } from '../engine/state/engineContext.ts';
import { leftToSell } from '../engine/synthetic/exit.ts';
import { SyntheticInput } from '../engine/synthetic/syntheticInput.ts';
import { nextOf } from '../engine/synthetic/syntheticOrders.ts';
import { healthOf, type Health, type HealthSource } from './health.ts';
import { protects } from './model/heldOrders.ts';
import type { Ability, Protection } from './model/status.ts';
import type { RestrictionCause } from '../domain/operator/restriction.ts';

/** Time in ms for which an ability is kept despite a contrary reading, so that it does not flap. */
const HELD_MS = 60_000;
/** Maximum age in ms of the newest price of any stock in an open market, and of the latest list containing a stock. */
const FEED_AGE_MAX_MS = 120_000;
/** Time in ms that an entry has to end after its stop was triggered. */
const SLOW_MS = 10_000;

/** Causes of halts set by a person: nobody needs to be alerted. */
const OF_PERSONS: ReadonlySet<RestrictionCause> = new Set(['operator', 'kill file']);

export type ReadinessSource = Omit<HealthSource, 'phase' | 'obstacles'> &
  Readonly<{ run: () => Pick<HealthSource, 'phase' | 'obstacles'>; budget?: () => BudgetUse | null }>;

/** `isTouched`: its stop was triggered or its time is over; `isMeant`: only a halt set by a person blocks it. */
type ExitProtection = Protection & Readonly<{ isTouched: boolean; isMeant: boolean }>;

/** Readiness of a run to act and to protect its positions, smoothed over readings: to be polled every few seconds. */
export class Readiness {
  readonly #source: ReadinessSource;
  readonly #send = new Steady<string>();
  readonly #protect = new Steady<ExitProtection>();

  constructor(source: ReadinessSource) {
    this.#source = source;
  }

  /** Checks of a run with its abilities. A halt set by a person is a reason in `canSend`, but not a failed check. */
  look(now: EpochMs): Health {
    const { context, run, budget } = this.#source;
    const { checks } = healthOf({ context, ...run() });
    const health = checks.flatMap(({ why }) => why ?? []);
    const halts = haltsOf(context);
    const troubles = sendTroubles(context, { health, budget: budget?.() ?? null, halts: halts.unmeant });
    const send = this.#send.take(troubles, now);
    const exposed = exposedIn(context, now);
    const meant = exposed.filter(({ isMeant }) => isMeant);
    const unmeant = exposed.filter(({ isMeant }) => !isMeant);
    const protect = this.#protect.take(
      unmeant,
      now,
      unmeant.some(({ isTouched }) => isTouched),
    );
    const all = [
      ...checks,
      { name: 'send', ok: send.length === 0, why: send[0] ?? null } as const,
      { name: 'protect', ok: protect.length === 0, why: textOf(protect[0]) } as const,
    ];
    return {
      ready: all.every(({ ok }) => ok),
      checks: all,
      canSend: abilityOf([...halts.meant, ...send]),
      canProtect: abilityOf(
        [...protect, ...meant].map(({ strategy, symbol, why }) => ({ strategy, symbol, why })),
      ),
    };
  }
}

const abilityOf = <T>(why: readonly T[]): Ability<T> => ({ ok: why.length === 0, why: [...why] });

const textOf = (one: ExitProtection | undefined): string | null =>
  one === undefined ? null : `${one.symbol} of ${one.strategy} is not protected: ${one.why}`;

/** Reasons that count after having been present for a while, until they have been absent for as long. */
class Steady<T> {
  /** Null until a reading had no reasons. */
  #isWell: boolean | null = null;
  #turnedAt: EpochMs | null = null;
  #latest: readonly T[] = [];

  /** Reasons that count. `atOnce`: these count immediately. */
  take(reasons: readonly T[], now: EpochMs, atOnce = false): readonly T[] {
    const isWell = reasons.length === 0;
    if (!isWell) this.#latest = reasons;
    if (this.#isWell === null && !isWell) return reasons;
    if (isWell === this.#isWell) this.#turnedAt = null;
    else this.#turnedAt ??= now;
    const isDue = this.#turnedAt !== null && now - this.#turnedAt >= HELD_MS;
    if (this.#isWell === null || atOnce || isDue) [this.#isWell, this.#turnedAt] = [isWell, null];
    return this.#isWell ? [] : this.#latest;
  }
}

type SendFacts = Readonly<{ health: readonly string[]; budget: BudgetUse | null; halts: readonly string[] }>;

/** Reasons why nothing can be sent now, other than a halt set by a person. */
function sendTroubles(context: EngineContext, { health, budget, halts }: SendFacts): string[] {
  const { holds, reads } = context;
  const isUsedUp = budget !== null && budget.used >= budget.perMinute;
  const reasons = [
    ...health,
    ...(reads.delegated ? [] : ['One Click is off at the venue']),
    ...(holds.everything === null ? [] : [holds.everything]),
    ...(isUsedUp ? [`all ${budget.perMinute} requests of this minute are used`] : []),
    ...halts,
  ];
  return [...new Set(reasons)];
}

/** Halts of the whole run in words: those set by a person, and all others. */
function haltsOf({ accountState }: EngineContext): Readonly<Record<'meant' | 'unmeant', readonly string[]>> {
  const [meant, unmeant]: [string[], string[]] = [[], []];
  for (const restriction of accountState.trading.all)
    if (restriction.state === 'halted' && isRun(restriction.scope))
      (OF_PERSONS.has(restriction.cause) ? meant : unmeant).push(restrictionText(restriction));
  return { meant, unmeant };
}

/** Exits that could not be sent now, nor in the next phase in which they act. */
function exposedIn(context: EngineContext, now: EpochMs): ExitProtection[] {
  const { live } = context.accountState.synthetics;
  const newest = live.size === 0 ? -Infinity : newestPrice(context);
  return [...live.values()].flatMap((state) => {
    const why = state.ending ? null : exposure(context, state, { now, newest });
    if (why === null) return [];
    const { strategyId, symbol } = state.order;
    const restriction = restrictionOn(context.accountState, { strategyId, symbol });
    const isMeant = restriction?.state === 'halted' && OF_PERSONS.has(restriction.cause);
    return [{ strategy: strategyId, symbol, why, isTouched: state.trigger !== null, isMeant }];
  });
}

type Look = Readonly<{ now: EpochMs; newest: number }>;

function exposure(context: EngineContext, state: SyntheticState, look: Look): string | null {
  const isEntering = state.order.terms.kind === 'bracket' && !protects(state);
  if (isEntering) return unseenEntry(context, state, look);
  if (!protects(state) || look.now < state.order.notBefore) return null;
  if (state.trigger !== null) {
    const next = nextOf(context, state);
    return next.kind === 'wait' ? (next.alarm ?? null) : null;
  }
  const input = new SyntheticInput(context, state);
  return (
    input.blocked ??
    unlisted(context, state) ??
    missing(context, state, input) ??
    unpriced(context, state, look)
  );
}

/** Problem of a bracket whose entry may have filled without confirmation: its exit cannot begin. */
function unseenEntry({ accountState }: EngineContext, state: SyntheticState, { now }: Look): string | null {
  const entry = openChild(state, 'entry');
  const order = entry && accountState.open.of(entry.id);
  if (!order || order.state.kind === 'planned') return null;
  const isUnseen = order.state.kind !== 'working' || order.claim !== undefined;
  const isLate = state.trigger !== null && now - state.trigger.at >= SLOW_MS;
  if (!isUnseen && !isLate) return null;
  const touched = state.trigger === null ? '' : 'its stop was touched, and ';
  return `${touched}the venue has not shown the end of its entry ${order.id}: how much it has bought is unknown`;
}

const unlisted = ({ market }: EngineContext, { order: { symbol } }: SyntheticState): string | null =>
  market.instruments.has(symbol) ? null : `${symbol} is not listed at this venue`;

/** Shares missing in ledger or venue. Those locked by its strategy's own sells count as present. */
function missing(context: EngineContext, state: SyntheticState, input: SyntheticInput): string | null {
  const { strategyId, symbol } = state.order;
  let there = sureShares(context, symbol);
  if ((context.reads.account?.shortfalls.get(symbol) ?? 0n) > 0n)
    for (const order of context.accountState.open.inSymbol(symbol))
      if (order.strategyId === strategyId && order.terms.side === 'sell') there += order.reserve;
  const left = leftToSell(state, input);
  return there >= left || input.isDust(left)
    ? null
    : `the venue does not show all of its shares of ${symbol}`;
}

/** Time of the newest price of any stock. */
function newestPrice({ market }: EngineContext): number {
  let newest = -Infinity;
  for (const symbol of market.instruments.keys())
    newest = Math.max(newest, market.quote(symbol)?.at ?? -Infinity);
  return newest;
}

/** Problem of a price too old by the market's standard: an untraded stock keeps its last price while others move. */
function unpriced(
  { market, session, calendar }: EngineContext,
  state: SyntheticState,
  look: Look,
): string | null {
  const { symbol, phases } = state.order;
  const { phase } = calendar.phaseAt(look.now);
  const isActing = phases ? phases.some((name) => name === phase) : session !== undefined;
  if (!isActing || (state.stop === null && !followsPrice(state))) return null;
  const quote = market.quote(symbol);
  if (!quote) return `no price of ${symbol} is known`;
  if (session && quote.at < session.open && market.misdated.has(symbol))
    return `the price of ${symbol} changes, and the venue dates it before the open: no stop acts on it`;
  const read = market.listedAt.get(symbol) ?? look.now;
  if (look.now - read > FEED_AGE_MAX_MS)
    return `${symbol} has been missing from the venue's prices for ${seconds(look.now - read)}`;
  const age = look.now - look.newest;
  return age > FEED_AGE_MAX_MS
    ? `prices stand still: the newest price of any stock is ${seconds(age)} old`
    : null;
}

const seconds = (ms: number): string => `${Math.round(ms / 1_000)} s`;
