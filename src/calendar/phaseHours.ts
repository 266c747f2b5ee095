import { epochMs, type EpochMs } from '../core/brand.ts';
import type { Phase, PhaseAt } from './phases.ts';
import type { Session } from './sessions.ts';
import type { TradingCalendar } from './tradingCalendar.ts';

/** Phase with its open and close. `date`: the trading date to which it belongs. */
export type PhaseHours = Session & Readonly<{ phase: OpenPhase }>;

type OpenPhase = Exclude<Phase, 'closed'>;

/** Calendar whose sessions are phases of the trading day: bars are counted from the start of each, and end with it. */
export type PhaseCalendar = Omit<
  TradingCalendar,
  'sessions' | 'sessionAt' | 'nextSession' | 'previousSession'
> &
  Readonly<{
    sessions(from: string, to: string): PhaseHours[];
    sessionAt(at: EpochMs): PhaseHours | undefined;
    nextSession(at: EpochMs): PhaseHours;
    previousSession(at: EpochMs): PhaseHours;
  }>;

const OUTSIDE: ReadonlySet<Phase> = new Set<Phase>(['overnight', 'pre', 'post']);
const ALL: ReadonlySet<Phase> = new Set<Phase>([...OUTSIDE, 'regular']);

/** Calendar of the phases outside the regular session. */
export const outsideHours = (calendar: TradingCalendar): PhaseCalendar => phaseHours(calendar, OUTSIDE);

/** Calendar of all phases in which prices move, including the regular session. */
export const allHours = (calendar: TradingCalendar): PhaseCalendar => phaseHours(calendar, ALL);

/** Calendar of the named phases. */
export function phaseHours(calendar: TradingCalendar, phases: ReadonlySet<Phase>): PhaseCalendar {
  const known = new WeakMap<PhaseAt, PhaseHours>();
  const hoursIn = (at: PhaseAt): PhaseHours | undefined => {
    const { phase, session: date, since, nextChange: close } = at;
    if (date === null || phase === 'closed' || !phases.has(phase)) return undefined;
    let hours = known.get(at);
    if (!hours) {
      const early = calendar.sessionOn(date)?.early ?? false;
      known.set(at, (hours = Object.freeze({ date, phase, open: epochMs(since), close, early })));
    }
    return hours;
  };
  const nextSession = (at: EpochMs): PhaseHours => {
    for (
      let span = calendar.phaseAt(calendar.phaseAt(at).nextChange);
      ;
      span = calendar.phaseAt(span.nextChange)
    ) {
      const hours = hoursIn(span);
      if (hours) return hours;
    }
  };
  const previousSession = (at: EpochMs): PhaseHours => {
    for (let end = calendar.phaseAt(at).since; ;) {
      // The first span of a year has no beginning: it follows the post phase of the last session.
      const inside = Number.isFinite(end) ? epochMs(end - 1) : calendar.previousSession(at).close;
      const span = calendar.phaseAt(inside);
      const hours = hoursIn(span);
      if (hours) return hours;
      end = span.since;
    }
  };
  const sessions = (from: string, to: string): PhaseHours[] =>
    calendar.sessions(from, to).flatMap(({ open, close }) => {
      // Overnight and pre come before the open, post after the close.
      const pre = calendar.phaseAt(epochMs(open - 1));
      const spans = [
        calendar.phaseAt(epochMs(pre.since - 1)),
        pre,
        calendar.phaseAt(open),
        calendar.phaseAt(close),
      ];
      return spans.flatMap((span) => hoursIn(span) ?? []);
    });
  return {
    ...calendar,
    sessions,
    sessionAt: (at) => hoursIn(calendar.phaseAt(at)),
    nextSession,
    previousSession,
  };
}
