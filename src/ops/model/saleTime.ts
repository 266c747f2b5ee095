import type { Status } from './status.ts';

/**
 * Sentence about when a flatten sells.
 * @param clock writes a New York time, with its date if it differs from that of `now`
 */
export function saleTime(
  { session: { phase, close, open, nextOpen, trades = [] }, now }: Pick<Status, 'session' | 'now'>,
  clock: (iso: string, now: string) => string,
): string {
  const isAhead = (iso: string | null): iso is string => iso !== null && Date.parse(iso) > Date.parse(now);
  if (phase === 'regular')
    return `The sells are sent now${isAhead(close) ? `; the session closes at ${clock(close, now)} New York time` : ''}.`;
  if (trades.length > 0)
    return `${trades.join(', ')} may be sold now, by limit orders, and the rest once it trades again.`;
  const next = nextOpen ?? open;
  return `Nothing is sold before the next open${isAhead(next) ? `, ${clock(next, now)} New York time` : ''}.`;
}
