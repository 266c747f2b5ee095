import { describe, expect, test } from 'vitest';
import { formatDecimal, parseCash, parsePrice, parseShares } from '../../src/core/amount.ts';
import type { SendGate } from '../../src/domain/venue.ts';
import type { QuoteSlippage } from '../../src/sim/simulatedVenue.ts';
import { Bench, buyFor, CLOSE, limit, SECOND, sellAll } from './venueBench.ts';

describe('a market order at the simulated venue', () => {
  test("fills at the first quote requested after it, with the venue's fees", async () => {
    const bench = new Bench();
    await bench.look('90');
    const txHash = await bench.place(buyFor('1000'));
    await bench.venue.listings();
    expect(await bench.statusOf(txHash)).toBe('open');
    expect(await bench.balances()).toEqual(['8998.9', '0']);

    await bench.look('100');
    expect(await bench.row(txHash)).toMatchObject({
      status: 'filled',
      locked: null,
      orderId: txHash,
      settlement: { price: parsePrice('100'), pay: parseCash('1001.1'), receive: parseShares('10') },
    });
    expect(await bench.balances()).toEqual(['8998.9', '10']);

    await bench.place(sellAll('4'));
    expect(await bench.balances()).toEqual(['8998.9', '6']);
    await bench.look('200');
    expect(await bench.balances()).toEqual(['9798.82', '6']);
  });

  test.each<[QuoteSlippage, bought: string, sold: string]>([
    [{ kind: 'bps', bps: 50 }, '100.5', '99.5'],
    [{ kind: 'bps', bps: 3.3 }, '100.04', '99.96'],
    [{ kind: 'spread', halfBps: 0.5 }, '100.01', '99.99'],
  ])('pays the slippage %o against the quote, rounded to the tick', async (slippage, bought, sold) => {
    const bench = new Bench({ slippage });
    const buy = await bench.place(buyFor('1000'));
    await bench.look();
    expect(formatDecimal((await bench.row(buy)).settlement?.price ?? 0n)).toBe(bought);
    const sell = await bench.place(sellAll('1'));
    await bench.look();
    expect(formatDecimal((await bench.row(sell)).settlement?.price ?? 0n)).toBe(sold);
  });

  test('is refused outside the regular session', async () => {
    const bench = new Bench({ start: CLOSE });
    expect(await bench.venue.place(buyFor('1000'), bench.gate)).toMatchObject({ kind: 'refused' });
    expect((await bench.venue.orders({ page: 1, limit: 10 })).total).toBe(0);
  });

  test('does not fill at a quote from before the open', async () => {
    const bench = new Bench();
    bench.quotedAt = Date.parse('2026-06-12T19:59:59Z');
    const txHash = await bench.place(buyFor('1000'));
    await bench.look();
    expect(await bench.statusOf(txHash)).toBe('open');
    bench.quotedAt = null;
    await bench.look();
    expect(await bench.statusOf(txHash)).toBe('filled');
  });
});

describe('a limit order of the night at the simulated venue', () => {
  const NIGHT = Date.parse('2026-06-16T01:00:00Z');

  test('fills at a quote of its phase, if nights are traded', async () => {
    const bench = new Bench({ start: NIGHT, dayEnds: 'phase' });
    bench.quotedAt = NIGHT - 2 * 3_600_000;
    const txHash = await bench.place(limit('buy', '1', '100'));
    await bench.look();
    expect(await bench.statusOf(txHash)).toBe('open');
    bench.quotedAt = null;
    await bench.look();
    expect(await bench.statusOf(txHash)).toBe('filled');
  });

  test('rests for the session without them', async () => {
    const bench = new Bench({ start: NIGHT });
    const txHash = await bench.place(limit('buy', '1', '100'));
    await bench.look();
    expect(await bench.statusOf(txHash)).toBe('open');
  });

  test.each([
    ['phase', 7],
    ['nextClose', 19],
    ['tradingDay', 23],
  ] as const)('ends by %s after %i hours', async (dayEnds, hours) => {
    const bench = new Bench({ start: NIGHT, dayEnds });
    const txHash = await bench.place(limit('buy', '1', '50'));
    await bench.clock.advanceBy(hours * 3_600_000 - 1);
    expect(await bench.statusOf(txHash)).toBe('open');
    await bench.clock.advanceBy(1);
    expect(await bench.statusOf(txHash)).toBe('expired');
  });
});

describe('a limit order at the simulated venue', () => {
  test.each([
    ['buy', '100.01', 'open', null],
    ['buy', '100', 'filled', '100'],
    ['buy', '99', 'filled', '99.5'],
    ['sell', '99.99', 'open', null],
    ['sell', '100', 'filled', '100'],
    ['sell', '101', 'filled', '100.49'],
  ] as const)('to %s at 100 meets a quote of %s: %s', async (...[side, quote, status, price]) => {
    const bench = new Bench({ slippage: { kind: 'bps', bps: 50 } });
    await bench.place(buyFor('2000'));
    await bench.look();
    const txHash = await bench.place(limit(side, '5', '100'));
    await bench.look(quote);
    const row = await bench.row(txHash);
    expect([row.status, row.settlement && formatDecimal(row.settlement.price)]).toEqual([status, price]);
  });

  test('locks its most expensive fill, and pays only for its actual one', async () => {
    const bench = new Bench();
    const txHash = await bench.place(limit('buy', '10', '100'));
    expect((await bench.row(txHash)).locked).toBe(parseCash('1001.1'));
    expect(await bench.balances()).toEqual(['8998.9', '0']);
    await bench.look('90');
    expect(await bench.balances()).toEqual(['9099.01', '10']);
  });

  test('expires at the close, whatever the price is then', async () => {
    const bench = new Bench({ start: CLOSE - SECOND });
    const txHash = await bench.place(limit('buy', '10', '90'));
    await bench.look('80');
    expect(await bench.statusOf(txHash)).toBe('expired');
    expect(await bench.balances()).toEqual(['10000', '0']);
  });

  test('placed after the close is valid in the next session', async () => {
    const bench = new Bench({ start: CLOSE });
    const txHash = await bench.place(limit('buy', '10', '90'));
    await bench.look('80');
    expect(await bench.statusOf(txHash)).toBe('open');
    await bench.clock.advanceBy(18 * 3_600_000);
    await bench.look('80');
    expect(await bench.statusOf(txHash)).toBe('filled');
  });

  test('is cancelled once, while it is open', async () => {
    const bench = new Bench();
    const txHash = await bench.place(limit('buy', '10', '90'));
    expect(await bench.venue.cancel(txHash, bench.gate)).toMatchObject({ kind: 'accepted' });
    expect(await bench.statusOf(txHash)).toBe('cancelled');
    expect(await bench.balances()).toEqual(['10000', '0']);
    expect(await bench.venue.cancel(txHash, bench.gate)).toMatchObject({ kind: 'refused' });
    await bench.look('80');
    expect(await bench.statusOf(txHash)).toBe('cancelled');
  });
});

test('a simulated order that the account cannot pay reverts and locks nothing', async () => {
  const bench = new Bench();
  for (const [terms, cause] of [
    [buyFor('9990'), 'too little mUSD'],
    [sellAll('1'), 'too little AAPL'],
  ] as const) {
    const txHash = await bench.place(terms);
    expect(await bench.row(txHash)).toMatchObject({ status: 'reverted', cause });
  }
  await bench.look();
  expect(await bench.balances()).toEqual(['10000', '0']);
});

test('the simulated venue places nothing that the gate stops, and commits the hash before placing', async () => {
  const bench = new Bench();
  bench.stop = 'halted';
  expect(await bench.venue.place(buyFor('10'), bench.gate)).toEqual({ kind: 'stopped', reason: 'halted' });
  expect([bench.committed, (await bench.venue.orders({ page: 1, limit: 10 })).total]).toEqual([[], 0]);
  bench.stop = null;
  const txHash = await bench.place(buyFor('10'));
  expect(bench.committed).toMatchObject([{ txHash }]);
  expect(await bench.venue.absence?.(txHash)).toBeNull();
  expect(await bench.venue.absence?.('0xelse')).toEqual({ at: bench.clock.now(), isReplaced: false });
});

test('the simulated venue places no order whose commit fails', async () => {
  const bench = new Bench();
  const gate: SendGate = {
    ...bench.gate,
    commit: () => {
      throw new Error('the disk is full');
    },
  };
  await expect(bench.venue.place(buyFor('10'), gate)).rejects.toThrow('the disk is full');
  expect((await bench.venue.orders({ page: 1, limit: 10 })).total).toBe(0);
});

test('the simulated venue lists orders newest first, in pages', async () => {
  const bench = new Bench();
  const placed: string[] = [];
  for (const price of ['91', '92', '93']) placed.unshift(await bench.place(limit('buy', '1', price)));
  const pages = [1, 2, 3].map((page) => bench.venue.orders({ page, limit: 2 }));
  const shown = (await Promise.all(pages)).map(({ total, rows }) => [
    total,
    rows.map(({ txHash }) => txHash),
  ]);
  expect(shown).toEqual([
    [3, placed.slice(0, 2)],
    [3, placed.slice(2)],
    [3, []],
  ]);
});

test('a simulated account opened with another amount of cash is refused', () => {
  const { kept } = new Bench();
  expect(() => new Bench({ kept, opening: parseCash('20000') })).toThrow(
    'dryRun.cash is 20000, and the account of this state folder was opened with 10000',
  );
});
