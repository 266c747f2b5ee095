/** Compares responses of reads with the model: balances, positions, lists and details of orders. */
import { reportedWad, textOf } from './amount.ts';
import { CASH, inWallet, type ModelAccount } from './account.ts';
import type { ModelOrder } from './orderLife.ts';
import { BACKFILL } from './venue.ts';

type Row = Readonly<Record<string, unknown>>;

const rowOf = (value: unknown): Row => (typeof value === 'object' && value !== null ? (value as Row) : {});
const textAt = (row: Row, name: string): string => {
  const value = row[name];
  return typeof value === 'string' ? value : `(${String(value)})`;
};

const unlike = (name: string, reported: string, expected: string) =>
  reported === expected ? [] : [`${name} is "${reported}", expected "${expected}"`];

const tokenDifferences = (items: unknown, account: ModelAccount): readonly string[] =>
  (Array.isArray(items) ? items : []).map(rowOf).flatMap((item) => {
    const stock = item['isStock'] === true;
    const symbol = textAt(item, stock ? 'stockSymbol' : 'symbol');
    const wallet = textOf(account.holding(inWallet(symbol)).available);
    const held = unlike(`walletBalance of ${symbol}`, textAt(item, 'walletBalance'), wallet);
    if (!stock) return held;
    const expected = textOf(account.holding(symbol).available);
    return [...held, ...unlike(`exchangeBalance of ${symbol}`, textAt(item, 'exchangeBalance'), expected)];
  });

export const balanceDifferences = (data: unknown, account: ModelAccount): readonly string[] => {
  const row = rowOf(data);
  return [
    ...unlike('mUsdBalance', textAt(row, 'mUsdBalance'), textOf(account.holding(CASH).available)),
    ...tokenDifferences(row['tokenBalances'], account),
  ];
};

export const positionsDifferences = (data: unknown, account: ModelAccount): readonly string[] =>
  tokenDifferences(data, account);

/** Page and limit as the venue bounds them: below 1 the defaults 1 and 10, at most 100. */
const pageOf = <T>(all: readonly T[], page: number, limit: number): readonly T[] => {
  const size = limit < 1 ? 10 : Math.min(limit, 100);
  const start = (Math.max(page, 1) - 1) * size;
  return all.slice(start, start + size);
};

export interface Paging {
  readonly page: number;
  readonly limit: number;
}

/** Compares a page of `GET /orders` with the orders of a key, oldest first in the model, newest first at the venue. */
export const listDifferences = (
  data: unknown,
  orders: readonly ModelOrder[],
  paging: Paging,
): readonly string[] => {
  const { total, rows } = rowOf(data);
  const reported = (Array.isArray(rows) ? rows : []).map((row) => textAt(rowOf(row), 'txHash'));
  const expected = pageOf(orders.map((order) => order.txHash).reverse(), paging.page, paging.limit);
  return [
    ...(total === orders.length ? [] : [`total is ${String(total)}, expected ${orders.length}`]),
    ...unlike('page of transactions', reported.join(' '), expected.join(' ')),
  ];
};

const openDifferences = (open: Row, order: ModelOrder): readonly string[] => {
  const { terms } = order;
  const amount = (name: string) => textOf(reportedWad(textAt(open, name)));
  return [
    ...unlike('side', textAt(open, 'side'), terms.side),
    ...unlike('type', textAt(open, 'type'), terms.type),
    ...unlike('symbol', textAt(open, 'symbol'), terms.stock.symbol),
    ...(terms.type === 'Limit' ? unlike('placePrice', amount('placePrice'), textOf(terms.price)) : []),
    ...(terms.type === 'Limit' || terms.side === 'Sell'
      ? unlike('placeQuantity', amount('placeQuantity'), textOf(terms.quantity))
      : unlike('placeNotional', amount('placeNotional'), textOf(terms.notional))),
    ...(terms.side === 'Buy' ? unlike('pay', amount('pay'), textOf(order.lock.amount)) : []),
    ...unlike('deferred', String(open['deferred'] === true), String(terms.deferred)),
  ];
};

const historyDifferences = (history: Row, order: ModelOrder): readonly string[] => {
  const { end } = order;
  if (end === null) return ['in history before its end'];
  const amount = (name: string) => textOf(reportedWad(textAt(history, name)));
  return [
    ...openDifferences(history, order),
    ...unlike('status', textAt(history, 'status'), end.status),
    ...unlike('settlePay', amount('settlePay'), textOf(end.pay)),
    ...unlike('settleReceive', amount('settleReceive'), textOf(end.receive)),
    ...unlike('mintFee', amount('mintFee'), textOf(end.mintFee)),
    ...unlike('protocolFee', amount('protocolFee'), textOf(end.protocolFee)),
  ];
};

/** Compares an order's detail with the model once the indexer must have seen the order's last change. */
export const detailDifferences = (data: unknown, order: ModelOrder, now: number): readonly string[] => {
  const { mappingStatus, openOrder, historyOrder } = rowOf(data);
  const lastChange = order.end?.at ?? order.minedAt;
  if (lastChange === null || now - lastChange < BACKFILL) return [];
  if (order.state === 'reverted') return unlike('mappingStatus', String(mappingStatus), 'Failed');
  if (order.state === 'open') {
    if (openOrder === null || historyOrder !== null) return ['not shown as open'];
    const status = textAt(rowOf(openOrder), 'status');
    return [
      ...openDifferences(rowOf(openOrder), order),
      ...(status === 'placing' || status === 'canceling' ? [] : [`status of an open order is "${status}"`]),
    ];
  }
  if (openOrder !== null || historyOrder === null) return ['not shown as history'];
  return historyDifferences(rowOf(historyOrder), order);
};
