/**
 * The life of each order in the model: sent, open once mined, ended. Random choices (when it is mined, what fills, at
 * which price) are the venue's; the model knows what may follow, and moves money accordingly.
 */
import { textOf } from './amount.ts';
import { CASH, type ModelAccount } from './account.ts';
import { dayEndOf, sessionAt, type Session } from './hours.ts';
import type { OrderTerms } from './orderRules.ts';
import { lockOf, settlementDifferences, type Lock, type ReportedEnd } from './settlement.ts';

/** A cancel accepted by the venue. No other is accepted before it is mined, or after it was mined without a revert. */
export interface CancelAttempt {
  readonly txHash: string;
  /** Unix seconds. */
  readonly deadline: number;
  minedAt: number | null;
  reverted: boolean;
}

export interface ModelOrder {
  readonly txHash: string;
  readonly apiKey: string;
  readonly userAddress: string;
  readonly terms: OrderTerms;
  readonly lock: Lock;
  state: 'sent' | 'open' | 'reverted' | 'ended';
  orderId: string | null;
  minedAt: number | null;
  cancel: CancelAttempt | null;
  end: ReportedEnd | null;
}

export interface SentOrder {
  readonly txHash: string;
  readonly apiKey: string;
  readonly userAddress: string;
  readonly terms: OrderTerms;
}

/** Longest time between an execution, or the close, and the settlement that shows it: "within minutes". */
export const SETTLEMENT_DELAY = 5 * 60_000;
const BLOCK_SECOND = 1000;
/** Least gas of any transaction on an EVM chain; we assume that this is enough for an order. */
const LEAST_GAS = 21_000;
const AMPLE_GAS = 1_000_000;

export const newOrder = (sent: SentOrder): ModelOrder => ({
  ...sent,
  lock: lockOf(sent.terms),
  state: 'sent',
  orderId: null,
  minedAt: null,
  cancel: null,
  end: null,
});

/** Marks an order as mined and locks its money; returns why it should have reverted instead. */
export const mine = (order: ModelOrder, account: ModelAccount, at: number): readonly string[] => {
  const { available } = account.holding(order.lock.asset);
  order.state = 'open';
  order.minedAt = at;
  account.lock(order.lock.asset, order.lock.amount);
  return [
    ...(available < order.lock.amount
      ? [`mined although it locks ${textOf(order.lock.amount)} of ${textOf(available)} ${order.lock.asset}`]
      : []),
    ...(order.terms.gasLimit > 0 && order.terms.gasLimit < LEAST_GAS ? ['mined without the gas for it'] : []),
    ...(at >= order.terms.deadline * 1000 + BLOCK_SECOND ? ['mined after its deadline'] : []),
  ];
};

/** Marks an order as reverted; returns why it should have been mined instead. */
export const revert = (order: ModelOrder, account: ModelAccount, at: number): readonly string[] => {
  const { available } = account.holding(order.lock.asset);
  order.state = 'reverted';
  const { gasLimit } = order.terms;
  if (gasLimit > 0 && gasLimit < AMPLE_GAS) return [];
  if (available < order.lock.amount || at > order.terms.deadline * 1000) return [];
  return [
    `reverted although ${textOf(available)} ${order.lock.asset} cover ${textOf(order.lock.amount)} and its deadline holds`,
  ];
};

const executesIn = (terms: OrderTerms, session: Session): boolean => {
  if (session === 'regular') return true;
  if (terms.type === 'Market' || session === 'closed') return false;
  return session === 'overnight' ? terms.stock.overnight : true;
};

/** Step of all session boundaries: half an hour. */
const HALF_HOUR = 30 * 60_000;

const executesWithin = (terms: OrderTerms, from: number, until: number): boolean => {
  for (let at = from; at < until; at = at - (at % HALF_HOUR) + HALF_HOUR)
    if (executesIn(terms, sessionAt(at))) return true;
  return executesIn(terms, sessionAt(until));
};

/**
 * Contradictions of executions: a filled order executes last shortly before its settlement, any other at some time
 * since its block.
 */
const executionDifferences = (order: ModelOrder, end: ReportedEnd): readonly string[] => {
  if (end.filled === 0n) return [];
  const minedAt = order.minedAt ?? end.at;
  const from = end.status === 'Filled' ? Math.max(minedAt, end.at - SETTLEMENT_DELAY) : minedAt;
  if (executesWithin(order.terms, from, end.at)) return [];
  return [`executed between ${new Date(from).toISOString()} and its end, outside of its sessions`];
};

const endDifferences = (order: ModelOrder, end: ReportedEnd): readonly string[] => {
  const minedAt = order.minedAt ?? end.at;
  const limit = order.terms.type === 'Limit';
  switch (end.status) {
    case 'Filled':
      return [];
    case 'Canceled':
      return order.cancel !== null ? [] : ['Canceled without a cancel'];
    case 'Expired':
      return limit && end.at >= dayEndOf(minedAt) ? [] : ['Expired before its close'];
    case 'Rejected':
      return !limit && sessionAt(minedAt) !== 'regular' ? [] : ['Rejected inside the regular session'];
  }
};

/** Ends an order and moves its money as reported; returns where the report contradicts the rules. */
export const close = (order: ModelOrder, account: ModelAccount, end: ReportedEnd): readonly string[] => {
  const proceeds = order.terms.side === 'Buy' ? order.terms.stock.symbol : CASH;
  const differences = [
    ...(order.state === 'open' ? [] : [`ended (${end.status}) while ${order.state}`]),
    ...(!order.terms.deferred && end.pay > order.lock.amount
      ? [`paid ${textOf(end.pay)} of a lock of ${textOf(order.lock.amount)}`]
      : []),
    ...endDifferences(order, end),
    ...executionDifferences(order, end),
    ...settlementDifferences(order.terms, end),
  ];
  order.state = 'ended';
  order.end = end;
  account.settle(order.lock.asset, order.lock.amount, order.terms.deferred ? 0n : end.pay);
  if (order.terms.deferred) account.owe(order.terms.stock.symbol, end.filled);
  account.receive(proceeds, end.receive);
  return differences;
};

/** Marks the pending cancel of an order as mined, or as reverted. */
export const mineCancel = (order: ModelOrder, reverted: boolean, at: number): readonly string[] => {
  const { cancel } = order;
  if (cancel === null) return ['a cancel was mined that the model never saw'];
  cancel.minedAt = at;
  cancel.reverted = reverted;
  if (!reverted && order.state !== 'open') return [`a cancel was mined on an order that is ${order.state}`];
  return !reverted && at >= cancel.deadline * 1000 + BLOCK_SECOND
    ? ['a cancel was mined after its deadline']
    : [];
};

/** Reports a missing end after a cancel that succeeded, or that reverted inside its deadline because the order was ending. */
const cancelOverdue = (order: ModelOrder, now: number): readonly string[] => {
  const { cancel } = order;
  if (cancel === null || cancel.minedAt === null || now <= cancel.minedAt + SETTLEMENT_DELAY) return [];
  if (cancel.reverted && cancel.minedAt > cancel.deadline * 1000) return [];
  return [`open minutes after its cancel was ${cancel.reverted ? 'reverted inside its deadline' : 'mined'}`];
};

/** Lists the changes that an order should have made by now. */
export const overdue = (order: ModelOrder, now: number): readonly string[] => {
  if (order.state === 'sent' && now > order.terms.deadline * 1000 + SETTLEMENT_DELAY)
    return ['neither mined nor reverted minutes after its deadline'];
  if (order.state !== 'open' || order.minedAt === null) return [];
  const due = order.terms.type === 'Market' ? order.minedAt : dayEndOf(order.minedAt);
  const late =
    now > due + SETTLEMENT_DELAY
      ? [`open ${Math.round((now - due) / 1000)} s after it should have ended`]
      : [];
  return [...late, ...cancelOverdue(order, now)];
};
