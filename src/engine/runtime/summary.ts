import { formatDecimal } from '../../core/amount.ts';
import { toIso, type EpochMs } from '../../core/brand.ts';
import type { AccountState } from '../../domain/account/accountState.ts';
import { countOrder, noOrderStates, type OrderStates } from '../../domain/account/endTotals.ts';
import type { Order } from '../../domain/orders/order.ts';
import { hintsOf } from '../../domain/orders/orderHints.ts';
import type { EngineContext } from '../state/engineContext.ts';
import {
  earningsOf,
  transfersOf,
  unallocatedPnl,
  type Earnings,
  accountEquity,
  unpricedStocks,
} from '../state/exposure.ts';
import type { Kernel } from '../kernel/kernel.ts';

export type OrderCounts = OrderStates & Readonly<{ external: number }>;

/**
 * Result of a run. `planned` and `sent` count all orders; the others count current states and ends. To the last digit,
 * `equity.end` - `equity.start` is the sum of all `pnl` + `deposited` - `withdrawn` + `adopted`.
 */
export type RunSummary = Readonly<{
  from: string;
  to: string;
  sessions: number;
  orders: OrderCounts;
  /**
   * Comparisons of this run and the differences found. `open`: where ledger and venue still differ at the end;
   * `unsettled`: differences in the last comparison that have not lasted long enough to count.
   */
  reconciliation: Readonly<{
    runs: number;
    differences: number;
    open: readonly string[];
    unsettled: readonly string[];
  }>;
  /**
   * Equity, and its changes apart from trading, if any: deposits and withdrawals, including stock, and amounts accepted by operators. `receivable`: unpaid dividends in it,
   * if any. `unpriced`: stocks without a price; those of strategies count at cost, others as nothing.
   */
  equity: Readonly<{
    start: string;
    end: string;
    deposited?: string;
    withdrawn?: string;
    adopted?: string;
    receivable?: string;
    unpriced?: readonly string[];
  }>;
  /** Transfers between wallet and venue, if any; `deposited`: mUSD that came in, which is not a profit. */
  operations?: Readonly<{
    planned: number;
    settled: number;
    failed: number;
    open: number;
    deposited: string;
  }>;
  /** Problems not over at the end, oldest first, each with its start. */
  problems: readonly Readonly<{ since: string; text: string }>[];
  strategies: readonly (StrategyResult &
    Readonly<{
      state: 'running' | 'stopped';
      error?: string;
      /** Intents dropped in this run: their number, and the 20 most frequent reasons, most frequent first. */
      dropped: Readonly<{
        count: number;
        reasons: readonly Readonly<{ symbol: string; why: string; since: string; count: number }>[];
      }>;
      /** Number of targets that ended in this run for lack of cash. */
      notReached: number;
      /** Likely reasons why the strategy traded less in this run than intended. */
      hints: readonly string[];
    }>)[];
  /** Strategies no longer in the config. */
  former?: readonly StrategyResult[];
  /** Unallocated holdings, such as stock that the account held before. */
  unallocated: Readonly<{ pnl: string }>;
}>;

export function summarise(kernel: Kernel, now: EpochMs): RunSummary {
  const { context, strategyIds } = kernel;
  const { accountState } = context;
  const formerIds = [...accountState.allocations.keys()].filter((id) => !strategyIds.includes(id));
  const earnings = new Map([...strategyIds, ...formerIds].map((id) => [id, earningsOf(context, id)]));
  const resultOf = (id: string) =>
    strategyResult(accountState, id, earnings.get(id) ?? earningsOf(context, id));
  return {
    from: toIso(accountState.opened?.at ?? now),
    to: toIso(now),
    sessions: accountState.sessionsClosed,
    orders: { ...orderCountsOf(accountState), external: accountState.external.size },
    reconciliation: {
      runs: kernel.reconciliation.runs,
      differences: kernel.reconciliation.found,
      open: kernel.reconciliation.open,
      unsettled: kernel.reconciliation.unsettled,
    },
    equity: equityOf(context),
    ...operationsOf(accountState),
    problems: context.problems.all.map(({ since, text }) => ({ since: toIso(since), text })),
    strategies: strategyIds.map((id) => ({ ...resultOf(id), ...standingOf(kernel, id) })),
    ...(formerIds.length > 0 ? { former: formerIds.map(resultOf) } : {}),
    unallocated: { pnl: formatDecimal(unallocatedPnl(context, [...earnings.values()])) },
  };
}

function operationsOf({ transfers: { all, live } }: AccountState): Pick<RunSummary, 'operations'> {
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

function equityOf(context: EngineContext): RunSummary['equity'] {
  const brought = Object.entries(transfersOf(context.accountState)).filter(([, amount]) => amount !== 0n);
  const unpriced = unpricedStocks(context);
  const { receivables } = context.accountState.actions;
  return {
    start: formatDecimal(context.accountState.opened?.equity ?? 0n),
    end: formatDecimal(accountEquity(context)),
    ...Object.fromEntries(brought.map(([how, amount]) => [how, formatDecimal(amount)])),
    ...(receivables === 0n ? {} : { receivable: formatDecimal(receivables) }),
    ...(unpriced.length > 0 ? { unpriced } : {}),
  };
}

/** Counts the orders of a strategy, or all orders, by current state or end. */
export function orderCountsOf({ live, endTotals }: AccountState, strategyId?: string): OrderStates {
  const isWanted = (order: Order) => strategyId === undefined || order.strategyId === strategyId;
  return countOrders([...live.values()].filter(isWanted), endTotals.of(strategyId));
}

/** Counts orders by current state or end. @param counts that they are added to */
export function countOrders(orders: Iterable<Order>, counts = noOrderStates()): OrderStates {
  for (const order of orders) countOrder(counts, order);
  return counts;
}

/** Orders and earnings of one strategy since the ledger was opened. Amounts in mUSD; both pnls are net of fees. */
function strategyResult(accountState: AccountState, id: string, { realised, unrealised, pnl }: Earnings) {
  const counts = orderCountsOf(accountState, id);
  return {
    id,
    orders: counts.planned,
    counts,
    realisedPnl: formatDecimal(realised),
    unrealisedPnl: formatDecimal(unrealised),
    /** Realised and unrealised together. */
    pnl: formatDecimal(pnl),
    fees: formatDecimal(accountState.endTotals.fees.get(id) ?? 0n),
  };
}

export type StrategyResult = Readonly<ReturnType<typeof strategyResult>>;

function standingOf(
  { context }: Kernel,
  id: string,
): Pick<RunSummary['strategies'][number], 'state' | 'error' | 'dropped' | 'notReached' | 'hints'> {
  const error = context.accountState.stopped.get(id);
  const { count, reasons, decisions, planned, notReached } = context.drops.of(id);
  const dropped = Object.fromEntries(reasons.map(({ why, count: times }) => [why, times]));
  const isEarly = context.accountState.sessionsClosed === 0;
  const isQuiet = decisions === 0 && (isEarly || hasTraded(context.accountState, id));
  return {
    state: error === undefined ? 'running' : 'stopped',
    ...(error === undefined ? {} : { error }),
    dropped: { count, reasons: reasons.map((reason) => ({ ...reason, since: toIso(reason.since) })) },
    notReached,
    hints: isQuiet ? [] : hintsOf({ id, decisions, planned, notReached, dropped }),
  };
}

/** True for a strategy that has ordered before, in this run or an earlier one: a day without orders is no mistake then. */
const hasTraded = (accountState: AccountState, id: string): boolean =>
  accountState.positions.all(id).size > 0 || orderCountsOf(accountState, id).planned > 0;
