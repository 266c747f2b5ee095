import { describe, expect, test } from 'vitest';
import { ALLOWED_GROUPS } from '../../src/api/allowList.ts';
import type { VenueClient } from '../../src/api/client.ts';
import { NotSentError } from '../../src/core/errors.ts';
import { clientOver, reply } from './fakeTransport.ts';

const hash = `0x${'ab'.repeat(32)}`;
const stock = `0x${'1'.repeat(40)}`;
const wallet = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const mistyped = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD' as const;
const deadline = 1_700_000_060;

type NotAnEndpoint = 'call' | 'dryRun' | 'offsetMs' | 'requests' | 'denied' | 'close' | 'watch' | 'budget';
type Name = Exclude<keyof VenueClient, NotAnEndpoint>;
type Body = Readonly<Record<string, unknown>>;

/** Calls an endpoint like an untyped program; returns the body that left, or the error. */
async function asking(name: Name, body: unknown): Promise<unknown> {
  const { client, sent } = clientOver(() => reply({ txHash: hash }), { allow: ALLOWED_GROUPS });
  const ask = client[name] as (request: unknown) => Promise<unknown>;
  const failed: unknown = await ask({ body }).then(
    () => null,
    (error: unknown) => error,
  );
  if (sent.length > 0) return JSON.parse(sent[0]?.body ?? '');
  expect(failed).toBeInstanceOf(NotSentError);
  return String(failed);
}

const marketBuy = { stockAddress: stock, side: 'Buy', type: 'Market', notional: '10', deadline };
const marketSell = { stockAddress: stock, side: 'Sell', type: 'Market', quantity: '1.5', deadline };
const limit = {
  stockAddress: stock,
  side: 'Sell',
  type: 'Limit',
  quantity: '1',
  price: '200.5',
  timeInForce: 'DAY',
  deadline,
};
const cashIn = { tokenAddress: stock, tokenAmount: '90.5' };
const cashOut = { tokenAddress: stock, creditAmount: '90.5' };
const repay = { stockAddress: stock, quantity: '2' };
const { ['price']: _price, ...unpriced } = limit;

/** One valid body of each write that has one. */
const GOOD: readonly (readonly [Name, Body])[] = [
  ['orderSend', marketBuy],
  ['orderSend', { ...marketSell, deferred: true, gasLimit: -1 }],
  ['orderCalldata', limit],
  ['orderCalldata', { ...marketBuy, timeInForce: 'DAY' }],
  ['orderWithDepositSend', { ...marketBuy, ...cashIn, gasLimit: 21_000 }],
  ['orderWithDepositCalldata', { ...limit, tokenAmount: '1' }],
  ['orderRecordTx', { txHash: hash }],
  ['repayCalldata', { ...repay, userAddress: wallet }],
  ['repaySend', { ...repay, gasLimit: 1 }],
  ['cashDepositCalldata', { ...cashIn, userAddress: wallet }],
  ['cashDepositSend', cashIn],
  ['cashDepositRecordTx', { txHash: hash }],
  ['cashWithdrawalCalldata', { ...cashOut, userAddress: wallet.toLowerCase() }],
  ['cashWithdrawalSend', { ...cashOut, gasLimit: 1 }],
  ['cashWithdrawalRecordTx', { txHash: hash }],
  ['stockDepositCalldata', { ...cashIn, userAddress: wallet }],
  ['stockDepositSend', cashIn],
  ['stockDepositRecordTx', { txHash: hash }],
  ['stockWithdrawalCalldata', { ...cashIn, userAddress: wallet }],
  ['stockWithdrawalSend', cashIn],
  ['stockWithdrawalRecordTx', { txHash: hash }],
];

describe.each(GOOD)('the request of %s', (name, good) => {
  test('sends its fields unchanged', async () => {
    expect(await asking(name, good)).toEqual(good);
  });

  test('is refused with a missing field and with an unknown one', async () => {
    for (const field of Object.keys(good)) {
      if (['gasLimit', 'deferred'].includes(field) || (field === 'timeInForce' && good['type'] === 'Market'))
        continue;
      const rest = Object.fromEntries(Object.entries(good).filter(([key]) => key !== field));
      expect(await asking(name, rest), field).toContain(field);
    }
    expect(await asking(name, { ...good, memo: 'x' })).toContain('memo');
  });

  test('is refused with an invalid address', async () => {
    for (const field of Object.keys(good).filter((key) => key.endsWith('Address')))
      for (const wrong of [mistyped, wallet.slice(0, -1), `0x${'AB'.repeat(20)}`, wallet.slice(2), 0, ''])
        expect(await asking(name, { ...good, [field]: wrong }), field).toContain(field);
  });

  const sizes = Object.keys(good).filter((key) => /amount|quantity|notional|price/i.test(key));
  test.each([
    ['0', 'must be above 0'],
    ['0.000', 'must be above 0'],
    [0, 'must be above 0'],
    ['-1', 'not an exact plain decimal'],
    [-1, 'not an exact plain decimal'],
    ['1.0000000000000000001', 'has 19 decimal places, at most 18'],
    ['1e3', 'not an exact plain decimal'],
    [1e21, 'not an exact plain decimal'],
    [1e-19, 'has 19 decimal places, at most 18'],
    [0.1 + 0.2, 'not an exact plain decimal'],
    ['1,000', 'not an exact plain decimal'],
    ['0x10', 'not an exact plain decimal'],
    [' 1', 'not an exact plain decimal'],
    ['١', 'not an exact plain decimal'],
    ['.5', 'not an exact plain decimal'],
    ['1'.repeat(81), 'not a plain decimal'],
    [NaN, ''],
    [null, ''],
  ])('is refused with an amount of %j', async (wrong, told) => {
    for (const field of sizes) {
      const answer = await asking(name, { ...good, [field]: wrong });
      expect(answer).toContain(field);
      expect(answer).toContain(told);
    }
  });

  test('may have an exact number as amount, which is sent as text', async () => {
    for (const field of sizes)
      expect(await asking(name, { ...good, [field]: 1.25 })).toEqual({ ...good, [field]: '1.25' });
  });
});

test.for<[string, Name, Body, string]>([
  [
    'a market buy without notional',
    'orderSend',
    { ...marketBuy, notional: undefined },
    'notional is missing',
  ],
  [
    'a market sell without quantity',
    'orderSend',
    { ...marketSell, quantity: undefined },
    'quantity is missing',
  ],
  ['a limit order without price', 'orderCalldata', unpriced, 'price is missing'],
  ['a limit order by notional', 'orderSend', { ...limit, notional: '10' }, 'notional does not go with'],
  ['a market order with a price', 'orderSend', { ...marketSell, price: '1' }, 'price does not go with'],
  ['a market buy by shares', 'orderSend', { ...marketBuy, quantity: '1' }, 'quantity does not go with'],
  ['a deferred buy', 'orderCalldata', { ...marketBuy, deferred: true }, 'deferred is only for a Sell'],
  ['an unsupported time in force', 'orderSend', { ...limit, timeInForce: 'GTC' }, 'timeInForce'],
  [
    'a deferred order with a deposit',
    'orderWithDepositSend',
    { ...marketSell, tokenAmount: '1', deferred: true },
    'deferred',
  ],
  [
    'a deposit of cash for a sell',
    'orderWithDepositSend',
    { ...marketSell, ...cashIn },
    'tokenAddress does not go',
  ],
  ['a wallet address in a send', 'cashWithdrawalSend', { ...cashOut, userAddress: wallet }, 'userAddress'],
  ['a gas limit in a calldata call', 'orderCalldata', { ...limit, gasLimit: 1 }, 'gasLimit'],
  ['a fractional gas limit', 'cashDepositSend', { ...cashIn, gasLimit: 0.5 }, 'gasLimit'],
  [
    'a deadline beyond 32 bits',
    'orderWithDepositSend',
    { ...marketBuy, ...cashIn, deadline: 2 ** 32 },
    'deadline',
  ],
  ['a fractional deadline', 'orderCalldata', { ...limit, deadline: 1.5 }, 'deadline'],
  ['a truncated hash', 'cashDepositRecordTx', { txHash: '0xab' }, 'not a 32-byte hash'],
])('%s is refused before it leaves', async ([, name, body, told]) => {
  expect(await asking(name, body)).toContain(told);
});

test('malformed queries and paths are refused before they leave', async () => {
  const { client, sent } = clientOver(() => reply([]));
  const bad = [
    () => client.corporateActions({ query: { start: 'yesterday' } }),
    () => client.corporateActions({ query: { symbols: 'AAPL, MSFT' } }),
    () => client.debts({ query: { stockAddress: mistyped } }),
    () => client.cashDeposits({ query: { limit: 101 } }),
    () => client.stockWithdrawals({ query: { page: 0 } }),
    () => client.cashWithdrawal({ path: { operationId: '../deposits/1' } }),
    () => client.orderCancelCalldata({ path: { orderId: 'one' }, query: { deadline } }),
    () => client.orderCancelCalldata({ path: { orderId: hash }, query: { deadline: -1 } }),
  ];
  for (const ask of bad) await expect(ask()).rejects.toThrow(NotSentError);
  expect(sent).toEqual([]);

  await client.corporateActions({ query: { symbols: 'AAPL,BRK.B', start: '2026-01-01', end: '2026-12-31' } });
  await client.debts();
  expect(sent.map(({ uri }) => uri)).toEqual([
    '/api/v1/corporate-action?end=2026-12-31&start=2026-01-01&symbols=AAPL%2CBRK.B',
    '/api/v1/deferred-sell/debts',
  ]);
});
