import { newYorkTime } from '../calendar/index.ts';
import { epochMs, type EpochMs } from '../core/brand.ts';
import { InvalidValueError } from '../core/errors.ts';
import type { SessionView } from './contract.ts';
import type { SessionTime } from './orderTerms.ts';
import { readSessionTime, SESSION_TIME_FORMS, type SessionTimeForm } from './params.ts';

const MINUTE_MS = 60_000;

/**
 * Instant of a session time. Null when this session does not reach it: `15:30` on a day that closes early, or `open+5h`. Its
 * timer then does not fire that day. The open and the close themselves are inside.
 * @throws {InvalidValueError} when no session could ever reach it
 */
export function instantOf(time: SessionTime, session: SessionView): EpochMs | null {
  const form = readSessionTime(time);
  if (!form)
    throw new InvalidValueError(`"${time}" is not a time of a session: write ${SESSION_TIME_FORMS}`, {
      time,
    });
  const at = instantIn(session, form);
  return at >= session.open && at <= session.close ? at : null;
}

function instantIn(session: SessionView, form: SessionTimeForm): EpochMs {
  if ('wall' in form) return newYorkTime(session.date, form.wall);
  const { from, minutes } = form;
  return epochMs(from === 'open' ? session.open + minutes * MINUTE_MS : session.close - minutes * MINUTE_MS);
}
