import { cash, formatDecimal, notionalOf } from '../core/amount.ts';
import { toIso, type EpochMs } from '../core/brand.ts';
import type { Books } from '../domain/books.ts';
import type { Order } from '../domain/order.ts';
import { accountEquity } from './exposure.ts';
import type { Kernel } from './kernel.ts';

export type OrderCounts = Record<
  | 'planned'
  | 'sent'
  | 'filled'
  | 'partlyFilled'
  | 'cancelled'
  | 'expired'
  | 'rejected'
  | 'refused'
  | 'reverted'
  | 'neverExisted'
  | 'neverExistedAssumed'
  | 'abandoned'
  | 'unknown'
  | 'working'
  | 'external',
  number
>;

/** How a run went. `planned` and `sent` count all orders that ever were; the others where each stands or how it ended. */
export type RunSummary = Readonly<{
  from: string;
  to: string;
  sessions: number;
  orders: OrderCounts;
  /**
   * Comparisons of this run and differences that it found. `open`: where ledger and venue still differ at the end;
   * `unsettled`: where the last comparison found that too, and not for long enough to count.
   */
  reconciliation: Readonly<{
    runs: number;
    differences: number;
    open: readonly string[];
    unsettled: readonly string[];
  }>;
  /** What came from outside of trading, where anything did: by deposits, in stock too, and taken over by operators. */
  equity: Readonly<{ start: string; end: string; deposited?: string; adopted?: string }>;
  /** What was moved between wallet and venue, where anything was: `deposited` is mUSD that came in, and no profit. */
  operations?: Readonly<{
    planned: number;
    settled: number;
    failed: number;
    open: number;
    deposited: string;
  }>;
  /** Problems that still stood at the end, oldest first, each with since when. */
  problems: readonly Readonly<{ since: string; text: string }>[];
  strategies: readonly Readonly<{
    id: string;
    state: 'running' | 'stopped';
    error?: string;
    orders: number;
    /** Intents of this run that were dropped: how many in all, and by reason (the first 20), the most frequent first. */
    dropped: Readonly<{
      count: number;
      reasons: readonly Readonly<{ symbol: string; why: string; since: string; count: number }>[];
    }>;
    realisedPnl: string;
    unrealisedPnl: string;
  }>[];
}>;

export function summarise(kernel: Kernel, now: EpochMs): RunSummary {
  const { books } = kernel.desk;
  return {
    from: toIso(books.opened?.at ?? now),
    to: toIso(now),
    sessions: books.sessionsClosed,
    orders: countOrders(books),
    reconciliation: {
      runs: kernel.reconciling.runs,
      differences: kernel.reconciling.found,
      open: kernel.reconciling.open,
      unsettled: kernel.reconciling.unsettled,
    },
    equity: {
      start: formatDecimal(books.opened?.equity ?? 0n),
      end: formatDecimal(accountEquity(kernel.desk)),
      ...broughtIn(books),
    },
    ...operationsOf(books),
    problems: kernel.desk.problems.all.map(({ since, text }) => ({ since: toIso(since), text })),
    strategies: kernel.strategyIds.map((id) => strategyLine(kernel, id)),
  };
}

function operationsOf({ operations: { all, live } }: Books): Pick<RunSummary, 'operations'> {
  if (all.size === 0) return {};
  let [settled, failed, deposited] = [0, 0, 0n];
  for (const { state, terms } of all.values()) {
    if (state.kind === 'settled') settled++;
    if (state.kind === 'failed') failed++;
    if (state.kind === 'settled' && terms.kind === 'cashDeposit') deposited += state.received;
  }
  const counts = { planned: all.size, settled, failed, open: live.size };
  return { operations: { ...counts, deposited: formatDecimal(deposited) } };
}

/** Stock counts at what it was worth when it was asked for. */
function broughtIn({ operations, adopted }: Books): Pick<RunSummary['equity'], 'deposited' | 'adopted'> {
  let deposited = 0n;
  for (const { state, terms, value } of operations.all.values()) {
    if (state.kind !== 'settled') continue;
    if (terms.kind === 'cashDeposit') deposited += state.received;
    if (terms.kind === 'stockDeposit') deposited += value;
  }
  return {
    ...(deposited === 0n ? {} : { deposited: formatDecimal(deposited) }),
    ...(adopted === 0n ? {} : { adopted: formatDecimal(adopted) }),
  };
}

function countOrders(books: Books): OrderCounts {
  const counts: OrderCounts = {
    planned: 0,
    sent: 0,
    filled: 0,
    partlyFilled: 0,
    cancelled: 0,
    expired: 0,
    rejected: 0,
    refused: 0,
    reverted: 0,
    neverExisted: 0,
    neverExistedAssumed: 0,
    abandoned: 0,
    unknown: 0,
    working: 0,
    external: books.external.size,
  };
  for (const order of books.orders.values()) {
    counts.planned++;
    if (order.state.kind !== 'planned' && order.state.kind !== 'abandoned') counts.sent++;
    const standing = standingOf(order);
    if (standing) counts[standing]++;
    if (isPartlyFilled(order)) counts.partlyFilled++;
  }
  return counts;
}

function standingOf({ state }: Order): keyof OrderCounts | null {
  switch (state.kind) {
    case 'planned':
      return null;
    case 'sent':
    case 'unknown':
      return 'unknown';
    case 'acknowledged':
    case 'working':
      return 'working';
    case 'closed':
      return state.how;
    case 'neverExisted':
      return state.assumed ? 'neverExistedAssumed' : 'neverExisted';
    default:
      return state.kind;
  }
}

const isPartlyFilled = ({ state }: Order): boolean =>
  state.kind === 'closed' && state.how !== 'filled' && (state.settlement?.receive ?? 0n) > 0n;

function strategyLine({ desk }: Kernel, id: string): RunSummary['strategies'][number] {
  let [realised, unrealised] = [0n, 0n];
  for (const [symbol, position] of desk.books.positions.all(id)) {
    realised += position.realised;
    const price = desk.market.price(symbol);
    if (price !== null) unrealised += notionalOf(position.quantity, price, 'down') - position.cost;
  }
  const error = desk.books.stopped.get(id);
  const { count, reasons } = desk.drops.of(id);
  return {
    id,
    state: error === undefined ? 'running' : 'stopped',
    ...(error === undefined ? {} : { error }),
    orders: [...desk.books.orders.values()].filter(({ owner }) => owner === id).length,
    dropped: { count, reasons: reasons.map((reason) => ({ ...reason, since: toIso(reason.since) })) },
    realisedPnl: formatDecimal(cash(realised)),
    unrealisedPnl: formatDecimal(cash(unrealised)),
  };
}
