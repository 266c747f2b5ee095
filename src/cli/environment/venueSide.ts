import { formatDecimal } from '../../core/amount.ts';
import type { AccountState } from '../../domain/account/accountState.ts';
import type { External } from '../../domain/orders/reportMatching.ts';
import type { Asset, Holding } from '../../domain/account/ledger.ts';
import type { OrderReport, Venue, AccountReport, UnreadableRow } from '../../domain/venue.ts';
import { type Sweep, sweepOrders } from '../../engine/runtime/sweep.ts';
import { createVenue } from '../../api/venue.ts';
import type { Clock } from '../../core/clock.ts';
import type { TransferPort, ListedKind, TransferReport } from '../../domain/transfers/transfer.ts';
import { withVenue } from './connect.ts';
import { withSimulatedVenue } from './dryEnvironment.ts';
import { withVenueAccess, type VenueUse } from './environment.ts';
import { epochMs } from '../../core/brand.ts';
import { NoAnswerError, VenueRefusedError } from '../../core/errors.ts';
import type { Amounts, VenueSide } from '../../domain/account/locations.ts';
import { countPinned } from '../../domain/account/pins.ts';

/** What has a lock is open, by whatever word. */
export const isOpen = ({ status, locked }: OrderReport): boolean =>
  status === 'open' || status === 'canceling' || locked !== null;

/** Open orders of the list that the journal does not know. */
export const externalOrdersIn = ({ rows }: Sweep, { byTx }: Pick<AccountState, 'byTx'>): OrderReport[] =>
  rows.flatMap((row) => ('unreadable' in row || !isOpen(row) || byTx.has(row.txHash) ? [] : [row]));

/**
 * External orders that the journal counts as open and locking the asset, and that the list, read as far back as an open order
 * can stand in it, does not show: they ended while nobody looked, or a list has invented them.
 */
export const unshownIn = (
  { rows }: Sweep,
  { external }: Pick<AccountState, 'external'>,
  asset: string,
): readonly External[] => {
  const shown = new Set(rows.map(({ txHash }) => txHash));
  return [...external.values()].filter(
    ({ txHash, report }) =>
      report !== null && isOpen(report) && assetOf(report) === asset && !shown.has(txHash),
  );
};

/** What an order locks; null where the venue does not tell. */
const assetOf = ({ terms }: OrderReport): Asset | null =>
  terms && (terms.side === 'buy' ? 'mUSD' : terms.symbol);

/** Those that lock some of the asset, or of any; one of which the venue does not tell it may lock any. */
export const lockingOf = (orders: readonly OrderReport[], asset?: string): OrderReport[] =>
  orders.filter(
    (order) => order.locked !== 0n && (asset === undefined || (assetOf(order) ?? asset) === asset),
  );

/** A line for each order, with what it locks, and a last one with what ends that. */
export const locksText = (orders: readonly OrderReport[]): string =>
  [
    ...orders.map(({ terms, locked, ...order }) => {
      const what = terms ? `${terms.side} ${terms.symbol}` : 'of unknown terms';
      const amount = locked === null ? 'an amount that the venue does not tell' : formatDecimal(locked);
      return `  ${order.txHash} (${what}): ${amount} ${assetOf({ terms, locked, ...order }) ?? ''}`.trimEnd();
    }),
    'Cancel them (`drover orders cancel TX`) or wait for their end, at the close at the latest',
  ].join('\n');

/** A venue as one who sends nothing sees it. `operations`: where the venue has any. */
export type VenueAccess = Readonly<{ venue: Venue; operations?: TransferPort; clock: Clock }>;

/**
 * Opens the venue that a run of this config trades at for as long as `work` looks at it. It needs no wallet. That of mode
 * `emulator` lies in the state folder: the caller holds it.
 */
export async function withReadOnlyVenue<T>(
  input: VenueUse,
  work: (access: VenueAccess) => Promise<T>,
): Promise<T> {
  const { mode } = input.loaded.config;
  if (mode === 'emulator') return withVenueAccess(input, work);
  return withVenue(input.context, ({ client, clock, venue: { userAddress } }) => {
    const venue = createVenue(client, { userAddress });
    if (mode === 'live') return work({ venue, operations: venue, clock });
    return withSimulatedVenue(input, { market: venue, clock }, (simulated) =>
      work({ venue: simulated, clock }),
    );
  });
}

/** An order lives for a session, which may begin before a long weekend and end after it. */
const ORDER_LIFE_MS = 5 * 86_400_000;
const PAGE = 100;
const PAGES_MAX = 20;

export type VenueReading = VenueSide & Readonly<{ sweep: Sweep }>;

/** The order list, as far back as one that is open may stand in it. */
export function sweepOpen(
  { venue, clock }: Pick<VenueAccess, 'venue' | 'clock'>,
  { live }: AccountState,
): Promise<Sweep> {
  const sent = [...live.values()].flatMap(({ state }) => ('at' in state ? [state.at] : []));
  const oldestLive = epochMs(Math.min(...sent, clock.now() - ORDER_LIFE_MS));
  return sweepOrders(venue, { live: PAGE, oldestLive });
}

/** Reads every place where the venue may have money or stock of the account. */
export async function readVenueSide(
  { venue, operations, clock }: VenueAccess,
  accountState: AccountState,
): Promise<VenueReading> {
  const sweep = await sweepOpen({ venue, clock }, accountState);
  const account = countPinned(await venue.account(), (symbol) => accountState.pins.contractOf(symbol));
  if (!operations) return { account, sweep, locked: lockedIn(sweep), queued: { in: null, out: null } };
  const ways = { in: ['cashDeposit', 'stockDeposit'], out: ['cashWithdrawal', 'stockWithdrawal'] } as const;
  const symbols = memoise(async () => {
    const listings = await venue.listings();
    return new Map(
      listings.map(({ instrument: { address, symbol } }) => [address.toLowerCase(), symbol] as const),
    );
  });
  const way = { operations, symbols };
  return {
    sweep,
    account: await withDebts(account, operations),
    locked: lockedIn(sweep),
    queued: { in: await queuedIn(way, ways.in), out: await queuedIn(way, ways.out) },
  };
}

/** Not every deployment has debts: the rest is told all the same. */
async function withDebts(account: AccountReport, operations: TransferPort): Promise<AccountReport> {
  const debts = await operations.debts().catch(nullIfNotTold);
  return debts ? { ...account, debts } : account;
}

function nullIfNotTold(error: unknown): null {
  if (error instanceof VenueRefusedError || error instanceof NoAnswerError) return null;
  throw error;
}

const isReadable = <Row extends object>(row: Row | UnreadableRow): row is Row => !('unreadable' in row);

/** Of an order that is no more than a link nobody can tell yet whether it locks anything. */
function lockedIn({ rows, complete }: Sweep): Amounts {
  const sums = new Map<Holding, bigint>();
  if (!complete) return null;
  for (const row of rows) {
    if (!isReadable(row)) return null;
    if (!isOpen(row)) continue;
    if (!row.terms || row.locked === null) return null;
    const { symbol, side } = row.terms;
    add(sums, side === 'buy' ? 'mUSD' : symbol, row.locked);
  }
  return sums;
}

const add = (sums: Map<Holding, bigint>, asset: Holding, amount: bigint): void =>
  void sums.set(asset, (sums.get(asset) ?? 0n) + amount);

type QueueReader = Readonly<{
  operations: TransferPort;
  /** Stocks by the address of their token, in lower case. */
  symbols: () => Promise<ReadonlyMap<string, Holding>>;
}>;

/** What the operations of these lists have taken and not brought to its goal; null where one of them cannot be told. */
async function queuedIn(way: QueueReader, kinds: readonly ListedKind[]): Promise<Amounts> {
  const sums = new Map<Holding, bigint>();
  for (const kind of kinds) {
    const waiting = await waitingIn(way.operations, kind).catch(nullIfNotTold);
    if (!waiting) return null;
    for (const { moved } of waiting) {
      if (!moved) continue;
      const asset = kind.startsWith('stock') ? (await way.symbols()).get(moved.token) : moved.token;
      if (asset === undefined) return null;
      add(sums, kind === 'cashWithdrawal' ? 'mUSD' : asset, moved.amount);
    }
  }
  return sums;
}

/** Those that have not ended, from the newest until a page has none. */
async function waitingIn(operations: TransferPort, kind: ListedKind): Promise<TransferReport[] | null> {
  const found: TransferReport[] = [];
  for (let page = 1; page <= PAGES_MAX; page++) {
    const { total, rows } = await operations.operations(kind, { page, limit: PAGE });
    const readable = rows.filter(isReadable);
    if (readable.length < rows.length || readable.some(({ status }) => status === 'unrecognised'))
      return null;
    const waiting = readable.filter(({ status }) => status === 'processing');
    found.push(...waiting);
    if (waiting.length === 0 || page * PAGE >= total) return found;
  }
  return null;
}

function memoise<T>(ask: () => Promise<T>): () => Promise<T> {
  let asked: Promise<T> | undefined;
  return () => (asked ??= ask());
}
