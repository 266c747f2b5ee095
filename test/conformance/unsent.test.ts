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
import { failure, startStage, type Stage, type StageClient } from './stage.ts';

let stage: Stage;
let client: StageClient;
beforeAll(async () => {
  stage = await startStage();
  client = stage.client(0);
});
afterAll(() => stage.close());

const mistyped = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD';

type Case = readonly [what: string, name: Name, body: () => Body, venue: string, client: string];

/**
 * Requests that the client refuses to send, with the venue's refusal when they are sent anyway. Without one, the decision
 * is the venue's, and the emulator accepts it.
 */
const UNSENT: readonly Case[] = [
  [
    'nothing to buy for',
    'orderSend',
    () => ({ ...marketBuy(stage), notional: undefined }),
    'notional is required for a market buy',
    'notional is missing: a market buy needs it',
  ],
  [
    'nothing to sell',
    'orderSend',
    () => ({ ...marketSell(stage), quantity: undefined }),
    'quantity is required for a market sell',
    'quantity is missing: a market sell needs it',
  ],
  [
    'a limit without price',
    'orderCalldata',
    () => ({ ...limitBuy(stage), price: undefined }),
    'price is required for a limit order',
    'price is missing: a limit order needs it',
  ],
  [
    'a limit without quantity',
    'orderCalldata',
    () => ({ ...limitBuy(stage), quantity: undefined }),
    'quantity is required for a limit order',
    'quantity is missing: a limit order needs it',
  ],
  [
    'a limit without time in force',
    'orderSend',
    () => ({ ...limitBuy(stage), timeInForce: undefined }),
    'timeInForce is required for a limit order',
    'timeInForce is missing: a limit order needs it',
  ],
  [
    'good till cancelled',
    'orderSend',
    () => ({ ...limitBuy(stage), timeInForce: 'GTC' }),
    'timeInForce only supports DAY',
    'timeInForce: Invalid input: expected "DAY"',
  ],
  [
    'a deferred buy',
    'orderCalldata',
    () => ({ ...marketBuy(stage), deferred: true }),
    'deferred must not be true unless side is Sell',
    'deferred is only for a Sell',
  ],
  [
    'no deadline',
    'orderSend',
    () => ({ ...marketBuy(stage), deadline: undefined }),
    'deadline is required',
    'deadline: Invalid input: expected number',
  ],
  [
    'a deadline beyond 32 bits',
    'orderSend',
    () => ({ ...marketBuy(stage), deadline: 4_294_967_296 }),
    'deadline must be Unix seconds, at most 4294967295',
    'deadline: Too big',
  ],
  [
    'a deadline beyond 32 bits, to prepare',
    'oneClickPrepare',
    () => ({ deadline: 4_294_967_296 }),
    'deadline must be Unix seconds, at most 4294967295',
    'deadline: Too big',
  ],
  [
    'an amount of 19 places',
    'orderSend',
    () => ({ ...marketBuy(stage), notional: '1.0000000000000000001' }),
    'notional must be a decimal: "1.0000000000000000001" has 19 decimal places, at most 18',
    'notional: "1.0000000000000000001" has 19 decimal places, at most 18',
  ],
  [
    'an amount of nothing',
    'orderSend',
    () => ({ ...marketSell(stage), quantity: '0' }),
    'quantity must be greater than 0',
    'quantity: must be above 0',
  ],
  [
    'a price of nothing',
    'orderSend',
    () => ({ ...limitBuy(stage), price: '0.00' }),
    'price must be greater than 0',
    'price: must be above 0',
  ],
  [
    'an amount below nothing',
    'orderSend',
    () => ({ ...marketSell(stage), quantity: '-1' }),
    'quantity must be a decimal',
    'quantity: "-1" is not an exact plain decimal',
  ],
  [
    'a deposit of nothing',
    'cashDepositSend',
    () => ({ ...cashIn(stage), tokenAmount: 0 }),
    'tokenAmount must be at least 90',
    'tokenAmount: must be above 0',
  ],
  [
    'a deposit below nothing',
    'cashDepositCalldata',
    () => ({ ...user(stage), ...cashIn(stage), tokenAmount: -90 }),
    'tokenAmount must be a decimal',
    'tokenAmount: "-90" is not an exact plain decimal',
  ],
  [
    'a withdrawal of nothing',
    'cashWithdrawalSend',
    () => ({ ...cashOut(stage), creditAmount: '0' }),
    'creditAmount must be greater than 0',
    'creditAmount: must be above 0',
  ],
  [
    'stock of nothing',
    'stockDepositSend',
    () => ({ ...stockMove(stage), tokenAmount: '0' }),
    'tokenAmount must be greater than 0',
    'tokenAmount: must be above 0',
  ],
  [
    'stock out below nothing',
    'stockWithdrawalCalldata',
    () => ({ ...user(stage), ...stockMove(stage), tokenAmount: '-2' }),
    'tokenAmount must be a decimal',
    'tokenAmount: "-2" is not an exact plain decimal',
  ],
  [
    'a repayment of nothing',
    'repaySend',
    () => ({ ...repayment(stage), quantity: '0' }),
    'quantity must be greater than 0',
    'quantity: must be above 0',
  ],
  [
    'an amount in words',
    'orderSend',
    () => ({ ...marketBuy(stage), notional: 'ten' }),
    'notional must be a decimal',
    'notional: "ten" is not an exact plain decimal',
  ],
  [
    'no address',
    'orderSend',
    () => ({ ...marketBuy(stage), stockAddress: 'AAPL' }),
    'stockAddress must be an EVM address',
    'stockAddress: not an address in lower case or with its checksum',
  ],
  [
    'an address with a slip in it',
    'cashDepositCalldata',
    () => ({ ...cashIn(stage), userAddress: mistyped }),
    '',
    'userAddress: not an address in lower case or with its checksum',
  ],
  [
    'a stock with a slip in it',
    'orderSend',
    () => ({ ...marketBuy(stage), stockAddress: mistyped }),
    'stockAddress must be the contract of a listed stock token',
    'stockAddress: not an address in lower case',
  ],
  [
    'half a hash to record',
    'orderRecordTx',
    () => ({ txHash: '0xab' }),
    'txHash must be 32 bytes in hex',
    'txHash: not a 32-byte hash',
  ],
  [
    'half a signature',
    'oneClickEnable',
    () => ({ signature: '0xab', deadline: stage.deadline() }),
    'signature must be a signature of 65 bytes in hex',
    'signature: not a 65-byte signature',
  ],
  [
    'a deferred order with a deposit',
    'orderWithDepositCalldata',
    () => ({ ...marketSell(stage), tokenAmount: '1', deferred: true }),
    'deferred must not be true with a deposit',
    'deferred',
  ],
  [
    'a deposit order without its token',
    'orderWithDepositSend',
    () => ({ ...withDeposit(stage), tokenAddress: undefined }),
    'tokenAddress is required for a buy',
    'tokenAddress is missing: a buy deposits a cash token',
  ],
];

describe('the client refuses to send', () => {
  test.for(UNSENT)('%s', async ([, name, body, venue, told]) => {
    const { method, path } = endpointOf(name);
    const before = (await stage.truth()).requests[`${method} ${path}`]?.received ?? 0;
    const error = await failure(ask(client, name, { body: body() }));
    expect([error.name, error.effect]).toEqual(['NotSentError', 'none']);
    expect(error.message).toContain(`${method} ${path}: body: `);
    expect(error.message).toContain(told);
    expect((await stage.truth()).requests[`${method} ${path}`]?.received ?? 0).toBe(before);

    const { code, errMsg } = await client.call(method, path, { body: body() });
    if (venue === '') expect(code).toBe(200);
    else {
      expect([10_000, 10_002]).toContain(code);
      expect(errMsg).toContain(venue);
    }
  });
});
