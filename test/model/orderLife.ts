/**
 * The life of each order in the model: sent, open once mined, ended. Chance (when it is mined, what fills, at which price) is the
 * venue's; the model says what may follow, and moves money accordingly.
 */
import { textOf } from './amount.js';
import type { ModelAccount } from './account.js';
import { dayEndOf, sessionAt, type Session } from './hours.js';
import type { OrderTerms } from './orderRules.js';
import { lockOf, settlementDifferences, type Lock, type ReportedEnd } from './settlement.js';

export interface ModelOrder {
  readonly txHash: string;
  readonly apiKey: string;
  readonly userAddress: string;
  readonly terms: OrderTerms;
  readonly lock: Lock;
  state: 'sent' | 'open' | 'reverted' | 'ended';
  orderId: string | null;
  minedAt: number | null;
  cancelAccepted: boolean;
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

export const newOrder = (sent: SentOrder): ModelOrder => ({
  ...sent,
  lock: lockOf(sent.terms),
  state: 'sent',
  orderId: null,
  minedAt: null,
  cancelAccepted: false,
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
    ...(at >= order.terms.deadline * 1000 + BLOCK_SECOND ? ['mined after its deadline'] : []),
  ];
};

/** Marks an order as reverted; returns why it should have been mined instead. */
export const revert = (order: ModelOrder, account: ModelAccount, at: number): readonly string[] => {
  const { available } = account.holding(order.lock.asset);
  order.state = 'reverted';
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

const executionDifferences = (order: ModelOrder, end: ReportedEnd): readonly string[] => {
  if (end.filled === 0n) return [];
  const delayed = end.at - SETTLEMENT_DELAY;
  const from = Math.max(order.minedAt ?? end.at, delayed);
  const possible = executesIn(order.terms, sessionAt(end.at)) || executesIn(order.terms, sessionAt(from));
  return possible ? [] : [`executed in the session "${sessionAt(end.at)}"`];
};

const endDifferences = (order: ModelOrder, end: ReportedEnd): readonly string[] => {
  const minedAt = order.minedAt ?? end.at;
  const limit = order.terms.type === 'Limit';
  switch (end.status) {
    case 'Filled':
      return [];
    case 'Canceled':
      return order.cancelAccepted ? [] : ['Canceled without a cancel'];
    case 'Expired':
      return limit && end.at >= dayEndOf(minedAt) ? [] : ['Expired before its close'];
    case 'Rejected':
      return !limit && sessionAt(minedAt) !== 'regular' ? [] : ['Rejected inside the regular session'];
  }
};

/** Ends an order and moves its money as reported; returns where the report contradicts the rules. */
export const close = (order: ModelOrder, account: ModelAccount, end: ReportedEnd): readonly string[] => {
  const proceeds = order.terms.side === 'Buy' ? order.terms.stock.symbol : 'mUSD';
  const differences = [
    ...(order.state === 'open' ? [] : [`ended (${end.status}) while ${order.state}`]),
    ...(end.pay > order.lock.amount
      ? [`paid ${textOf(end.pay)} of a lock of ${textOf(order.lock.amount)}`]
      : []),
    ...endDifferences(order, end),
    ...executionDifferences(order, end),
    ...settlementDifferences(order.terms, end),
  ];
  order.state = 'ended';
  order.end = end;
  account.settle(order.lock.asset, order.lock.amount, end.pay);
  account.receive(proceeds, end.receive);
  return differences;
};

/** Says what an order should have done by now. */
export const overdue = (order: ModelOrder, now: number): readonly string[] => {
  if (order.state === 'sent' && now > order.terms.deadline * 1000 + SETTLEMENT_DELAY)
    return ['neither mined nor reverted minutes after its deadline'];
  if (order.state !== 'open' || order.minedAt === null) return [];
  const due = order.terms.type === 'Market' ? order.minedAt : dayEndOf(order.minedAt);
  return now > due + SETTLEMENT_DELAY
    ? [`open ${Math.round((now - due) / 1000)} s after it should have ended`]
    : [];
};
