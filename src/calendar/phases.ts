import { DAY_MS, type EpochMs } from '../core/brand.ts';
import { dateOf, parseDay, newYorkTime } from './zone.ts';
import type { Session } from './sessions.ts';

/** Phase of the trading day. Market orders are sent only in `regular`. */
export type Phase = 'overnight' | 'pre' | 'regular' | 'post' | 'closed';

/**
 * `session`: the trading date to which a phase belongs, null while closed. `since`: its first instant; minus infinity
 * before the first of a year. `nextChange`: the first instant of `next`.
 */
export type PhaseAt = Readonly<{
  phase: Phase;
  session: string | null;
  since: number;
  nextChange: EpochMs;
  next: Phase;
}>;

/** Span of one phase, from `from` until the next span. */
export type Span = Readonly<{ from: number; at: PhaseAt }>;

type Change = Readonly<{ at: EpochMs; phase: Phase; session: string | null }>;

const PRE_OPENS = '04:00';
const SHORT_DAY_ENDS_BY = '13:00';
const SHORT_DAY_POST_ENDS = '17:00';
/** Time at which post ends and the next calendar day's overnight begins. */
const DAY_TURNS = '20:00';

/**
 * Phases of a year from its first instant in New York to its last; `following` is the first session after it. January 1
 * is never a session, so no phase crosses into another year: the first span is closed and begins at minus infinity.
 */
export function spansOf(sessions: readonly Session[], following: Session): Span[] {
  const changes = [...sessions, following].flatMap(changesOf).filter(outlasts);
  const spans: Span[] = [];
  let now: Pick<Change, 'phase' | 'session'> = { phase: 'closed', session: null };
  let from = -Infinity;
  for (const change of changes) {
    spans.push({ from, at: { ...now, since: from, nextChange: change.at, next: change.phase } });
    if (change.session === following.date) break;
    now = { phase: change.phase, session: change.session };
    from = change.at;
  }
  return spans;
}

function changesOf(session: Session): Change[] {
  const { date } = session;
  const eve = dateOf(parseDay(date) - DAY_MS);
  return [
    { at: newYorkTime(eve, DAY_TURNS), phase: 'overnight', session: date },
    { at: newYorkTime(date, PRE_OPENS), phase: 'pre', session: date },
    { at: session.open, phase: 'regular', session: date },
    { at: session.close, phase: 'post', session: date },
    { at: postEnd(session), phase: 'closed', session: null },
  ];
}

/** False for a span of zero length, such as closed between two adjoining sessions. */
const outlasts = (change: Change, index: number, all: readonly Change[]): boolean =>
  change.at !== all[index + 1]?.at;

const postEnd = ({ date, close }: Session): EpochMs =>
  newYorkTime(date, close <= newYorkTime(date, SHORT_DAY_ENDS_BY) ? SHORT_DAY_POST_ENDS : DAY_TURNS);
