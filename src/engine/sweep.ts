import type { EpochMs } from '../core/brand.ts';
import { STAMP_SLACK_MS } from '../domain/attribution.ts';
import { PAGE_ROWS_MAX } from '../domain/documented.ts';
import type { OrderPage, OrderReport, UnreadableRow, Venue } from '../domain/venue.ts';

const PAGE_MIN = 50;
/** Most pages read in one go. */
const PAGES_MAX = 50;
/** Readings of a list that moves while it is read. */
const READINGS_MAX = 3;
/** Most rows that all readings of one sweep bring: one more is not begun after it. */
const ROWS_MAX = 5_000;

type Row = OrderReport | UnreadableRow;
export type Sweep = Readonly<{ rows: readonly Row[]; complete: boolean }>;

/** `oldestLive`: when the oldest order that has not ended was sent. */
export type SweepQuery = Readonly<{ live: number; oldestLive: EpochMs | null }>;

const ENDED: ReadonlySet<string> = new Set(['filled', 'cancelled', 'expired', 'rejected', 'reverted']);

/**
 * Reads the order list from the newest until a full page has nothing more to tell: all ended, and older than the oldest
 * live order. Its cost follows the pages, not the orders. A list whose pages do not fit together has moved meanwhile and is
 * read again; one that never fits is not complete. All rows that were seen are given, each transaction once.
 */
export async function sweepOrders(venue: Venue, query: SweepQuery): Promise<Sweep> {
  const seen: Row[] = [];
  for (let reading = 1; reading <= READINGS_MAX; reading++) {
    const { rows, fits, toTheEnd } = await readOnce(venue, query);
    if (fits && reading === 1) return { rows, complete: toTheEnd };
    seen.unshift(...rows);
    if (fits) return { rows: merged(seen), complete: toTheEnd };
    if (seen.length >= ROWS_MAX) break;
  }
  return { rows: merged(seen), complete: false };
}

/** `fits`: no page contradicts another. `toTheEnd`: as far back as was asked for. */
type Reading = Readonly<{ rows: readonly Row[]; fits: boolean; toTheEnd: boolean }>;

async function readOnce(venue: Venue, { live, oldestLive }: SweepQuery): Promise<Reading> {
  const limit = Math.min(Math.max(live * 2, PAGE_MIN), PAGE_ROWS_MAX);
  const rows: Row[] = [];
  let total: number | null = null;
  for (let page = 1; page <= PAGES_MAX; page++) {
    const part = await venue.orders({ page, limit });
    const fits = (total ?? part.total) === part.total && isWhole(part, { before: rows.length, limit });
    total = part.total;
    rows.push(...part.rows.slice(0, limit));
    if (!fits || hasTwice(rows)) return { rows, fits: false, toTheEnd: false };
    const isLast = part.rows.length === 0 || rows.length >= total;
    if (isLast || part.rows.every((row) => isPast(row, oldestLive)))
      return { rows, fits: true, toTheEnd: true };
  }
  return { rows, fits: true, toTheEnd: false };
}

/** Whether a page has as many rows as its total says, after those `before` it. */
const isWhole = (
  { total, rows }: OrderPage,
  { before, limit }: Readonly<{ before: number; limit: number }>,
) => rows.length === Math.min(limit, Math.max(total - before, 0));

const hasTwice = (rows: readonly Row[]): boolean => merged(rows).length < rows.length;

/** Each transaction once, as it was read last. */
function merged(rows: readonly Row[]): Row[] {
  const known = new Set<string>();
  return rows.filter(({ txHash }) => {
    if (txHash === null) return true;
    const before = known.size;
    return known.add(txHash).size > before;
  });
}

/** A row stamped shortly before the oldest live order was sent, or not at all, may be that order. */
const isPast = (row: Row, oldestLive: EpochMs | null): boolean =>
  !('unreadable' in row) &&
  ENDED.has(row.status) &&
  (oldestLive === null || (row.createdAt > 0 && row.createdAt < oldestLive - STAMP_SLACK_MS));
