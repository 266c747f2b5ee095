import { formatDecimal } from '../../core/amount.ts';
import { toIso, type EpochMs } from '../../core/brand.ts';
import type { AccountState } from '../../domain/account/accountState.ts';
import { type Order, isUnanswered } from '../../domain/orders/order.ts';
import type { EngineContext } from '../state/engineContext.ts';
import {
  earningsOf,
  feesOf,
  transfersOf,
  unallocatedPnl,
  type Earnings,
  accountEquity,
  unpricedStocks,
} from '../state/exposure.ts';
import type { Kernel } from '../kernel/kernel.ts';
import { newYorkClock, newYorkDate, type Session } from '../../calendar/index.ts';
import { instantOf } from '../../strategy/sessionTime.ts';
import { describeTerms } from '../../domain/describe.ts';
import type { StrategySetup } from '../strategy/strategyInstance.ts';
import type { LastEnd } from '../kernel/startCheck.ts';

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

/** Orders and earnings of one strategy since the ledger was opened. Amounts in mUSD; fees are contained in both pnls. */
export type StrategyResult = Readonly<{
  id: string;
  orders: number;
  counts: Omit<OrderCounts, 'external'>;
  realisedPnl: string;
  unrealisedPnl: string;
  /** Both together. */
  pnl: string;
  fees: string;
}>;

/**
 * Result of a run. `planned` and `sent` count all orders; the others count present states and ends. To the last digit,
 * `equity.end` - `equity.start` is the sum of all `pnl` + `deposited` - `withdrawn` + `adopted`.
 */
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
  /**
   * Equity, and changes of it without trading, if any: deposits and withdrawals, of stock too, and amounts accepted by
   * operators. `unpriced`: stocks without a price; those of strategies count at their cost, others as nothing.
   */
  equity: Readonly<{
    start: string;
    end: string;
    deposited?: string;
    withdrawn?: string;
    adopted?: string;
    unpriced?: readonly string[];
  }>;
  /** Transfers between wallet and venue, where there were any; `deposited`: mUSD that came in, which is no profit. */
  operations?: Readonly<{
    planned: number;
    settled: number;
    failed: number;
    open: number;
    deposited: string;
  }>;
  /** Problems not over at the end, oldest first, each with its beginning. */
  problems: readonly Readonly<{ since: string; text: string }>[];
  strategies: readonly (StrategyResult &
    Readonly<{
      state: 'running' | 'stopped';
      error?: string;
      /** Dropped intents of this run: their number, and reasons (the first 20), the most frequent first. */
      dropped: Readonly<{
        count: number;
        reasons: readonly Readonly<{ symbol: string; why: string; since: string; count: number }>[];
      }>;
    }>)[];
  /** Strategies that are not in the config any more. */
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
    orders: { ...countOrders(accountState.orders.values()), external: accountState.external.size },
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
  return {
    start: formatDecimal(context.accountState.opened?.equity ?? 0n),
    end: formatDecimal(accountEquity(context)),
    ...Object.fromEntries(brought.map(([how, amount]) => [how, formatDecimal(amount)])),
    ...(unpriced.length > 0 ? { unpriced } : {}),
  };
}

/** Counts orders by present state or end. */
export function countOrders(orders: Iterable<Order>): StrategyResult['counts'] {
  const counts: StrategyResult['counts'] = {
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
  };
  for (const order of orders) {
    counts.planned++;
    if (order.state.kind !== 'planned' && order.state.kind !== 'abandoned') counts.sent++;
    const standing = stateOf(order);
    if (standing) counts[standing]++;
    if (isPartlyFilled(order)) counts.partlyFilled++;
  }
  return counts;
}

function stateOf({ state }: Order): keyof StrategyResult['counts'] | null {
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

function strategyResult(
  { orders }: AccountState,
  id: string,
  { realised, unrealised, pnl }: Earnings,
): StrategyResult {
  const own = [...orders.values()].filter(({ strategyId }) => strategyId === id);
  return {
    id,
    orders: own.length,
    counts: countOrders(own),
    realisedPnl: formatDecimal(realised),
    unrealisedPnl: formatDecimal(unrealised),
    pnl: formatDecimal(pnl),
    fees: formatDecimal(feesOf(own)),
  };
}

function standingOf(
  { context }: Kernel,
  id: string,
): Pick<RunSummary['strategies'][number], 'state' | 'error' | 'dropped'> {
  const error = context.accountState.stopped.get(id);
  const { count, reasons } = context.drops.of(id);
  return {
    state: error === undefined ? 'running' : 'stopped',
    ...(error === undefined ? {} : { error }),
    dropped: { count, reasons: reasons.map((reason) => ({ ...reason, since: toIso(reason.since) })) },
  };
}

const ENDS: Readonly<Record<LastEnd['how'], string>> = {
  'in order': 'ended in order',
  'at once': 'was stopped at once',
  crashed: 'ended by an error',
  killed: 'was killed',
};

/** Lines about the findings of a start: the end of the previous run, its orders and positions, and differences. */
export function foundAtStart(
  context: EngineContext,
  { how, at }: LastEnd,
  open: readonly string[],
): string[] {
  const { live } = context.accountState;
  const unknown = [...live.values()].filter(isUnanswered);
  const known = [...live.values()].filter((order) => !isUnanswered(order));
  const orders = known.map(({ strategyId, terms }) => `${strategyId} ${describeTerms(terms)}`);
  const lost = unknown.map(
    ({ strategyId, terms, id }) => `${strategyId} ${describeTerms(terms)} (order ${id})`,
  );
  return [
    `continues: the run before ${ENDS[how]} at ${newYorkDate(at)} ${newYorkClock(at)}`,
    `found: orders open: ${listed(orders)}; without an answer: ${listed(lost)}`,
    `found: positions: ${listed(positionsOf(context))}`,
    `found: differences between ledger and venue: ${listed(open)}`,
  ];
}

const listed = (texts: readonly string[]): string => (texts.length === 0 ? 'none' : texts.join(', '));

function positionsOf({ accountState: { allocations, positions } }: EngineContext): string[] {
  return [...allocations.keys()].flatMap((strategyId) =>
    [...positions.all(strategyId)].flatMap(([symbol, { quantity }]) =>
      quantity === 0n ? [] : [`${strategyId} ${formatDecimal(quantity)} ${symbol}`],
    ),
  );
}

type TimerPlan = Readonly<{
  setup: StrategySetup;
  /** The open session and the next one. */
  session: Session;
  next: Session;
}>;

/**
 * A line on the timers of a strategy at a start in the middle of a session: those that are past, and the next one. Null for
 * one that has none, or none of today's is past.
 */
export function timersAtStart(
  { accountState, now }: EngineContext,
  { setup, session, next }: TimerPlan,
): string | null {
  const timers = timersIn(setup, session);
  const past = timers.filter(({ at }) => at < now);
  if (past.length === 0) return null;
  const firstStart = accountState.opened?.at ?? now;
  const pastText = past.map(({ name, at }) => {
    const wasFired = (accountState.timers.get(`${setup.id} ${name}`) ?? 0) >= at;
    const what = wasFired
      ? 'fired before'
      : at < firstStart
        ? 'not fired: before the first start'
        : 'fires now';
    return `${name} ${newYorkClock(at)} (${what})`;
  });
  return `timers past today: ${pastText.join(', ')}; next: ${nextText(
    timers.find(({ at }) => at >= now),
    timersIn(setup, next)[0],
  )}`;
}

/** Timer of a strategy, by its name, and when it fires. */
export type Timer = Readonly<{ name: string; at: EpochMs }>;

/** Timers of a strategy that a session reaches, earliest first. */
export function timersIn({ needs }: Pick<StrategySetup, 'needs'>, session: Session): Timer[] {
  const timers = (needs.timers ?? []).flatMap(({ name, at }) => {
    const instant = instantOf(at, session);
    return instant === null ? [] : [{ name, at: instant }];
  });
  return timers.sort((a, b) => a.at - b.at);
}

function nextText(today: Timer | undefined, later: Timer | undefined): string {
  if (today) return `${today.name} ${newYorkClock(today.at)}`;
  return later ? `${later.name} ${newYorkClock(later.at)} on ${newYorkDate(later.at)}` : 'none';
}
