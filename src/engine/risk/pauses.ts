import { newYorkClock, newYorkDate } from '../../calendar/index.ts';
import { MINUTE_MS, epochMs, type EpochMs } from '../../core/brand.ts';
import type { Ticker } from '../../domain/instrument.ts';
import type { Breach } from '../../domain/limitBreach.ts';
import type { Limits, LossStreakLimit } from '../../domain/limits.ts';
import type { EngineContext } from '../state/engineContext.ts';

/** Scope of limits: one strategy, or all. */
type Scope = Readonly<{ strategyId?: string }>;

/** Consecutive losing exits that count now, and the end of the pause they caused; null if there is none. */
type Streak = Readonly<{ count: number; until: EpochMs | null }>;

/** Pause after losses that forbids a buy; null if there is none. Sells have none. */
export function pauseOf(
  context: EngineContext,
  { lossStreak, cooldown }: Limits,
  { symbol, strategyId }: Scope & Readonly<{ symbol: Ticker }>,
): Breach | null {
  const scope: Scope = strategyId === undefined ? {} : { strategyId };
  const ofOwner = strategyId === undefined ? '' : ` of ${strategyId}`;
  const { now } = context;
  if (lossStreak) {
    const { until } = streakOf(context, lossStreak, scope);
    const losses = `the last ${lossStreak.trades} exits${ofOwner} were losses`;
    if (until !== null && now < until)
      return {
        limit: 'lossStreak',
        message: `${losses}: no buys until ${clockOf(context, until)} (lossStreak)`,
        until,
      };
  }
  const exit = cooldown && context.accountState.trades.exits.lossOf(symbol, strategyId);
  if (!exit) return null;
  const until = epochMs(exit.at + cooldown.minutes * MINUTE_MS);
  if (now >= until) return null;
  const why = `the last exit of ${symbol}${ofOwner} was a loss`;
  return {
    limit: 'cooldown',
    message: `${why}: no buys of it until ${clockOf(context, until)} (cooldown)`,
    until,
  };
}

/** Consecutive losing exits: every full count causes a pause; exits during a pause do not count for the next. */
export function streakOf(
  context: EngineContext,
  { trades, pause }: LossStreakLimit,
  { strategyId }: Scope,
): Streak {
  let [count, until]: [number, EpochMs | null] = [0, null];
  for (const { at, realised } of context.accountState.trades.exits.of(strategyId)) {
    if (until !== null && at < until) continue;
    count = realised < 0n ? count + 1 : 0;
    if (count < trades) continue;
    until = pauseEnd(context, at, pause);
    count = 0;
  }
  const isPaused = until !== null && context.now < until;
  return { count: isPaused ? trades : count, until: isPaused ? until : null };
}

/**
 * End of a pause that begins at a time: after minutes, or with the open session. A loss booked after a close was sold
 * before it and belongs to that session; if other phases are traded, to the next one.
 */
function pauseEnd({ calendar, rules }: EngineContext, at: EpochMs, pause: LossStreakLimit['pause']): EpochMs {
  if (pause !== 'session') return epochMs(at + pause.minutes * MINUTE_MS);
  const session = calendar.sessionAt(at);
  return epochMs((session ?? (rules.trade ? calendar.nextSession(at) : calendar.previousSession(at))).close);
}

/** Text such as `14:30`, with the date if that is another day. */
function clockOf({ now }: EngineContext, at: EpochMs): string {
  const date = newYorkDate(at);
  return date === newYorkDate(now) ? newYorkClock(at) : `${newYorkClock(at)} on ${date}`;
}
