import { DAY_MS, type EpochMs, epochMs } from '../../core/brand.ts';
import { STAMP_SLACK_MS } from '../../domain/orders/reportMatching.ts';
import { hasEndedAtVenue, type OrderList } from '../../domain/account/hiddenAmounts.ts';
import { PAGE_ROWS_MAX } from '../../domain/fees.ts';
import type { OrderReport, UnreadableRow, Venue } from '../../domain/venue.ts';
import type { Clock } from '../../core/clock.ts';
import {
  isUnseen,
  transferTxHash,
  type ListedKind,
  type Transfer,
  type TransferPage,
  type TransferPort,
} from '../../domain/transfers/transfer.ts';
import type { Kernel } from '../kernel/kernel.ts';
import type { KernelEvent } from '../state/kernelEvent.ts';

const PAGE_MIN = 50;
/** Maximum number of pages read in one go. */
const PAGES_MAX = 50;
/** Number of reads of a list that changes while it is read. */
const READINGS_MAX = 3;
/** Rows after which a sweep begins no further reading. */
const ROWS_MAX = 5_000;

type Row = OrderReport | UnreadableRow;
export type Sweep = OrderList;

/** `oldestLive`: time at which the oldest live order was sent. */
type SweepQuery = Readonly<{ live: number; oldestLive: EpochMs | null }>;

/** Reads the order list back to the oldest live order: older rows that have ended are no news. */
export const sweepOrders = (venue: Venue, { live, oldestLive }: SweepQuery): Promise<Sweep> =>
  readList<Row>({
    limit: Math.min(Math.max(live * 2, PAGE_MIN), PAGE_ROWS_MAX),
    read: (query) => venue.orders(query),
    isPast: (row) => hasEnded(row) && (oldestLive === null || isBefore(row, oldestLive)),
  });

const hasEnded = (row: Row): boolean => !('unreadable' in row) && hasEndedAtVenue(row);

/** True for a row that was made before an instant; of one without a time nobody knows. */
const isBefore = (row: Row | TransferRow, at: EpochMs): boolean =>
  !('unreadable' in row) && row.createdAt > 0 && row.createdAt < at - STAMP_SLACK_MS;

type List<R> = Readonly<{ rows: readonly R[]; complete: boolean }>;

/** A list of the venue. `isPast`: true for a row that is no news, as are all after a page of such rows. */
type ListQuery<R> = Readonly<{
  limit: number;
  read: (query: { page: number; limit: number }) => Promise<Page<R>>;
  isPast: (row: R) => boolean;
}>;

type ListRow = Readonly<{ txHash: string | null }>;
type Page<R> = Readonly<{ total: number; rows: readonly R[] }>;

/**
 * Reads a list from the newest until a full page has no more news. Its cost follows the pages, not the rows. A list whose
 * pages do not fit together has moved meanwhile and is read again; one that never fits is not complete. Returns all rows that
 * were seen, each transaction once.
 *
 * A venue that gives fewer rows at once than it is asked for is read again by pages of that size. There one page alone proves
 * nothing, because a row that is missing looks the same: the second page must fit too.
 */
export async function readList<R extends ListRow>(query: ListQuery<R>): Promise<List<R>> {
  const seen: R[] = [];
  let pages: Pages = { limit: query.limit, min: 1 };
  for (let reading = 1; reading <= READINGS_MAX; reading++) {
    const { rows, fits, toTheEnd, first } = await readOnce(query, pages);
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
type PageReading<R> = Readonly<{ rows: readonly R[]; fits: boolean; toTheEnd: boolean; first: number }>;

async function readOnce<R extends ListRow>(
  { read, isPast }: ListQuery<R>,
  { limit, min }: Pages,
): Promise<PageReading<R>> {
  const rows: R[] = [];
  let total: number | null = null;
  let first = 0;
  for (let page = 1; page <= PAGES_MAX; page++) {
    const part = await read({ page, limit });
    if (page === 1) first = part.rows.length;
    const fits = (total ?? part.total) === part.total && isWhole(part, { before: rows.length, limit });
    total = part.total;
    rows.push(...part.rows.slice(0, limit));
    if (!fits || hasTwice(rows)) return { rows, fits: false, toTheEnd: false, first };
    const isLast = part.rows.length === 0 || rows.length >= total;
    if (isLast || (page >= min && part.rows.every(isPast)))
      return { rows, fits: true, toTheEnd: true, first };
  }
  return { rows, fits: true, toTheEnd: false, first };
}

/** True when a page has as many rows as its total implies, after those `before` it. */
const isWhole = (
  { total, rows }: Page<unknown>,
  { before, limit }: Readonly<{ before: number; limit: number }>,
) => rows.length === Math.min(limit, Math.max(total - before, 0));

const hasTwice = (rows: readonly ListRow[]): boolean => merged(rows).length < rows.length;

/** Rows with each transaction once, as it was read last. */
function merged<R extends ListRow>(rows: readonly R[]): R[] {
  const known = new Set<string>();
  return rows.filter(({ txHash }) => {
    if (txHash === null) return true;
    const before = known.size;
    return known.add(txHash).size > before;
  });
}

export type TransferListOptions = Readonly<{
  kernel: Kernel;
  port: TransferPort;
  clock: Clock;
  take: (event: KernelEvent) => void;
}>;

/**
 * Reads the lists of all kinds that have an operation under way; nothing when there is none. Gives the hashes of those that the
 * chain has no trace of.
 */
export async function listTransfers(options: TransferListOptions): Promise<readonly string[]> {
  const { kernel, port, clock, take } = options;
  const live = [...kernel.context.accountState.transfers.live.values()];
  const untraced = await traceOperations(options);
  for (const kind of new Set(live.map(({ terms }) => terms.kind))) {
    if (kind === 'repay' || kind === 'approve') continue;
    const asked = clock.now();
    const since = oldestOf(live.filter(({ terms }) => terms.kind === kind));
    if (since === null) continue;
    take({ kind: 'transfers', transferKind: kind, asked, ...(await readBack(port, kind, since)) });
  }
  return untraced;
}

/** Longest time in ms for which transfers of another hand are looked for. */
const EXTERNAL_MS = 30 * DAY_MS;

/** Reads the lists of the kinds that are accepted from another hand, back to the opening of the ledger. */
export async function listExternal({ kernel, port, clock, take }: TransferListOptions): Promise<void> {
  const { opened, transfers } = kernel.context.accountState;
  for (const kind of kernel.externalMoves.kinds) {
    const asked = clock.now();
    const sent = oldestOf([...transfers.live.values()].filter(({ terms }) => terms.kind === kind)) ?? asked;
    const since = epochMs(Math.min(Math.max(opened?.at ?? asked, asked - EXTERNAL_MS), sent));
    take({ kind: 'transfers', transferKind: kind, asked, ...(await readBack(port, kind, since)) });
  }
}

/** Reads from the chain, if possible, what the venue does not show. It precedes the lists, because it knows causes. */
async function traceOperations({ kernel, port, take }: TransferListOptions): Promise<readonly string[]> {
  const untraced: string[] = [];
  for (const transfer of [...kernel.context.accountState.transfers.live.values()]) {
    const txHash = transferTxHash(transfer);
    if (!isUnseen(transfer) || txHash === null) continue;
    // A question that fails answers nothing; the next look asks again.
    const nonce = kernel.context.accountState.nonces.get(txHash);
    const trace = (await port.trace?.(transfer.terms, txHash, nonce).catch(() => null)) ?? null;
    if (trace !== null) take({ kind: 'transferTraced', id: transfer.id, trace });
    if (trace?.kind === 'absent') untraced.push(txHash);
  }
  return untraced;
}

/**
 * Offers transactions again that the chain has lost, while transfers may be sent: later ones of the wallet are not mined
 * before them.
 */
export async function offerUntraced(
  { kernel, port, clock }: TransferListOptions,
  untraced: readonly string[],
): Promise<void> {
  const { all, byTx } = kernel.context.accountState.transfers;
  for (const txHash of untraced) {
    const id = byTx.get(txHash);
    const transfer = id === undefined ? undefined : all.get(id);
    if (transfer && isUnseen(transfer) && kernel.mayTransfer(clock.now())) await port.offerAgain?.(txHash);
  }
}

/** Send time of the oldest of them; null when none was sent. */
function oldestOf(transfers: readonly Transfer[]): EpochMs | null {
  const sent = transfers.flatMap(({ state }) => ('at' in state ? [state.at] : []));
  return sent.length === 0 ? null : epochMs(Math.min(...sent));
}

type TransferRow = TransferPage['rows'][number];

/** Reads a list back to the oldest transfer that is looked for. */
const readBack = (port: TransferPort, kind: ListedKind, since: EpochMs): Promise<List<TransferRow>> =>
  readList<TransferRow>({
    limit: PAGE_MIN,
    read: (query) => port.transfers(kind, query),
    isPast: (row) => isBefore(row, since),
  });
