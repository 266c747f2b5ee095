import type { EpochMs } from '../../core/brand.ts';
import { STAMP_SLACK_MS } from '../../domain/orders/reportMatching.ts';
import { PAGE_ROWS_MAX } from '../../domain/fees.ts';
import type { OrderPage, OrderReport, UnreadableRow, Venue } from '../../domain/venue.ts';

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
 * Reads the order list from the newest until a full page has no more news: all ended, and older than the oldest
 * live order. Its cost follows the pages, not the orders. A list whose pages do not fit together has moved meanwhile and is
 * read again; one that never fits is not complete. All rows that were seen are given, each transaction once.
 *
 * A venue that gives fewer rows at once than it is asked for is read again by pages of that size. There one page alone proves
 * nothing, because a row that is missing looks the same: the second page must fit too.
 */
export async function sweepOrders(venue: Venue, query: SweepQuery): Promise<Sweep> {
  const seen: Row[] = [];
  let pages: Pages = { limit: Math.min(Math.max(query.live * 2, PAGE_MIN), PAGE_ROWS_MAX), min: 1 };
  for (let reading = 1; reading <= READINGS_MAX; reading++) {
    const { rows, fits, toTheEnd, first } = await readOnce(venue, query, pages);
    if (fits && reading === 1) return { rows, complete: toTheEnd };
    seen.unshift(...rows);
    if (fits) return { rows: merged(seen), complete: toTheEnd };
    if (seen.length >= ROWS_MAX) break;
    if (first > 0 && first < pages.limit) pages = { limit: first, min: 2 };
  }
  return { rows: merged(seen), complete: false };
}

/** Rows of a page, and the least number of pages that a reading of a longer list must have. */
type Pages = Readonly<{ limit: number; min: number }>;

/** `fits`: no page contradicts another. `toTheEnd`: as far back as was asked for. `first`: rows of the first page. */
type PageReading = Readonly<{ rows: readonly Row[]; fits: boolean; toTheEnd: boolean; first: number }>;

async function readOnce(
  venue: Venue,
  { oldestLive }: SweepQuery,
  { limit, min }: Pages,
): Promise<PageReading> {
  const rows: Row[] = [];
  let total: number | null = null;
  let first = 0;
  for (let page = 1; page <= PAGES_MAX; page++) {
    const part = await venue.orders({ page, limit });
    if (page === 1) first = part.rows.length;
    const fits = (total ?? part.total) === part.total && isWhole(part, { before: rows.length, limit });
    total = part.total;
    rows.push(...part.rows.slice(0, limit));
    if (!fits || hasTwice(rows)) return { rows, fits: false, toTheEnd: false, first };
    const isLast = part.rows.length === 0 || rows.length >= total;
    if (isLast || (page >= min && part.rows.every((row) => isPast(row, oldestLive))))
      return { rows, fits: true, toTheEnd: true, first };
  }
  return { rows, fits: true, toTheEnd: false, first };
}

/** True when a page has as many rows as its total says, after those `before` it. */
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
