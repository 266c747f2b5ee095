import { expect, test } from 'vitest';
import { createOrderTransactions } from '../../src/api/transactions.ts';
import { parseCash } from '../../src/core/amount.ts';
import { epochSeconds } from '../../src/core/brand.ts';
import { NotSentError } from '../../src/core/errors.ts';
import { ticker, type Address } from '../../src/domain/instrument.ts';
import type { OrderTerms } from '../../src/domain/venue.ts';
import { clientOver, reply, start } from './fakeTransport.ts';

const deadline = epochSeconds(1_700_000_090);
const txHash = `0x${'ab'.repeat(32)}`;
const orderId = `0x${'cd'.repeat(32)}`;
const written = {
  chainId: 143,
  productType: 'ProductA',
  toAddress: `0x${'2'.repeat(40)}`,
  value: '0',
  callData: '0x20c1b4d6',
  method: 'placeMarketOrder',
};
const stock: Address = `0x${'1'.repeat(40)}`;
const buy: OrderTerms = {
  symbol: ticker('AAPL'),
  stock,
  type: 'market',
  side: 'buy',
  notional: parseCash('10'),
};

test('order transactions request orders and cancels with their deadline, and record links by hash', async () => {
  const { client, sent } = clientOver(() => reply(written), { allow: ['calldata', 'record'] });
  const transactions = createOrderTransactions(client);
  expect(await transactions.place(buy, deadline)).toEqual(written);
  expect(await transactions.cancel(orderId, deadline)).toEqual(written);
  await transactions.record(txHash);
  expect(sent.map(({ method, uri }) => `${method} ${uri}`)).toEqual([
    'POST /api/v1/orders/calldata',
    `DELETE /api/v1/orders/${orderId}/calldata?deadline=${deadline}`,
    'POST /api/v1/orders/tx',
  ]);
  const body = { stockAddress: stock, side: 'Buy', type: 'Market', notional: '10', deadline };
  expect(sent.map(({ body: text }) => text && (JSON.parse(text) as unknown))).toEqual([body, '', { txHash }]);
});

test("order transactions are refused while the venue's clock is too far off", async () => {
  const late = { t: start + 25_000 };
  const { client } = clientOver(() => reply(written, late), { allow: ['calldata'] });
  const transactions = createOrderTransactions(client);
  await expect(transactions.place(buy, deadline)).rejects.toThrow(NotSentError);
  await expect(transactions.cancel(orderId, deadline)).rejects.toThrow(NotSentError);
});
