import type { Status } from '../../../ops/model/status.ts';
import { newYorkTime, span } from '../../parts/times.ts';

/** Phase of the session and the time that is left of it: `session, closes in 3 h (16:00:00)`. `nowMs`: of the daemon. */
export function sessionText({ phase, open, close, trades, until }: Status['session'], nowMs: number): string {
  const now = new Date(nowMs).toISOString();
  const left = (iso: string) => `${span(Date.parse(iso) - nowMs)} (${newYorkTime(iso, now)})`;
  const isAhead = (iso: string | null): iso is string => iso !== null && Date.parse(iso) > nowMs;
  if (phase === 'regular') return isAhead(close) ? `session, closes in ${left(close)}` : 'session';
  if (trades?.length && until) return `${phase}, trades ${trades.join(', ')} for ${left(until)}`;
  if (isAhead(open)) return `${phase}, opens in ${left(open)}`;
  return phase;
}
