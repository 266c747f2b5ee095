import type { VenueClient } from '../../../api/client.ts';
import { createVenue } from '../../../api/venue.ts';
import type { TradingCalendar } from '../../../calendar/index.ts';
import type { EpochMs } from '../../../core/brand.ts';
import { atVenueFault, messageOf } from '../../../core/errors.ts';
import type { Tree } from '../../../core/nesting.ts';
import { shownText } from '../../../core/printable.ts';
import { DAY_READINGS } from '../../../domain/instrument.ts';
import { dayEnd } from '../../../sim/dayEnd.ts';
import type { VenueConfig } from '../../config/schema.ts';
import { asAssumed, differs, unchecked, type AssumptionResult } from '../finding.ts';

const ENTRY = 'dayEnds';
const ROWS = 100;
/** Maximum age in ms of an order that counts: a time that the client cannot parse is far outside this range. */
const AGE_MAX_MS = 366 * 86_400_000;

const HOW =
  'no limit order was placed outside the session to show it. Place one far from the market in pre, and probe at 09:35, 16:05 and 20:05 New York time';

/**
 * Compares what DAY means outside the regular session with the orders of the key: an order open past an end rules that reading out, and
 * so does one that expired before it.
 */
export async function checkDayEnds(
  client: VenueClient,
  { venue, calendar, now }: Readonly<{ venue: VenueConfig; calendar: TradingCalendar; now: EpochMs }>,
): Promise<AssumptionResult> {
  const listed = await createVenue(client, venue)
    .orders({ page: 1, limit: ROWS })
    .catch(atVenueFault(messageOf));
  if (typeof listed === 'string') return unchecked(ENTRY, `the venue did not answer: ${listed}`);
  const isOutside = (createdAt: EpochMs) =>
    Math.abs(now - createdAt) < AGE_MAX_MS && !calendar.sessionAt(createdAt);
  const orders = listed.rows.flatMap((row) =>
    !('unreadable' in row) && row.terms?.type === 'limit' && isOutside(row.createdAt) ? [row] : [],
  );
  const possible = DAY_READINGS.filter((reading) =>
    orders.every(({ status, createdAt }) => {
      const isOver = dayEnd(calendar, createdAt, reading) <= now;
      return status === 'open' ? !isOver : status !== 'expired' || isOver;
    }),
  );
  return judged(possible, venue.dayEnds);
}

function judged(possible: readonly string[], assumed: string | undefined): AssumptionResult {
  const [first] = possible;
  if (possible.length === DAY_READINGS.length) return unchecked(ENTRY, HOW);
  if (first === undefined)
    return differs(ENTRY, 'orders outside the session end at none of the known times', null);
  if (assumed !== undefined && possible.includes(assumed)) return asAssumed(ENTRY, `as assumed: ${assumed}`);
  const text = `a DAY order outside the session ends by: ${possible.join(' or ')}`;
  if (assumed === undefined && possible.length > 1) return unchecked(ENTRY, text);
  return differs(ENTRY, text, possible.length === 1 ? `venue:\n  dayEnds: ${first}` : null);
}

/** Compares the fields of a token's price, and states the unit in which everything else is assumed to be. */
export function checkTokens(
  shown: Tree,
  { tokenRatio, assumptions }: VenueConfig,
): readonly AssumptionResult[] {
  const { price = 'price', multiplier = 'multiplier' } = assumptions?.fields?.onChain ?? {};
  const missing = [price, multiplier].filter((name) => !(name in shown));
  const fields = Object.keys(shown).map((name) => shownText(name, SHOWN_MAX));
  const remedy =
    tokenRatio === undefined ? 'set venue.tokenRatio or stocks.X.tokenRatio' : 'venue.tokenRatio counts';
  return [
    missing.length === 0
      ? asAssumed(FIELDS, `as assumed: ${price}, ${multiplier}`)
      : unchecked(
          FIELDS,
          `onChain of GET /prices shows no ${missing.join(', ')}; it has ${fields.join(', ') || 'nothing'}. If no source says how many shares a token ` +
            `stands for, limits.premiumBps has no effect: ${remedy}`,
        ),
    unchecked('tokenUnits', UNITS),
  ];
}

const FIELDS = 'fields.onChain';
const SHOWN_MAX = 40;
const UNITS =
  'no endpoint says whether balances, quantities, bars and splits are in tokens or in shares: they are assumed to be in shares, and orders to fill at the ' +
  'price of a share. If a token does not stand for exactly one share, compare the first fill with both prices of GET /prices';

/** Reasons why no read shows whether stocks trade in pre and post, and when an ex-date begins where nights are traded. */
export const unseenHours = (): readonly AssumptionResult[] => [
  unchecked(
    'extendedHours',
    'no endpoint says which stocks trade in pre and post: those tradable overnight are assumed to. A small limit order at the price, in post, shows it (venue.extendedHours)',
  ),
  unchecked(
    'exDates',
    'no endpoint says who gets the dividend of a stock traded in the night of its ex-date: whoever holds it at 20:00 is assumed to (venue.exDates)',
  ),
];
