import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseDecimal } from '../../../src/core/amount.ts';
import { openMachine } from '../../../src/emulator/index.ts';
import { epochMs } from '../../../src/core/brand.ts';
import { InvalidValueError } from '../../../src/core/errors.ts';
import type { Command } from '../../../src/emulator/machine/commands.ts';
import { Bench, CLOSE, stock } from '../harness.ts';
import { runs } from '../../runs.ts';

type Action = Extract<Command, { kind: 'corporate-action' }>['body'];
const EX_DATE = '2026-06-16';
const EX_OPEN = epochMs(Date.parse('2026-06-16T13:30:00Z'));
const FORWARD: Action = { type: 'forward_split', symbol: 'AAPL', oldRate: '1', newRate: '4' };
const REVERSE: Action = { type: 'reverse_split', symbol: 'AAPL', oldRate: '3', newRate: '1' };
const DIVIDEND: Action = { type: 'cash_dividend', symbol: 'AAPL', cashPerShare: '1.25' };

/** A venue at the close, with an action at the next open. */
function announced(body: Action, start = CLOSE): Bench {
  const venue = new Bench({ start, indexerLagMs: 0 });
  venue.command({ kind: 'corporate-action', body });
  return venue;
}
const until = (venue: Bench, at: number) => venue.wait(at - venue.now);
const sumOf = (venue: Bench, asset: string) =>
  Object.entries(venue.machine.state.balances)
    .filter(([place]) => place.endsWith(`/${asset}`))
    .reduce((sum, [, amount]) => sum + amount, 0n);
type KLine = { open: number; close: number; timestamp: number };
const dayBars = (venue: Bench, adjustment: string) =>
  venue.get('/prices/AAPL/history', {
    endTime: Math.floor(venue.now / 1000),
    interval: '1d',
    limit: 2,
    adjustment,
  }) as KLine[];

test.each([FORWARD, DIVIDEND])('a corporate action accepts its symbol in any case: $type', (body) => {
  const venue = announced({ ...body, symbol: 'aapl' });
  const list = venue.get('/corporate-action') as { symbol: string }[];
  expect(list.map(({ symbol }) => symbol)).toEqual(['AAPL']);
});

describe('a split', () => {
  test.each([
    ['forward', FORWARD, 1 / 4, { exchange: '400', wallet: '80' }],
    ['reverse', REVERSE, 3, { exchange: '33.333333333333333333', wallet: '6.666666666666666666' }],
  ])('(%s) changes price and holdings at the open of its ex-date', (...[, body, factor, after]) => {
    const plain = new Bench({ start: CLOSE });
    const venue = announced(body);
    until(venue, EX_OPEN - 1);
    until(plain, EX_OPEN - 1);
    expect(venue.price()).toBe(plain.price());
    expect(venue.stock('AAPL')).toMatchObject({ exchange: '100', wallet: '20' });
    until(venue, EX_OPEN);
    until(plain, EX_OPEN);
    expect(venue.price()).toBeCloseTo(plain.price() * factor, 1);
    expect(venue.stock('AAPL')).toMatchObject(after);
    expect(venue.stock('AAPL', 3)).toMatchObject(after);
    expect(venue.stock('MSFT')).toMatchObject({ exchange: '40' });
    expect(venue.cash()).toEqual({ free: '100000', locked: '0' });
    expect(sumOf(venue, 'AAPL')).toBe(0n);
    until(venue, EX_OPEN + 60_000);
    until(plain, EX_OPEN + 60_000);
    expect(venue.price()).toBeCloseTo(plain.price() * factor, 1);
  });

  test('leaves raw bars unchanged, and adjusts bars on request', () => {
    const venue = announced(FORWARD);
    until(venue, EX_OPEN + 3_600_000);
    const [raw, rawToday] = dayBars(venue, 'raw');
    const [all, today] = dayBars(venue, 'all');
    expect(all?.close).toBeCloseTo((raw?.close ?? 0) / 4, 1);
    expect(today).toEqual(rawToday);
    expect(today?.close).toBe(venue.price());
    expect(dayBars(venue, 'split')).toEqual([all, today]);
    expect(dayBars(venue, 'dividend')).toEqual([raw, today]);
    const { change24HPercent } = venue.get('/underlying/AAPL/price') as { change24HPercent: number };
    expect(Math.abs(change24HPercent)).toBeLessThan(15);
  });

  test('keeps holdings and debts in proportion, and rounds against the user', () => {
    const rate = fc.integer({ min: 1, max: 50 });
    fc.assert(
      fc.property(rate, rate, (oldRate, newRate) => {
        fc.pre(oldRate !== newRate);
        const venue = new Bench({ start: epochMs(CLOSE - 60_000), indexerLagMs: 0 });
        venue.place({ side: 'Sell', type: 'Market', quantity: '7.123', deferred: true }, venue.key(1));
        venue.place({ side: 'Buy', type: 'Market', notional: '333.33' }, venue.key(1));
        until(venue, CLOSE);
        const before = venue.stock('AAPL', 1);
        const type = newRate > oldRate ? 'forward_split' : 'reverse_split';
        const rates = { oldRate: String(oldRate), newRate: String(newRate) };
        venue.command({ kind: 'corporate-action', body: { type, symbol: 'AAPL', ...rates } });
        until(venue, EX_OPEN);
        const after = venue.stock('AAPL', 1);
        const exact = (text: string) => parseDecimal(text) * BigInt(newRate);
        for (const bucket of ['exchange', 'wallet'] as const) {
          const short = exact(before[bucket]) - parseDecimal(after[bucket]) * BigInt(oldRate);
          expect(short >= 0n && short < BigInt(oldRate)).toBe(true);
        }
        const over = parseDecimal(after.debt) * BigInt(oldRate) - exact(before.debt);
        expect(over >= 0n && over < BigInt(oldRate)).toBe(true);
        expect(sumOf(venue, 'AAPL')).toBe(0n);
      }),
      { numRuns: runs(25) },
    );
  });

  test('cancels open orders and releases their locks before shares change', () => {
    const venue = announced(FORWARD, epochMs(CLOSE - 60_000));
    const limit = { type: 'Limit', timeInForce: 'DAY' };
    const day = venue.place({ ...limit, side: 'Sell', quantity: '10', price: '9000.00' });
    until(venue, CLOSE + 3_600_000);
    expect(venue.order(day).status).toBe('Expired');
    const sell = venue.place({ ...limit, side: 'Sell', quantity: '60', price: '9000.00' });
    const buy = venue.place({ ...limit, side: 'Buy', quantity: '10', price: '1.00' });
    const other = venue.place({
      ...limit,
      side: 'Buy',
      quantity: '10',
      price: '1.00',
      stockAddress: stock('KO'),
    });
    until(venue, EX_OPEN - 1);
    expect(venue.stock('AAPL')).toMatchObject({ exchange: '40', locked: '60' });
    until(venue, EX_OPEN);
    expect([sell, buy].map((txHash) => venue.order(txHash).status)).toEqual(['Canceled', 'Canceled']);
    expect(venue.order(other).status).toBe('New');
    expect(venue.stock('AAPL')).toMatchObject({ exchange: '400', locked: '0' });
    until(venue, EX_OPEN + 60_000);
    expect(venue.get(`/orders/tx/${sell}`)).toMatchObject({
      historyOrder: { status: 'Canceled', settlePay: '0', settleReceive: '0' },
    });
    until(venue, EX_OPEN + 24 * 3_600_000);
    expect(venue.cash()).toEqual({ free: '100000', locked: '0' });
  });

  test('settles an order under way once, with the shares from before', () => {
    const venue = announced(FORWARD);
    until(venue, EX_OPEN - 10_000);
    const limit = { side: 'Sell', type: 'Limit', quantity: '60', price: '9000.00', timeInForce: 'DAY' };
    const txHash = venue.place(limit);
    until(venue, EX_OPEN - 3_500);
    expect(venue.cancel(venue.order(txHash).orderId).body.code).toBe(200);
    until(venue, EX_OPEN + 60_000);
    expect(venue.order(txHash).status).toBe('Canceled');
    expect(venue.stock('AAPL')).toMatchObject({ exchange: '400', locked: '0' });
  });
});

describe('a dividend', () => {
  test('is paid for shares held less shares owed, and leaves the price unchanged', () => {
    const plain = new Bench({ start: CLOSE });
    const venue = announced(DIVIDEND, epochMs(CLOSE - 60_000));
    venue.place({ side: 'Sell', type: 'Market', quantity: '30', deferred: true }, venue.key(1));
    until(venue, EX_OPEN - 1);
    const [first, partner] = [venue.cash(0).free, venue.cash(1).free].map(Number);
    until(venue, EX_OPEN);
    until(plain, EX_OPEN);
    expect(Number(venue.cash(0).free) - (first ?? 0)).toBeCloseTo(120 * 1.25, 8);
    expect(Number(venue.cash(1).free) - (partner ?? 0)).toBeCloseTo(90 * 1.25, 8);
    expect(venue.price()).toBeCloseTo(plain.price() - 1.25, 1);
    expect(venue.stock('AAPL')).toMatchObject({ exchange: '100', wallet: '20' });
    expect(sumOf(venue, 'mUSD')).toBe(0n);
    const [raw] = dayBars(venue, 'raw');
    const [all] = dayBars(venue, 'all');
    expect(all?.close).toBeLessThan(raw?.close ?? 0);
    expect(dayBars(venue, 'split')[0]).toEqual(raw);
  });
});

describe('/corporate-action', () => {
  const venue = announced(FORWARD);
  venue.command({ kind: 'corporate-action', body: { ...DIVIDEND, symbol: 'KO', exDate: '2026-06-22' } });
  const list = (query = {}) => venue.get('/corporate-action', query) as { symbol: string }[];

  test('lists what was announced, before it happens', () => {
    const dates = (day: string) => ({ exDate: day, recordDate: day, payableDate: day });
    expect(list()).toEqual([
      {
        symbol: 'AAPL',
        type: 'forward_split',
        ...dates(EX_DATE),
        oldRate: '1',
        newRate: '4',
        cashPerShare: null,
      },
      {
        symbol: 'KO',
        type: 'cash_dividend',
        ...dates('2026-06-22'),
        oldRate: null,
        newRate: null,
        cashPerShare: '1.25',
      },
    ]);
  });

  test.each([
    [{ symbols: 'KO' }, ['KO']],
    [{ symbols: 'aapl,KO' }, ['AAPL', 'KO']],
    [{ symbols: 'SPY' }, []],
    [{ start: '2026-06-17' }, ['KO']],
    [{ end: EX_DATE }, ['AAPL']],
    [{ start: EX_DATE, end: '2026-06-22' }, ['AAPL', 'KO']],
  ])('filters by %j', (query, symbols) => {
    expect(list(query).map(({ symbol }) => symbol)).toEqual(symbols);
  });

  test('refuses an invalid date', () => {
    for (const start of ['today', '2026-13-45', '2026-02-29'])
      expect(venue.ask({ method: 'GET', path: '/api/v1/corporate-action', query: { start } }).body.code).toBe(
        10_000,
      );
    const answer = venue.ask({ method: 'GET', path: '/api/v1/corporate-action', query: { start: 'today' } });
    expect(answer.body).toMatchObject({ code: 10_000, errMsg: 'start must be a date such as 2026-06-15' });
  });

  test.each<[string, Action]>([
    ['a stock that is not listed', { ...FORWARD, symbol: 'NOPE' }],
    ['a day without a session', { ...FORWARD, exDate: '2026-06-20' }],
    ['a day that has opened', { ...FORWARD, exDate: '2026-06-15' }],
    ['a forward split backwards', { ...FORWARD, newRate: '0.5' }],
    ['a reverse split forwards', { ...REVERSE, newRate: '4' }],
    ['a split into nothing', { ...REVERSE, newRate: '0' }],
    ['a dividend of nothing', { ...DIVIDEND, cashPerShare: '0' }],
    ['a dividend of more than the price', { ...DIVIDEND, cashPerShare: '100000' }],
  ])('cannot announce %s', (_name, body) => {
    expect(() => venue.command({ kind: 'corporate-action', body })).toThrow(InvalidValueError);
    expect(list()).toHaveLength(2);
  });
});

test('a spin-off pays its value in cash, lowers the price by it, and adjusts bars on request', () => {
  const plain = new Bench({ start: CLOSE });
  const venue = announced({ type: 'spin_off', symbol: 'AAPL', cashPerShare: '20' });
  expect(venue.get('/corporate-action')).toMatchObject([
    { type: 'spin_off', cashPerShare: '20', oldRate: null },
  ]);
  until(venue, EX_OPEN);
  until(plain, EX_OPEN);
  expect(venue.price()).toBeCloseTo(plain.price() - 20, 1);
  expect(venue.cash().free).toBe('102400');
  expect(venue.stock('AAPL')).toMatchObject({ exchange: '100', wallet: '20' });
  until(venue, EX_OPEN + 3_600_000);
  const close = (adjustment: string) => dayBars(venue, adjustment)[0]?.close ?? 0;
  expect(close('spin-off')).toBeLessThan(close('raw') - 15);
  expect(close('all')).toBe(close('spin-off'));
  expect([close('dividend'), close('split')]).toEqual([close('raw'), close('raw')]);
});

describe('a dividend that does not come as cash', () => {
  const paying = (dividends: object): Bench => {
    const venue = announced(DIVIDEND);
    venue.command({ kind: 'constants', body: { dividends } });
    until(venue, EX_OPEN - 1);
    return venue;
  };

  test('comes in tokens as a balance that grows everywhere by what the net amount buys', () => {
    const venue = paying({ pays: 'tokens', withheldBps: 2_000 });
    const before = venue.price();
    until(venue, EX_OPEN);
    expect(venue.cash()).toEqual({ free: '100000', locked: '0' });
    expect(venue.price()).toBeCloseTo(before - 1.25, 1);
    const { exchange, wallet } = venue.stock('AAPL');
    const grown = (Number(exchange) - 100) / 100;
    expect(grown * venue.price()).toBeCloseTo(1, 2);
    expect((Number(wallet) - 20) / 20).toBeCloseTo(grown, 12);
    expect(sumOf(venue, 'AAPL')).toBe(0n);
    expect(dayBars(venue, 'dividend')[0]?.close).toBeLessThan(dayBars(venue, 'raw')[0]?.close ?? 0);
  });

  test('stays within the price, of one stock or of all', () => {
    const plain = new Bench({ start: CLOSE });
    until(plain, EX_OPEN);
    for (const dividends of [{ pays: 'price' }, { pays: 'tokens', stocks: { AAPL: 'price' } }]) {
      const venue = paying(dividends);
      until(venue, EX_OPEN);
      expect([venue.price(), venue.stock('AAPL').exchange]).toEqual([plain.price(), '100']);
      expect(venue.cash()).toEqual({ free: '100000', locked: '0' });
    }
  });

  test('is set by an option at the start, and must match the state in its directory', () => {
    const stateDir = mkdtempSync(join(tmpdir(), 'drover-'));
    const { machine, close } = openMachine({ dividends: 'tokens', stateDir });
    expect(machine.state.constants.dividends).toEqual({ pays: 'tokens' });
    close();
    expect(() => openMachine({ dividends: 'price', stateDir })).toThrow(
      'was begun with dividends in tokens, not price',
    );
  });

  test('is also net of withheld tax in cash', () => {
    const venue = paying({ withheldBps: 3_000 });
    until(venue, EX_OPEN);
    expect(venue.cash().free).toBe('100105');
  });
});

test('a dividend changes price and cash at 20:00 of the evening before if the constant says so', () => {
  const EVENING = epochMs(Date.parse('2026-06-16T00:00:00Z'));
  const venue = new Bench({ start: CLOSE, indexerLagMs: 0 });
  venue.command({ kind: 'constants', body: { dividends: { begins: 'evening' } } });
  venue.command({ kind: 'corporate-action', body: DIVIDEND });
  venue.command({ kind: 'corporate-action', body: { ...FORWARD, symbol: 'MSFT' } });
  until(venue, EVENING - 1);
  expect(venue.cash().free).toBe('100000');
  until(venue, EVENING);
  expect(venue.cash().free).toBe('100150');
  expect(venue.stock('MSFT')).toMatchObject({ exchange: '40' });
  until(venue, EX_OPEN);
  expect(venue.stock('MSFT')).toMatchObject({ exchange: '160' });
  expect(() => venue.command({ kind: 'corporate-action', body: { ...DIVIDEND, exDate: EX_DATE } })).toThrow();
});
