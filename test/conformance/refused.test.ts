import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  ask,
  cashIn,
  cashOut,
  endpointOf,
  limitBuy,
  marketBuy,
  marketSell,
  repayment,
  stockMove,
  user,
  withDeposit,
  type Body,
  type Name,
} from './bodies.ts';
import { failure, lastAnswer, startStage, type Stage, type StageClient } from './stage.ts';

let stage: Stage;
let client: StageClient;
beforeAll(async () => {
  stage = await startStage();
  client = stage.client(0);
});
afterAll(() => stage.close());

const nobody = `0x${'9'.repeat(40)}`;

/** Refusals that only the venue can decide: its words reach the user of the client. */
const REFUSED: readonly (readonly [
  what: string,
  name: Name,
  body: () => Body,
  code: number,
  told: string,
])[] = [
  [
    'an unknown stock',
    'orderSend',
    () => ({ ...marketBuy(stage), stockAddress: nobody }),
    10_000,
    'stockAddress must be the contract of a listed stock token',
  ],
  [
    'an unknown cash token',
    'cashDepositSend',
    () => ({ ...cashIn(stage), tokenAddress: nobody }),
    10_000,
    'tokenAddress must be a cash token',
  ],
  [
    'an unknown cash token, out',
    'cashWithdrawalCalldata',
    () => ({ ...user(stage), ...cashOut(stage), tokenAddress: nobody }),
    10_000,
    'tokenAddress must be a cash token',
  ],
  [
    'a stock for a cash token',
    'orderWithDepositSend',
    () => ({ ...withDeposit(stage), tokenAddress: stage.stock('AAPL') }),
    10_000,
    'tokenAddress must be a cash token',
  ],
  [
    'an unknown stock to move',
    'stockDepositCalldata',
    () => ({ ...user(stage), ...stockMove(stage), tokenAddress: stage.cash }),
    10_000,
    'tokenAddress must be the contract of a listed stock token',
  ],
  [
    'an unknown stock to repay',
    'repayCalldata',
    () => ({ ...user(stage), ...repayment(stage), stockAddress: nobody }),
    10_000,
    'stockAddress must be the contract of a listed stock token',
  ],
  [
    'cash of 7 places',
    'cashDepositSend',
    () => ({ ...cashIn(stage), tokenAmount: '90.0000001' }),
    10_000,
    'tokenAmount must be a decimal: "90.0000001" has 7 decimal places, at most 6',
  ],
  [
    'a deposit below the minimum',
    'cashDepositSend',
    () => ({ ...cashIn(stage), tokenAmount: '89.999999' }),
    10_002,
    'tokenAmount must be at least 90',
  ],
  [
    'a deposit below the minimum, as calldata',
    'cashDepositCalldata',
    () => ({ ...user(stage), ...cashIn(stage), tokenAmount: '1' }),
    10_002,
    'tokenAmount must be at least 90',
  ],
  [
    'an order below the minimum',
    'orderSend',
    () => ({ ...marketBuy(stage), notional: '0.99' }),
    10_002,
    'notional must be at least 1 mUSD',
  ],
  [
    'a price between ticks',
    'orderSend',
    () => ({ ...limitBuy(stage), price: '100.005' }),
    10_002,
    'price must be a multiple of 0.01',
  ],
  [
    'an expired deadline',
    'orderSend',
    () => ({ ...marketBuy(stage), deadline: stage.deadline(-1) }),
    10_002,
    'deadline has expired',
  ],
  [
    'a deadline of this very second',
    'orderCalldata',
    () => ({ ...limitBuy(stage), deadline: stage.deadline(0) }),
    10_002,
    'deadline has expired',
  ],
  [
    'an expired deadline, to prepare',
    'oneClickPrepare',
    () => ({ deadline: stage.deadline(-1) }),
    10_002,
    'deadline has expired',
  ],
  [
    'a deferred sell of an address that is not listed',
    'orderSend',
    () => ({ ...marketSell(stage), deferred: true }),
    10_002,
    'deferred sell is not allowed for this address, or the address is restricted',
  ],
];

describe('a refusal of the venue', () => {
  test.for(REFUSED)('reaches the caller with its words: %s', async ([, name, body, code, told]) => {
    const { method, path } = endpointOf(name);
    const error = await failure(ask(client, name, { body: body() }));
    expect([error.name, error.effect]).toEqual(['VenueRefusedError', 'none']);
    expect(error.message).toMatch(`${method} ${path}: ${told}`);
    expect(error.message).toMatch(/ \(code \d+, uuid [0-9a-f-]{36}\)$/);
    expect(error.details).toMatchObject({ status: 400, code });
  });

  test('applies to a deferred sell of a restricted address, although it is whitelisted', async () => {
    const restricted = stage.client(3);
    const error = await failure(
      ask(restricted, 'orderCalldata', { body: { ...marketSell(stage), deferred: true } }),
    );
    expect([error.name, error.message]).toEqual([
      'VenueRefusedError',
      expect.stringContaining('deferred sell is not allowed for this address, or the address is restricted'),
    ]);
  });

  test('names paused deposits and withdrawals', async () => {
    await stage.control('cashier', { depositPaused: true, withdrawPaused: true });
    const errors = [
      await failure(ask(client, 'cashDepositCalldata', { body: { ...user(stage), ...cashIn(stage) } })),
      await failure(ask(client, 'cashWithdrawalCalldata', { body: { ...user(stage), ...cashOut(stage) } })),
    ];
    await stage.control('cashier', { depositPaused: false, withdrawPaused: false });
    expect(errors.map(({ message }) => message)).toEqual([
      expect.stringContaining('deposits of USDC are paused'),
      expect.stringContaining('withdrawals of USDC are paused'),
    ]);
  });
});

test('a number in a body is accepted like text, and a gas limit of 0 lets the venue estimate', async () => {
  for (const gasLimit of [0, -1])
    expect(
      (
        await client.call('POST', '/api/v1/orders/send', {
          body: { ...marketBuy(stage), notional: 10, gasLimit },
        })
      ).code,
    ).toBe(200);
  await ask(client, 'orderSend', { body: { ...marketBuy(stage), notional: 10, gasLimit: 0 } });
  expect(lastAnswer(client).code).toBe(200);
});
