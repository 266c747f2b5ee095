import type { EpochMs } from '../core/brand.ts';
import { STAMP_SLACK_MS } from '../domain/attribution.ts';
import type { OrderReport, UnreadableRow, Venue } from '../domain/venue.ts';

/** Most rows the venue gives at once, and most pages read in one go. */
const PAGE_MAX = 100;
const PAGE_MIN = 50;
const PAGES_MAX = 50;

type Row = OrderReport | UnreadableRow;
export type Sweep = Readonly<{ rows: readonly Row[]; complete: boolean }>;

/** `oldestLive`: when the oldest order that has not ended was sent. */
export type SweepQuery = Readonly<{ live: number; oldestLive: EpochMs | null }>;

const ENDED: ReadonlySet<string> = new Set(['filled', 'cancelled', 'expired', 'rejected', 'reverted']);

/**
 * Reads the order list from the newest until a full page has nothing more to tell: all ended, and older than the oldest
 * live order. Its cost follows the pages, not the orders.
 */
export async function sweepOrders(venue: Venue, { live, oldestLive }: SweepQuery): Promise<Sweep> {
  const limit = Math.min(Math.max(live * 2, PAGE_MIN), PAGE_MAX);
  const rows: Row[] = [];
  for (let page = 1; page <= PAGES_MAX; page++) {
    const part = await venue.orders({ page, limit });
    rows.push(...part.rows);
    if (part.rows.length === 0 || rows.length >= part.total) return { rows, complete: true };
    if (part.rows.every((row) => isPast(row, oldestLive))) return { rows, complete: true };
  }
  return { rows, complete: false };
}

/** A row stamped shortly before the oldest live order was sent may be that order. */
const isPast = (row: Row, oldestLive: EpochMs | null): boolean =>
  !('unreadable' in row) &&
  ENDED.has(row.status) &&
  (oldestLive === null || row.createdAt < oldestLive - STAMP_SLACK_MS);
