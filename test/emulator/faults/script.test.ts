import { afterEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { epochMs, toIso } from '../../../src/core/brand.ts';
import { script } from '../../../src/emulator/machine/commands.ts';
import { Bench, CLOSE, START, stock } from '../harness.ts';
import { closeAll, Trader } from '../trader.ts';

afterEach(closeAll);

const at = (ms: number): string => toIso(epochMs(START + ms));
const CONFIG = { method: 'GET', path: '/api/v1/config' } as const;

function benchWith(steps: (bench: Bench) => readonly Record<string, unknown>[]): Bench {
  const bench = new Bench();
  bench.machine.script(script.parse({ steps: steps(bench) }), bench.now);
  return bench;
}

describe('a script', () => {
  test.each<[what: string, change: Record<string, unknown>]>([
    ['revokes', { active: false }],
    ['ends', { expiresAt: at(60_000) }],
    ['moves to another machine', { ipWhitelist: ['10.1.1.1'] }],
  ])('%s a key at an instant', (_what, change) => {
    const bench = benchWith((venue) => [
      { at: at(60_000), command: 'keys', body: { apiKey: venue.key().apiKey, ...change } },
    ]);
    bench.wait(59_999);
    expect(bench.ask(CONFIG).status).toBe(200);
    bench.wait(1);
    expect(bench.ask(CONFIG)).toMatchObject({ status: 400, body: { code: 401 } });
  });

  test('makes a key read-only', () => {
    const bench = benchWith((venue) => [
      { at: at(1_000), command: 'keys', body: { apiKey: venue.key().apiKey, access: 'READ_ONLY' } },
    ]);
    const key = bench.key();
    bench.wait(1_000);
    expect(bench.ask(CONFIG, key).status).toBe(200);
    expect(bench.send({ side: 'Buy', type: 'Market', notional: '10' }, key).body.code).toBe(401);
  });

  test.each(['disabled', 'paused-by-committee'])('sets delegation to %s', (status) => {
    const bench = benchWith((venue) => [
      { at: at(1_000), command: 'delegation', body: { userAddress: venue.account().userAddress, status } },
    ]);
    bench.wait(1_000);
    expect(bench.get('/1ct/status')).toMatchObject({ status });
    expect(bench.send({ side: 'Buy', type: 'Market', notional: '10' }).body.code).toBe(10_003);
  });

  test('stops the indexer for ten minutes', () => {
    const bench = benchWith(() => [
      { at: at(0), command: 'faults', body: { indexerLagMs: 86_400_000 } },
      { at: at(600_000), command: 'faults', body: {} },
    ]);
    bench.wait(0);
    bench.place({ side: 'Buy', type: 'Market', notional: '10' });
    const status = () => (bench.get('/orders') as { rows: { status: string }[] }).rows[0]?.status;
    bench.wait(599_000);
    expect(status()).toBe('Pending');
    bench.wait(1_000);
    expect(status()).toBe('Filled');
  });

  test('reports a step that could not be carried out, and continues', async () => {
    const trader = await Trader.start();
    const { address: userAddress } = trader;
    const steps = [
      { at: at(1_000), command: 'move', body: { userAddress, asset: 'mUSD', amount: '-1000000' } },
      { at: at(2_000), command: 'market', body: { symbol: 'AAPL', price: '50' } },
    ];
    await trader.control('/script', { steps });
    await trader.wait(3_000);
    const shown = await fetch(`${trader.emulator.info.controlUrl}/script`);
    expect(await shown.json()).toEqual([
      { ...steps[0], isDone: true, error: 'insufficient mUSD' },
      { ...steps[1], isDone: true, error: null },
    ]);
    expect(await trader.get('/underlying/AAPL/price')).toMatchObject({
      price: expect.closeTo(50, 0) as number,
    });
  });

  test('is refused as a whole when a step is wrong or past', () => {
    const bench = new Bench();
    const good = { at: at(5_000), command: 'quotes', body: { frozen: true } };
    const add = (step: Record<string, unknown>) =>
      bench.machine.script(script.parse({ steps: [good, step] }), bench.now);
    expect(() => add({ ...good, at: at(-1_000) })).toThrow('steps[1]: it is');
    expect(() => add({ ...good, command: 'market', body: { symbol: 'AAPL' } })).toThrow('steps[1] (market)');
    expect(() => add({ ...good, command: 'dance' })).toThrow(z.ZodError);
    expect(bench.machine.state.tasks).toEqual([]);
  });
});

describe('changed session hours', () => {
  const buy = { side: 'Buy', type: 'Market', notional: '10' };
  const limit = { side: 'Buy', type: 'Limit', quantity: '1', price: '10', timeInForce: 'DAY' };

  test('end a session under way, and expire its orders', () => {
    const bench = new Bench();
    const txHash = bench.place(limit);
    bench.wait(10_000);
    const before = bench.price();
    bench.command({ kind: 'session', body: { date: '2026-06-15', close: '13:00' } });
    expect(bench.price()).toBe(before);
    bench.wait(START + 3 * 3_600_000 + 60_000 - bench.now);
    expect(bench.send(buy).body.errMsg).toMatch(/regular trading session, current session: after-hours/);
    expect(bench.order(txHash).status).toBe('Expired');
  });

  test('close the venue for the rest of the day', () => {
    const bench = new Bench();
    const txHash = bench.place(limit);
    bench.wait(10_000);
    bench.command({ kind: 'session', body: { date: '2026-06-15', closed: true } });
    expect(bench.send(buy).body.errMsg).toContain('current session:');
    bench.wait(CLOSE + 60_000 - bench.now);
    expect(bench.order(txHash).status).toBe('New');
  });

  test('of a later day change its prices and bars', () => {
    const bench = new Bench();
    bench.command({ kind: 'session', body: { date: '2026-06-16', close: '13:00' } });
    bench.wait(CLOSE + 24 * 3_600_000 - bench.now);
    const endTime = Math.floor(bench.now / 1000);
    const bars = bench.get('/prices/AAPL/history', {
      endTime,
      interval: '1m',
      limit: 5000,
      startTime: endTime - 86_000,
    });
    expect(bars).toHaveLength(210);
  });

  test.each([
    [{ date: '2026-06-14', closed: true } as const, 'no session on 2026-06-14'],
    [{ date: '2026-06-12', closed: true } as const, 'is over'],
    [{ date: '2026-06-16', open: '03:00' }, 'cannot trade from 03:00'],
  ])('of %j are refused', (body, error) => {
    const bench = new Bench();
    expect(() => bench.command({ kind: 'session', body })).toThrow(error);
    expect(bench.machine.state.sessions).toEqual([]);
  });
});

test('frozen quotes and bars grow old while orders still fill', () => {
  const bench = new Bench();
  const quote = () => bench.get('/underlying/AAPL/price') as { price: number; lastUpdateTimestamp: number };
  const before = quote();
  bench.command({ kind: 'quotes', body: { symbol: 'aapl', frozen: true } });
  bench.wait(1_000);
  bench.command({ kind: 'market', body: { symbol: 'AAPL', price: '50' } });
  bench.wait(599_000);
  expect(quote()).toEqual(before);
  expect(
    bench.get('/prices/AAPL/history', { endTime: bench.now / 1000, interval: '1m', limit: 1 }),
  ).toMatchObject([{ timestamp: START / 1000 }]);
  const txHash = bench.place({ side: 'Buy', type: 'Market', notional: '100' });
  bench.wait(10_000);
  expect(Number(bench.order(txHash).settleReceive)).toBeCloseTo(2, 0);
  bench.command({ kind: 'quotes', body: { frozen: false } });
  expect(quote().lastUpdateTimestamp).toBe(bench.now / 1000);
});

describe('another actor', () => {
  const body = { stockAddress: stock('KO'), side: 'Buy', type: 'Market', notional: '77' };

  test('orders on the same key, and on another key of the same wallet', () => {
    const bench = new Bench();
    const other = bench.key(0, 'READ_ONLY');
    bench.command({ kind: 'order', body: { apiKey: bench.key().apiKey, body } });
    bench.command({ kind: 'order', body: { apiKey: other.apiKey, body: { ...body, notional: '33' } } });
    bench.wait(20_000);
    expect(bench.get('/orders')).toMatchObject({
      total: 1,
      rows: [{ historyOrder: { placeNotional: '77' } }],
    });
    expect(bench.get('/orders', {}, other)).toMatchObject({
      rows: [{ historyOrder: { placeNotional: '33' } }],
    });
    expect(Number(bench.cash().free)).toBeCloseTo(100_000 - 110 * 1.0011, 6);
  });

  test('is refused by the rules of the venue', () => {
    const bench = new Bench();
    const wrong = { apiKey: bench.key().apiKey, body: { ...body, notional: '0.5' } };
    expect(() => bench.command({ kind: 'order', body: wrong })).toThrow('notional must be at least 1');
    expect(() => bench.command({ kind: 'order', body: { apiKey: 'x', body } })).toThrow('no such key');
  });

  test.each([
    ['mUSD', 'exchange', '-5', '99995'],
    ['mUSD', 'locked', '5', '5'],
    ['mUSD', 'queued', '5', '5'],
    ['AAPL', 'wallet', '-20', '0'],
    ['AAPL', 'exchange', '1.5', '101.5'],
    ['AAPL', 'debt', '2', '2'],
    ['USDC', 'wallet', '-1', '49999'],
    ['USDC', 'queued', '7', '7'],
  ] as const)('moves %s in the bucket %s by %s', (...[asset, bucket, amount, after]) => {
    const bench = new Bench();
    const { userAddress } = bench.account();
    bench.command({ kind: 'move', body: { userAddress, asset, bucket, amount } });
    const { balances } = bench.machine.state;
    expect(balances[`${userAddress}/${bucket}/${asset}`]).toBe(BigInt(Number(after) * 1e6) * 10n ** 12n);
  });

  test.each(['locked', 'queued'] as const)('cannot take from what is %s', (bucket) => {
    const bench = new Bench();
    const { userAddress } = bench.account();
    const body = { userAddress, asset: 'mUSD', bucket, amount: '-0.1' };
    expect(() => bench.command({ kind: 'move', body })).toThrow('can only be added to');
  });
});
