import { epochMs } from '../../core/brand.ts';
import { NoAnswerError, VenueRefusedError } from '../../core/errors.ts';
import type { Books } from '../../domain/books.ts';
import type { Amounts, VenueSide } from '../../domain/buckets.ts';
import type { Holding } from '../../domain/ledger.ts';
import type { ListedKind, OperationPort, OperationReport } from '../../domain/operation.ts';
import { countPinned } from '../../domain/pinnedHoldings.ts';
import type { AccountReport, UnreadableRow } from '../../domain/venue.ts';
import { sweepOrders, type Sweep } from '../../engine/sweep.ts';
import type { Sight } from './look.ts';
import { isOpen } from './others.ts';

/** An order lives for a session, which may begin before a long weekend and end after it. */
const ORDER_LIFE_MS = 5 * 86_400_000;
const PAGE = 100;
const PAGES_MAX = 20;

export type Shown = VenueSide & Readonly<{ sweep: Sweep }>;

/** The order list, as far back as one that is open may stand in it. */
export function sweepOpen({ venue, clock }: Pick<Sight, 'venue' | 'clock'>, { live }: Books): Promise<Sweep> {
  const sent = [...live.values()].flatMap(({ state }) => ('at' in state ? [state.at] : []));
  const oldestLive = epochMs(Math.min(...sent, clock.now() - ORDER_LIFE_MS));
  return sweepOrders(venue, { live: PAGE, oldestLive });
}

/** Reads every place where the venue may have money or stock of the account. */
export async function readVenueSide({ venue, operations, clock }: Sight, books: Books): Promise<Shown> {
  const sweep = await sweepOpen({ venue, clock }, books);
  const account = countPinned(await venue.account(), (symbol) => books.pins.contractOf(symbol));
  if (!operations) return { account, sweep, locked: lockedIn(sweep), queued: { in: null, out: null } };
  const ways = { in: ['cashDeposit', 'stockDeposit'], out: ['cashWithdrawal', 'stockWithdrawal'] } as const;
  const symbols = onceAsked(async () => {
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
async function withDebts(account: AccountReport, operations: OperationPort): Promise<AccountReport> {
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

type Way = Readonly<{
  operations: OperationPort;
  /** Stocks by the address of their token, in lower case. */
  symbols: () => Promise<ReadonlyMap<string, Holding>>;
}>;

/** What the operations of these lists have taken and not brought to its goal; null where one of them cannot be told. */
async function queuedIn(way: Way, kinds: readonly ListedKind[]): Promise<Amounts> {
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
async function waitingIn(operations: OperationPort, kind: ListedKind): Promise<OperationReport[] | null> {
  const found: OperationReport[] = [];
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

function onceAsked<T>(ask: () => Promise<T>): () => Promise<T> {
  let asked: Promise<T> | undefined;
  return () => (asked ??= ask());
}
