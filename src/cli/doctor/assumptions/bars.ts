import type { VenueClient } from '../../../api/client.ts';
import { isUnreadable } from '../../../api/wire.ts';
import { newYorkDate, type TradingCalendar } from '../../../calendar/index.ts';
import { epochMs, toSeconds, type EpochMs } from '../../../core/brand.ts';
import { isVenueFault, messageOf } from '../../../core/errors.ts';
import { asAssumed, differs, unchecked, type Checked } from './checked.ts';

const WEEK_MS = 7 * 86_400_000;
/** Minutes after the open that are read. */
const MINUTES = 5;

type When = Readonly<{ calendar: TradingCalendar; now: EpochMs }>;

/** Checks by the first minute of the last session that is over that the time of a bar is its start. */
export async function checkBars(
  client: VenueClient,
  symbol: string,
  { calendar, now }: When,
): Promise<Checked> {
  const entry = 'bars';
  const days = calendar.sessions(newYorkDate(epochMs(now - WEEK_MS)), newYorkDate(now));
  const open = days.filter(({ close }) => close < now).at(-1)?.open;
  if (open === undefined) return unchecked(entry, 'no session has ended in the last seven days');
  const startTime = toSeconds(open);
  const query = { startTime, endTime: startTime + MINUTES * 60, interval: '1m', limit: MINUTES + 1 } as const;
  try {
    const rows = await client.history({ path: { symbol }, query });
    const times = rows.flatMap((row) => (isUnreadable(row) || !('timestamp' in row) ? [] : [row.timestamp]));
    const first = Math.min(...times);
    if (times.length === 0)
      return unchecked(entry, `the venue shows no minute of ${symbol} after the last open`);
    if (first === startTime) return asAssumed(entry, 'as assumed: the time of a bar is its start');
    return differs(
      entry,
      `the first minute of ${symbol} is told ${first - startTime} s after the open`,
      null,
    );
  } catch (error) {
    if (!isVenueFault(error)) throw error;
    return unchecked(entry, messageOf(error));
  }
}
