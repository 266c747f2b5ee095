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
/** Maximum number of pages per reading. */
const PAGES_MAX = 50;
/** Number of readings of a list that changes meanwhile. */
const READINGS_MAX = 3;
/** Number of rows after which a sweep starts no further reading. */
const ROWS_MAX = 5_000;

type Row = OrderReport | UnreadableRow;
export type Sweep = OrderList;

/** `oldestLive`: time at which the oldest live order was sent. */
type SweepQuery = Readonly<{ live: number; oldestLive: EpochMs | null }>;

/** Reads the order list back to the oldest live order: older rows that have ended are not news. */
export const sweepOrders = (venue: Venue, { live, oldestLive }: SweepQuery): Promise<Sweep> =>
  readList<Row>({
    limit: Math.min(Math.max(live * 2, PAGE_MIN), PAGE_ROWS_MAX),
    read: (query) => venue.orders(query),
    isPast: (row) => hasEnded(row) && (oldestLive === null || isBefore(row, oldestLive)),
  });

const hasEnded = (row: Row): boolean => !('unreadable' in row) && hasEndedAtVenue(row);

/** True for a row created before a time; false for a row without a time. */
const isBefore = (row: Row | TransferRow, at: EpochMs): boolean =>
  !('unreadable' in row) && row.createdAt > 0 && row.createdAt < at - STAMP_SLACK_MS;

type List<R> = Readonly<{ rows: readonly R[]; complete: boolean }>;

/** A list from the venue. `isPast`: true for a row that is old news; after a full page of these, so is the rest. */
type ListQuery<R> = Readonly<{
  limit: number;
  read: (query: { page: number; limit: number }) => Promise<Page<R>>;
  isPast: (row: R) => boolean;
}>;

type ListRow = Readonly<{ txHash: string | null }>;
type Page<R> = Readonly<{ total: number; rows: readonly R[] }>;

/**
 * Reads a list, newest first, until a full page has no more news. Its cost depends on the pages, not the rows. If pages
 * contradict each other, the list has changed meanwhile and is read again; if they always do, the result is not
 * complete. Returns all rows seen, each transaction once.
 *
 * If the venue returns fewer rows per page than requested, the list is read again with that page size. One such page
 * alone proves nothing, because a missing row looks the same: the second page must fit too.
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

/** Rows per page, and the minimum number of pages to read of a longer list. */
type Pages = Readonly<{ limit: number; min: number }>;

/** `fits`: no page contradicts another. `toTheEnd`: read back as far as requested. `first`: rows on the first page. */
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

/** True when a page has as many rows as its total implies, after the `before` rows of earlier pages. */
const isWhole = (
  { total, rows }: Page<unknown>,
  { before, limit }: Readonly<{ before: number; limit: number }>,
) => rows.length === Math.min(limit, Math.max(total - before, 0));

const hasTwice = (rows: readonly ListRow[]): boolean => merged(rows).length < rows.length;

/** Rows with each transaction once, in its latest version. */
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
 * Reads the lists of all kinds with a transfer under way; nothing if there are none. Returns the hashes that the chain
 * has no trace of.
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

/** Age in ms up to which external transfers are searched. */
const EXTERNAL_MS = 30 * DAY_MS;

/** Reads the lists of the external kinds that the config accepts, back to the opening of the ledger. */
export async function listExternal({ kernel, port, clock, take }: TransferListOptions): Promise<void> {
  const { opened, transfers } = kernel.context.accountState;
  for (const kind of kernel.externalMoves.kinds) {
    const asked = clock.now();
    const sent = oldestOf([...transfers.live.values()].filter(({ terms }) => terms.kind === kind)) ?? asked;
    const since = epochMs(Math.min(Math.max(opened?.at ?? asked, asked - EXTERNAL_MS), sent));
    take({ kind: 'transfers', transferKind: kind, asked, ...(await readBack(port, kind, since)) });
  }
}

/** Reads from the chain, where possible, what the venue does not show. Done before the lists: the chain states causes. */
async function traceOperations({ kernel, port, take }: TransferListOptions): Promise<readonly string[]> {
  const untraced: string[] = [];
  for (const transfer of [...kernel.context.accountState.transfers.live.values()]) {
    const txHash = transferTxHash(transfer);
    if (!isUnseen(transfer) || txHash === null) continue;
    // A failed read proves nothing; the next one asks again.
    const nonce = kernel.context.accountState.nonces.get(txHash);
    const trace = (await port.trace?.(transfer.terms, txHash, nonce).catch(() => null)) ?? null;
    if (trace !== null) take({ kind: 'transferTraced', id: transfer.id, trace });
    if (trace?.kind === 'absent') untraced.push(txHash);
  }
  return untraced;
}

/**
 * Rebroadcasts transactions that the chain has lost, while transfers may be sent: later ones of the wallet cannot be
 * mined before them.
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

/** Send time of the oldest transfer; null if none was sent. */
function oldestOf(transfers: readonly Transfer[]): EpochMs | null {
  const sent = transfers.flatMap(({ state }) => ('at' in state ? [state.at] : []));
  return sent.length === 0 ? null : epochMs(Math.min(...sent));
}

type TransferRow = TransferPage['rows'][number];

/** Reads a list back to the oldest transfer searched for. */
const readBack = (port: TransferPort, kind: ListedKind, since: EpochMs): Promise<List<TransferRow>> =>
  readList<TransferRow>({
    limit: PAGE_MIN,
    read: (query) => port.transfers(kind, query),
    isPast: (row) => isBefore(row, since),
  });
