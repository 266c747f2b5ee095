import { formatDecimal } from '../../core/amount.ts';
import { toIso, type EpochMs } from '../../core/brand.ts';
import { UNALLOCATED } from '../../domain/account/ledger.ts';
import type { CommandProgress } from '../../domain/operator/command.ts';
import { exactShares, isDeferred, txHashOf, type Order } from '../../domain/orders/order.ts';
import type { OrderIntent } from '../../domain/orders/orderIntent.ts';
import type { OrderReport, Settlement, Side } from '../../domain/venue.ts';
import { transferTxHash, type Transfer, type MoveTerms } from '../../domain/transfers/transfer.ts';

/** A manual order or transfer, with the fields that commands print without a daemon, and the journal's ids. */
export type SentRow = Readonly<Record<string, string | boolean | null>>;

/** Row of the order or transfer that a command has sent, or of its order that still waits; null before there is any. */
export function sentRowOf({
  order,
  transfer,
  waiting,
}: Pick<CommandProgress, 'order' | 'transfer' | 'waiting'>): SentRow | null {
  if (order) return orderRow(order);
  if (waiting?.terms.kind === 'limit') return waitingRow(waiting, waiting.terms);
  return transfer ? transferRow(transfer) : null;
}

const WORDS = { filled: 'Filled', cancelled: 'Canceled', expired: 'Expired', rejected: 'Rejected' } as const;

function orderRow(order: Order): SentRow {
  const { id, strategyId, terms, state, plannedAt } = order;
  const settled = state.kind === 'closed' ? state.settlement : null;
  const shares = exactShares(terms);
  return {
    ...askedFor({
      at: plannedAt,
      symbol: terms.symbol,
      side: terms.side,
      quantity: shares === null ? null : formatDecimal(shares),
      notional: 'notional' in terms ? formatDecimal(terms.notional) : null,
      price: terms.type === 'limit' ? formatDecimal(terms.price) : null,
    }),
    deferred: isDeferred(terms),
    status: orderWord(order),
    ...settledBy(settled),
    txHash: txHashOf(order),
    orderId: 'venueId' in state ? state.venueId : null,
    id,
    state: state.kind,
    strategy: strategyId === UNALLOCATED ? null : strategyId,
  };
}

/** Row of an order that is not in the journal, as shown by the venue. */
export function externalRowOf({
  txHash,
  orderId,
  createdAt,
  terms,
  rawStatus,
  settlement,
}: OrderReport): SentRow {
  const text = (wad: bigint | null | undefined) => (wad == null ? null : formatDecimal(wad));
  return {
    ...askedFor({
      at: createdAt,
      symbol: terms?.symbol ?? '',
      side: terms?.side ?? 'buy',
      quantity: text(terms?.quantity),
      // The venue reports 0 for an amount that was not given.
      notional: text(terms?.notional || null),
      price: text(terms?.price),
    }),
    deferred: terms?.deferred ?? false,
    status: rawStatus,
    ...settledBy(settlement),
    txHash,
    orderId,
  };
}

type LimitTerms = Extract<OrderIntent['terms'], { kind: 'limit' }>;

function waitingRow({ id, at, symbol, strategyId }: OrderIntent, terms: LimitTerms): SentRow {
  const [quantity, price] = [formatDecimal(terms.quantity), formatDecimal(terms.price)];
  return {
    ...askedFor({ at, symbol, side: terms.side, quantity, notional: null, price }),
    status: 'waiting',
    ...settledBy(null),
    txHash: null,
    orderId: null,
    id,
    state: 'waiting',
    strategy: strategyId === UNALLOCATED ? null : strategyId,
  };
}

/** Amounts of a settlement; null before one. */
const settledBy = (settlement: Pick<Settlement, 'price' | 'pay' | 'receive'> | null): SentRow => ({
  settlePrice: settlement && formatDecimal(settlement.price),
  settlePay: settlement && formatDecimal(settlement.pay),
  settleReceive: settlement && formatDecimal(settlement.receive),
});

type RequestFields = Readonly<{
  at: EpochMs;
  symbol: string;
  side: Side;
  quantity: string | null;
  notional: string | null;
  price: string | null;
}>;

/** Fields of a row with the requested terms. `price`: of a limit order. */
function askedFor({ at, symbol, side, quantity, notional, price }: RequestFields): SentRow {
  return {
    at: toIso(at),
    symbol,
    side: side === 'buy' ? 'Buy' : 'Sell',
    type: price === null ? 'Market' : 'Limit',
    deferred: false,
    quantity,
    notional,
    size: quantity ?? (notional === null ? null : `${notional} mUSD`),
    price,
  };
}

function orderWord({ state }: Order): string {
  if (state.kind === 'closed') return WORDS[state.how];
  if (state.kind === 'working') return state.rawStatus;
  return state.kind === 'acknowledged' ? 'sent' : state.kind;
}

/** Status words of a transfer's states, as in the venue's lists where those have a word. */
const TRANSFER_WORDS: Readonly<Partial<Record<Transfer['state']['kind'], string>>> = {
  acknowledged: 'sent',
  settled: 'success',
};

function transferRow(transfer: Transfer): SentRow {
  const { id, terms, state, plannedAt } = transfer;
  const received = state.kind === 'settled' ? formatDecimal(state.received) : null;
  return {
    operation: operationOf(terms.kind),
    txHash: transferTxHash(transfer),
    operationId: null,
    status: TRANSFER_WORDS[state.kind] ?? state.kind,
    at: toIso(plannedAt),
    asset: 'symbol' in terms ? terms.symbol : terms.token,
    amount: formatDecimal(terms.amount),
    credit: terms.kind === 'cashDeposit' ? received : null,
    fee: null,
    instant: null,
    settleTxHash: null,
    id,
    state: state.kind,
    received,
    reason: 'reason' in state ? state.reason : null,
  };
}

const operationOf = (kind: MoveTerms['kind'] | 'approve'): string =>
  kind === 'repay' || kind === 'approve' ? kind : kind.endsWith('Deposit') ? 'deposit' : 'withdrawal';
