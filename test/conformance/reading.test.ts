import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask, limitBuy, marketBuy, marketSell } from './bodies.ts';
import { failure, startStage, type Stage, type StageClient } from './stage.ts';

let stage: Stage;
let client: StageClient;
/** 08:00 in New York. */
const MORNING = '2026-06-15T12:00:00Z';
beforeAll(async () => {
  stage = await startStage(MORNING);
  client = stage.client(1);
});
afterAll(() => stage.close());

/** Any query at all, as another program could send it. */
const raw = (path: string, query: Record<string, string | number> = {}) =>
  client.call('GET', `/api/v1${path}`, { query });
const told = async (work: Promise<unknown>) => (await failure(work)).message.replace(/ \(code.*/, '');

describe('the session of a market order', () => {
  const until = async (instant: string) => {
    if (Date.parse(instant) > stage.now()) await stage.wait(Date.parse(instant) - stage.now());
  };

  test.for([
    [MORNING, 'pre-market'],
    ['2026-06-15T20:00:00Z', 'after-hours'],
    ['2026-06-16T01:00:00Z', 'overnight'],
    ['2026-06-19T15:00:00Z', 'closed'],
    ['2026-06-20T15:00:00Z', 'closed'],
  ] as const)('refuses it at %s, and is named: %s', async ([instant, session]) => {
    await until(instant);
    for (const [name, body] of [
      ['orderSend', marketBuy(stage)],
      ['orderCalldata', marketSell(stage)],
      ['orderSend', { ...marketSell(stage), deferred: true }],
      ['orderWithDepositCalldata', { ...marketSell(stage), tokenAmount: '1' }],
    ] as const) {
      const error = await failure(ask(client, name, { body }));
      expect([error.name, error.details['refusal']]).toEqual([
        'VenueRefusedError',
        { kind: 'session', session },
      ]);
      expect(error.message).toContain(
        `market order is only supported during the regular trading session, current session: ${session}`,
      );
    }
    await ask(client, 'orderCalldata', { body: limitBuy(stage) });
  });

  test('accepts it while it is open', async () => {
    await until('2026-06-22T15:00:00Z');
    await ask(client, 'orderSend', { body: marketBuy(stage) });
  });
});

describe('the price history', () => {
  const bars = async (query: Record<string, string | number>) => {
    const { code, errMsg, data } = await raw('/prices/AAPL/history', {
      endTime: stage.deadline(0),
      ...query,
    });
    if (code !== 200) return errMsg;
    return data as { timestamp: number; close: number }[];
  };

  test.each(['1m', '3m', '5m', '15m', '1h', '1d', '1w'])(
    'in %s is ascending, 100 bars by default',
    async (interval) => {
      const found = (await bars({ interval })) as { timestamp: number }[];
      const times = found.map(({ timestamp }) => timestamp);
      expect(times).toHaveLength(100);
      expect(times).toEqual([...times].sort((one, other) => one - other));
      expect(times.at(-1)).toBeLessThanOrEqual(stage.deadline(0));
    },
  );

  test('has at most 5,000 bars, the newest of a longer range; the client asks for no more', async () => {
    const many = (await bars({ interval: '1m', limit: 9_999 })) as { timestamp: number }[];
    const few = (await bars({ interval: '1m', limit: 3 })) as { timestamp: number }[];
    expect(many).toHaveLength(5000);
    expect(many.slice(-3)).toEqual(few);
    const query = { endTime: stage.deadline(0), interval: '1m', limit: 5_001 } as const;
    expect(await told(client.history({ path: { symbol: 'AAPL' }, query }))).toMatch(
      /history: query: limit: Too big: expected number to be <=5000/,
    );
  });

  test('keeps to its range', async () => {
    const [first, , third] = (await bars({ interval: '1d', limit: 3 })) as { timestamp: number }[];
    const range = { startTime: first?.timestamp ?? 0, endTime: (third?.timestamp ?? 0) - 1 };
    expect(await bars({ interval: '1d', ...range })).toHaveLength(2);
  });

  test('needs an end and an interval, and knows its adjustments', async () => {
    expect((await raw('/prices/AAPL/history', { interval: '1d' })).errMsg).toBe('endTime is required');
    expect(await bars({})).toBe('interval must be one of 1m, 3m, 5m, 15m, 1h, 1d, 1w');
    expect(await bars({ interval: '2m' })).toContain('interval must be one of');
    expect(await bars({ interval: '1d', adjustment: 'none' })).toBe(
      'adjustment must be one of raw, split, dividend, spin-off, all',
    );
    expect(await bars({ interval: '1d', limit: 'ten' })).toBe('limit must be a whole number');
  });

  test('is adjusted for splits and dividends on request, and for all by default', async () => {
    const split = { type: 'forward_split', symbol: 'AAPL', oldRate: '1', newRate: '4' };
    await stage.control('corporate-action', split);
    await stage.wait(86_400_000);
    const first = async (adjustment?: string) => {
      const found = await bars({ interval: '1d', limit: 5, ...(adjustment ? { adjustment } : {}) });
      return (found as { close: number }[])[0]?.close ?? NaN;
    };
    const close = await first('raw');
    expect(await first('split')).toBeCloseTo(close / 4, 1);
    expect(await first('dividend')).toBeCloseTo(close, 6);
    expect(await first('spin-off')).toBeCloseTo(close, 6);
    expect(await first()).toBe(await first('all'));
    expect(await first('all')).toBeCloseTo(close / 4, 1);
  });
});

describe('a list', () => {
  const record = async (count: number) => {
    for (let index = 0; index < count; index++)
      await client.stockDepositRecordTx({ body: { txHash: `0x${String(index).padStart(64, '0')}` } });
  };
  const page = async (query: Record<string, string | number>) =>
    (await raw('/stock/deposits', query)).data as { total: number; rows: { txHash: string }[] };

  test('has pages of 10, of 100 at most, and ignores values below 1', async () => {
    await record(105);
    const size = async (query: Record<string, string | number>) => (await page(query)).rows.length;
    expect(await size({})).toBe(10);
    expect(await size({ limit: 0 })).toBe(10);
    expect(await size({ limit: -5 })).toBe(10);
    expect(await size({ limit: 7 })).toBe(7);
    expect(await size({ limit: 1_000 })).toBe(100);
    expect(await size({ limit: 100, page: 2 })).toBe(5);
    expect(await size({ limit: 100, page: 3 })).toBe(0);
    expect(await page({ page: 0 })).toEqual(await page({ page: 1 }));
    expect((await page({ page: 11 })).total).toBe(105);
    const all = [await page({ limit: 100 }), await page({ limit: 100, page: 2 })].flatMap(({ rows }) => rows);
    expect(new Set(all.map(({ txHash }) => txHash)).size).toBe(105);
    expect(all[0]?.txHash).toMatch(/104$/);
  });

  test('accepts only whole numbers; the client keeps to the limits', async () => {
    expect(await raw('/orders', { page: 'one' })).toMatchObject({
      code: 10_000,
      errMsg: 'page must be a whole number',
    });
    expect(await told(client.orders({ query: { limit: 101 } }))).toMatch(/orders: query: limit: Too big/);
    expect(await told(client.orders({ query: { page: 0 } }))).toMatch(/orders: query: page: Too small/);
  });
});

describe('a name in a path', () => {
  test('finds a symbol by stock, token and address in any case, and no unknown one', async () => {
    const { contractSymbol, contractAddress } = (await client.underlying({
      path: { symbol: 'AAPL' },
    })) as Record<'contractSymbol' | 'contractAddress', string>;
    for (const symbol of ['aapl', contractSymbol, contractAddress.toLowerCase()])
      expect((await client.prices({ path: { symbol } })).basicInfo.symbol).toBe('AAPL');
    expect((await raw('/prices/NOPE')).errMsg).toBe('symbol NOPE is not listed');
    expect(await told(client.prices({ path: { symbol: 'A/B' } }))).toMatch(/cannot be used in a path/);
  });

  test('finds a user in any case, and no unknown one', async () => {
    const { userAddress } = stage.account(1);
    const found = await client.user({ path: { userId: userAddress.toLowerCase() as `0x${string}` } });
    expect(found.userAddress).toBe(userAddress);
    const stranger = `0x${'8'.repeat(40)}` as const;
    for (const name of ['user', 'balance', 'positions'] as const)
      expect(await told(client[name]({ path: { userId: stranger } }))).toMatch(/: user not found$/);
    expect((await raw(`/users/${userAddress}/balance`, { spenderAddress: '0x1' })).errMsg).toBe(
      'spenderAddress must be an EVM address',
    );
  });

  test('that is not an endpoint is not found', async () => {
    expect(await client.call('GET', '/api/v1/orders/tx')).toMatchObject({ code: 10_000 });
    expect(await client.call('GET', '/api/v1/nothing')).toMatchObject({ code: 10_001 });
  });
});
