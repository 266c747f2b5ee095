import { describe, expect, test } from 'vitest';
import { toOrderText } from '../../src/api/convert.ts';
import { createVenue } from '../../src/api/venue.ts';
import { cash, parseCash, parsePrice, parseShares } from '../../src/core/amount.ts';
import { epochMs } from '../../src/core/brand.ts';
import { NoAnswerError } from '../../src/core/errors.ts';
import type { Address } from '../../src/domain/instrument.ts';
import { apiKey, clientOver, refuse, reply, secret, type Answering } from './fakeTransport.ts';

const userAddress: Address = `0x${'a'.repeat(40)}`;
const txHash = `0x${'ab'.repeat(32)}`;
const orderId = 'cd'.repeat(32);

const venueOver = (answering: Answering) => createVenue(clientOver(answering).client, { userAddress });
const venueSaying = (data: unknown) => venueOver(() => reply(data));

const mapping = { txHash, operationType: 'trade', status: 'New', orderId: null, createTime: 1_700_000_000 };
const openOrder = {
  orderId,
  userAddress,
  side: 'Buy',
  type: 'Limit',
  tif: 'DAY',
  symbol: 'AAPL',
  placeNotional: null,
  placeQuantity: '2.5',
  pay: '500.55',
  placePrice: '200',
  status: 'placing',
};
const historyOrder = {
  ...openOrder,
  status: 'Filled',
  settleTxHash: `0x${'ef'.repeat(32)}`,
  settlePrice: '199.5',
  settlePay: '499.3',
  settleReceive: '2.5',
  mintFee: '0.49',
  protocolFee: '0.05',
};

test('an unreadable order row is quoted without the secrets it repeats', async () => {
  const echoed = { ...mapping, apiKey, novel: `signed with ${secret}`, createTime: 'soon' };
  const { rows } = await venueSaying({ total: 1, rows: [echoed] }).orders({ page: 1, limit: 10 });
  const text = JSON.stringify(rows);
  expect(text).toContain('[redacted]');
  expect(text).not.toContain(apiKey);
  expect(text).not.toContain(secret);
});

test.each([
  [1_700_000_000, '2023-11-14T22:13:20Z'],
  [1_700_000_000_000_000_000, null],
  [1e300, null],
  [-1e300, null],
])('an order with the time %s is shown with the time %s', (createTime, at) => {
  expect(toOrderText({ mapping: { ...mapping, createTime } })).toMatchObject({ at, txHash });
});

describe('the order list of the venue', () => {
  const rowsOf = async (...rows: unknown[]) =>
    (await venueSaying({ total: 9, rows }).orders({ page: 1, limit: 10 })).rows;

  test('reads an open deferred sell as locking nothing', async () => {
    const deferred = { ...openOrder, side: 'Sell', pay: '2.5', deferred: true };
    expect(await rowsOf({ ...mapping, orderId, openOrder: deferred })).toMatchObject([{ locked: 0n }]);
  });

  test('treats an order of another wallet as an unreadable row', async () => {
    const foreign = { userAddress: `0x${'b'.repeat(40)}` };
    const reason = `it belongs to wallet ${foreign.userAddress}, not to ${userAddress}`;
    const details = [
      { openOrder: { ...openOrder, ...foreign } },
      { historyOrder: { ...historyOrder, ...foreign } },
    ];
    for (const detail of details) {
      expect(await rowsOf({ ...mapping, orderId, ...detail })).toMatchObject([{ reason, txHash }]);
      await expect(venueSaying({ mapping, ...detail }).orderByTx(txHash)).rejects.toThrow(reason);
    }
    const own = { userAddress: userAddress.toUpperCase().replace('X', 'x') };
    expect(await rowsOf({ ...mapping, openOrder: { ...openOrder, ...own } })).toMatchObject([
      { status: 'open' },
    ]);
  });

  test('reads no settlement from a partial fill before the order has ended', async () => {
    const part = { ...historyOrder, status: 'Partial filled', settleReceive: '1' };
    expect(
      await rowsOf(
        { ...mapping, orderId, openOrder, historyOrder: part },
        { ...mapping, orderId, historyOrder: part },
      ),
    ).toMatchObject([
      { status: 'open', settlement: null, locked: parseCash('500.55') },
      { status: 'open', settlement: null, locked: null },
    ]);
  });

  test('reads an open and a settled order with exact amounts', async () => {
    const rows = await rowsOf({ ...mapping, orderId, openOrder }, { ...mapping, orderId, historyOrder });

    const terms = {
      symbol: 'AAPL',
      side: 'buy',
      type: 'limit',
      quantity: parseShares('2.5'),
      notional: null,
      price: parsePrice('200'),
    };
    const common = { txHash, orderId, createdAt: epochMs(1_700_000_000_000), terms };
    expect(rows).toEqual([
      { ...common, status: 'open', rawStatus: 'New', locked: parseCash('500.55'), settlement: null },
      {
        ...common,
        status: 'filled',
        rawStatus: 'Filled',
        locked: null,
        settlement: {
          price: parsePrice('199.5'),
          pay: parseCash('499.3'),
          receive: parseShares('2.5'),
          mintFee: parseCash('0.49'),
          protocolFee: parseCash('0.05'),
          txHash: historyOrder.settleTxHash,
        },
      },
    ]);
  });

  test.for<[name: string, row: object, status: string, rawStatus: string]>([
    ['the link alone', mapping, 'pending', 'New'],
    ['the link alone, without a status', { txHash }, 'pending', ''],
    ['the link alone, with an unknown status', { ...mapping, status: 'Sealed' }, 'unrecognised', 'Sealed'],
    ['a failed link', { ...mapping, status: 'Failed' }, 'reverted', 'Failed'],
    ['a failed detail', { mappingStatus: 'Pending', orderStatus: 'Failed', mapping }, 'reverted', 'Failed'],
    [
      'an order being cancelled',
      { ...mapping, openOrder: { ...openOrder, status: 'canceling' } },
      'canceling',
      'New',
    ],
    [
      'a partial fill is shown',
      { mapping, orderStatus: 'Partial filled', openOrder },
      'open',
      'Partial filled',
    ],
    [
      'an open order with an unknown status',
      { mapping, openOrder: { ...openOrder, status: 'held' } },
      'unrecognised',
      'held',
    ],
    [
      'a settled order with an unknown status',
      { mapping, historyOrder: { ...historyOrder, status: 'Done' } },
      'unrecognised',
      'Done',
    ],
    [
      'cancelled',
      { mapping, historyOrder: { ...historyOrder, status: 'Canceled' } },
      'cancelled',
      'Canceled',
    ],
    ['expired', { mapping, historyOrder: { ...historyOrder, status: 'Expired' } }, 'expired', 'Expired'],
    ['rejected', { mapping, historyOrder: { ...historyOrder, status: 'Rejected' } }, 'rejected', 'Rejected'],
    ['failed', { mapping, historyOrder: { ...historyOrder, status: 'Failed' } }, 'rejected', 'Failed'],
    ['settled wins over open', { mapping, openOrder, historyOrder }, 'filled', 'Filled'],
    [
      'a failed status next to an order',
      { mapping: { ...mapping, status: 'Failed' }, openOrder },
      'open',
      'Failed',
    ],
  ])('reads the expected status: %s', async ([, row, status, rawStatus]) => {
    expect(await rowsOf(row)).toMatchObject([{ txHash, status, rawStatus }]);
  });

  test('reads numbers as amounts only while their digits are certain', async () => {
    const settled = {
      ...historyOrder,
      settlePay: 499.3,
      settleReceive: 2.5,
      settlePrice: 199.5,
      mintFee: 0,
      protocolFee: null,
    };
    expect(await rowsOf({ mapping, historyOrder: settled })).toMatchObject([
      {
        settlement: {
          pay: parseCash('499.3'),
          receive: parseShares('2.5'),
          mintFee: cash(0n),
          protocolFee: cash(0n),
        },
      },
    ]);
  });

  test.each([1_700_000_000, 1_700_000_000_000])(
    'reads a time of %i in the plausible unit',
    async (createTime) => {
      expect(await rowsOf({ ...mapping, createTime })).toMatchObject([{ createdAt: 1_700_000_000_000 }]);
    },
  );

  test.each(['constructor', 'toString', '__proto__'])(
    'reads the status %j as unrecognised, though every object has a property of that name',
    async (status) => {
      const rows = await rowsOf(
        { mapping, openOrder: { ...openOrder, status } },
        { mapping, historyOrder: { ...historyOrder, status } },
      );
      expect(rows).toMatchObject([{ status: 'unrecognised' }, { status: 'unrecognised' }]);
    },
  );

  test('reads a settlement hash regardless of case, and an empty one as none', async () => {
    const settled = (settleTxHash: string) => ({ mapping, historyOrder: { ...historyOrder, settleTxHash } });
    expect(await rowsOf(settled(`0x${'EF'.repeat(32)}`), settled(''))).toMatchObject([
      { settlement: { txHash: historyOrder.settleTxHash } },
      { settlement: { txHash: null } },
    ]);
  });

  test('reads no settlement from an order that ended without moving anything', async () => {
    const none = { ...historyOrder, status: 'Canceled', settlePay: null, settleReceive: '0' };
    expect(await rowsOf({ mapping, historyOrder: none })).toMatchObject([
      { status: 'cancelled', settlement: null },
    ]);
  });

  test.each<[string, object]>([
    ['an amount with an exponent', { ...mapping, historyOrder: { ...historyOrder, settlePay: '1e-7' } }],
    ['an amount rounded in transit', { ...mapping, historyOrder: { ...historyOrder, settlePay: 0.1 + 0.2 } }],
    ['an empty amount', { ...mapping, openOrder: { ...openOrder, pay: '' } }],
    ['an unknown side', { ...mapping, openOrder: { ...openOrder, side: 'Short' } }],
    ['an invalid symbol', { ...mapping, openOrder: { ...openOrder, symbol: '?' } }],
    ['a receipt without a payment', { ...mapping, historyOrder: { ...historyOrder, settlePay: null } }],
    ['more than 18 decimals', { ...mapping, openOrder: { ...openOrder, pay: '0.0000000000000000001' } }],
  ])('sets aside a row with %s and keeps its transaction, and the others are read', async (_name, row) => {
    const [unreadable, readable] = await rowsOf(row, mapping);

    if (!unreadable || !('unreadable' in unreadable)) throw new Error('it was read');
    expect(unreadable.txHash).toBe(txHash);
    expect(unreadable.unreadable).toContain(`${unreadable.reason}: {`);
    expect(unreadable.reason).not.toContain('{');
    expect(readable).toMatchObject({ status: 'pending' });
  });

  test('sets aside values that are not rows', async () => {
    expect(await rowsOf(null, 'x', 7)).toMatchObject([{ txHash: null }, { txHash: null }, { txHash: null }]);
  });
});

describe('the details of an order looked up by its transaction', () => {
  test.each<[string, unknown]>([
    ['a detail', { mappingStatus: 'New', orderStatus: 'New', mapping, openOrder, historyOrder: null }],
    ['a bare open order', openOrder],
  ])('are read from %s', async (_name, data) => {
    expect(await venueSaying(data).orderByTx(txHash)).toMatchObject({ txHash, orderId, status: 'open' });
  });

  test('are read from a bare settled order', async () => {
    expect(await venueSaying(historyOrder).orderByTx(txHash.toUpperCase().replace('0X', '0x'))).toMatchObject(
      {
        txHash,
        status: 'filled',
      },
    );
  });

  test.each<[string, ReturnType<Answering>]>([
    ['null', reply(null)],
    [
      'an empty detail',
      reply({ mappingStatus: null, orderStatus: null, mapping: null, openOrder: null, historyOrder: null }),
    ],
    ['not found', refuse('order not found', 10_001)],
  ])('are not known yet when the response is %s', async (_name, response) => {
    expect(await venueOver(() => response).orderByTx(txHash)).toBeNull();
  });

  test('are not considered absent when the request is refused for another reason', async () => {
    await expect(venueOver(() => refuse('index is rebuilding')).orderByTx(txHash)).rejects.toThrow();
  });

  test.each<[string, unknown]>([
    ['without its price', { mapping, historyOrder: { ...historyOrder, settlePrice: null } }],
    ['with more than 18 decimals', { mapping, openOrder: { ...openOrder, pay: '0.0000000000000000001' } }],
    ['of another transaction', { mapping: { ...mapping, txHash: `0x${'ac'.repeat(32)}` }, openOrder }],
  ])('are refused when the response is a detail %s', async (_name, detail) => {
    await expect(venueSaying(detail).orderByTx(txHash)).rejects.toThrow(NoAnswerError);
  });

  test('are refused when the response is about another order', async () => {
    await expect(venueSaying({ mapping, openOrder }).orderByTx(`0x${'00'.repeat(32)}`)).rejects.toThrow(
      /asked for/,
    );
  });
});

test('a transfer of another wallet is treated as an unreadable row', async () => {
  const other = `0x${'b'.repeat(40)}`;
  const operation = {
    operationId: '1',
    tokenAddress: other,
    amount: '90',
    creditAmount: '90',
    status: 'success',
  };
  const rowsOf = async (owner: string) => {
    const row = { mapping, depositOperation: { ...operation, userAddress: owner } };
    return (await venueSaying({ total: 1, rows: [row] }).transfers('cashDeposit', { page: 1, limit: 10 }))
      .rows;
  };
  const reason = `it belongs to wallet ${other}, not to ${userAddress}`;
  expect(await rowsOf(other)).toMatchObject([{ reason, txHash }]);
  expect(await rowsOf(userAddress)).toMatchObject([{ rawStatus: 'success' }]);
});
