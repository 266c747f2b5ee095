import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EndpointCalls } from '../../src/api/client.ts';
import { labelOf } from '../../src/api/endpoint.ts';
import * as endpoints from '../../src/api/endpoints/index.ts';
import { NotSentError, UnauthorizedError } from '../../src/core/errors.ts';
import { findRoute } from '../../src/emulator/routes/index.ts';
import { rows, type Facts } from './rows.ts';
import { envelope } from './shapes.ts';
import { failure, lastAnswer, startStage, type Stage, type StageClient } from './stage.ts';

let stage: Stage;
let facts: Facts;
let reader: StageClient;
let limited: StageClient;

beforeAll(async () => {
  stage = await startStage();
  reader = stage.client(1, { key: 'READ_ONLY' });
  limited = stage.client(1, { key: 'READ_ONLY', access: 'READ_ONLY' });
  facts = await prepareFacts();
});
afterAll(() => stage.close());

/** An account that has done each operation once. */
async function prepareFacts(): Promise<Facts> {
  const client = stage.client(1);
  const { userAddress: user } = stage.account(1);
  const stockAddress = stage.stock('AAPL');
  const limit = { stockAddress, side: 'Buy', type: 'Limit', quantity: '1', timeInForce: 'DAY' } as const;
  const deadline = stage.deadline();
  const cash = { tokenAddress: stage.cash };
  const stock = { tokenAddress: stockAddress, tokenAmount: '1' };
  const { txHash: filledTx } = await client.orderSend({
    body: { stockAddress, side: 'Buy', type: 'Market', notional: '100', deadline },
  });
  const resting = await client.orderSend({ body: { ...limit, price: '10', deadline } });
  const cancellable = await client.orderSend({ body: { ...limit, price: '11', deadline } });
  await client.orderSend({
    body: { stockAddress, side: 'Sell', type: 'Market', quantity: '2', deferred: true, deadline },
  });
  await client.cashDepositSend({ body: { ...cash, tokenAmount: '90' } });
  await client.cashWithdrawalSend({ body: { ...cash, creditAmount: '50' } });
  await client.stockDepositSend({ body: stock });
  await client.stockWithdrawalSend({ body: stock });
  await stage.control('corporate-action', { type: 'cash_dividend', symbol: 'MSFT', cashPerShare: '0.5' });
  await stage.settled();
  const idOf = async ({ txHash }: { txHash: string }) => {
    const found = await client.orderByTx({ path: { txHash } });
    return found?.openOrder?.orderId ?? '';
  };
  const operationOf = async (
    name: 'cashDeposits' | 'cashWithdrawals' | 'stockDeposits' | 'stockWithdrawals',
  ) => {
    await client[name]();
    const { data } = lastAnswer(client) as unknown as { data: { rows: { operationId: string }[] } };
    return data.rows[0]?.operationId ?? '';
  };
  return {
    stage,
    client,
    user,
    filledTx,
    resting: await idOf(resting),
    cancellable: await idOf(cancellable),
    operations: {
      deposit: await operationOf('cashDeposits'),
      withdraw: await operationOf('cashWithdrawals'),
      stock_deposit: await operationOf('stockDeposits'),
      stock_withdraw: await operationOf('stockWithdrawals'),
    },
  };
}

const calling = (client: StageClient, name: keyof EndpointCalls) =>
  client[name] as unknown as (request: object) => Promise<unknown>;

test('the specification has 46 endpoints, each with its own client method', () => {
  expect(rows).toHaveLength(46);
  expect(new Set(rows.map(({ name }) => name)).size).toBe(46);
  expect(rows.map(({ name }) => name).sort()).toEqual(Object.keys(endpoints).sort());
});

describe.each(rows)('$method $path', ({ method, path, permission, name, request, shape }) => {
  const whole = `/api/v1${path}`;
  const isOfOwnMappings = /\{(orderId|txHash|operationId)\}$/.test(path);

  test('is the same in client and emulator', () => {
    const { [name]: endpoint } = endpoints;
    expect([labelOf(endpoint), endpoint.access]).toEqual([`${method} ${whole}`, permission]);
    const asked = whole.replace(/\{\w+\}/g, 'x');
    expect(findRoute(method, asked)?.endpoint).toBe(`${method} ${whole}`);
  });

  test(
    permission === 'READ_ONLY' ? 'is open to a key that reads' : 'is closed to a key that reads',
    async () => {
      const asked = await request(facts);
      const call = calling(reader, name)(asked);
      if (permission === 'WRITABLE') {
        const refused = await failure(call);
        expect(refused).toBeInstanceOf(UnauthorizedError);
        expect(refused.details).toMatchObject({ status: 400, code: 401, errMsg: 'unauthorized' });
        const unsent = await failure(calling(limited, name)(asked));
        expect(unsent).toBeInstanceOf(NotSentError);
        expect(unsent.message).toBe(`${method} ${whole} needs a WRITABLE key; this one is READ_ONLY`);
      } else {
        // A key sees only its own records, and a read-only key has none.
        await call.catch(() => undefined);
        expect(lastAnswer(reader)).toMatchObject(
          isOfOwnMappings ? { status: 400, code: 10_001 } : { status: 200, code: 200 },
        );
      }
    },
  );

  test('responds with exactly the specified fields', async () => {
    const read = await calling(facts.client, name)(await request(facts));
    const { status, ...body } = lastAnswer(facts.client);
    expect([status, body.code, body.errMsg]).toEqual([200, 200, '']);
    expect(envelope(body)).toEqual([]);
    expect(shape(body.data)).toEqual([]);
    expect(read).not.toBeUndefined();
    expect(JSON.stringify(read)).not.toContain('"unreadable"');
  });
});
