import { describe, expect, test } from 'vitest';
import { actionOf, dividendRulesOf, type Announcement } from '../../src/domain/corporateAction.ts';
import { AAPL, Bench, buyFor, CLOSE, limit, MORNING, sellAll } from './venueBench.ts';

/** The next session: 06-16 from 13:30 UTC on. */
const OPEN = Date.parse('2026-06-16T13:30:00Z');
const DAY = 86_400_000;
const ALL = { from: '2026-06-01', to: '2026-06-30' };

const action = (type: string, terms: Partial<Announcement>) =>
  actionOf({ symbol: AAPL, type, exDate: '2026-06-16', ...terms });
const split = (oldRate: string, newRate: string, exDate = '2026-06-16') =>
  action(Number(newRate) > Number(oldRate) ? 'forward_split' : 'reverse_split', { oldRate, newRate, exDate });
const dividend = (cashPerShare: string, payableDate?: string) =>
  action('cash_dividend', { cashPerShare, ...(payableDate === undefined ? {} : { payableDate }) });

/** Holds 10 shares that cost 1001.1. */
async function holding(): Promise<Bench> {
  const bench = new Bench();
  await bench.place(buyFor('1000'));
  await bench.look('100');
  return bench;
}

async function announce(bench: Bench, ...actions: Bench['actions']): Promise<void> {
  bench.actions = actions;
  await bench.venue.corporateActions?.(ALL);
}

const until = (bench: Bench, at: number) => bench.clock.advanceBy(at - bench.clock.now());

describe('a split at the simulated venue', () => {
  test.each([
    ['1', '4', '40'],
    ['3', '1', '3.333333333333333333'],
  ])('of %s for %s changes holdings at the open of its ex-date, and not before', async (...rates) => {
    const [oldRate, newRate, after] = rates;
    const bench = await holding();
    await announce(bench, split(oldRate, newRate));
    await until(bench, OPEN - 1);
    expect(await bench.balances()).toEqual(['8998.9', '10']);
    await until(bench, OPEN);
    expect(await bench.balances()).toEqual(['8998.9', after]);
    await announce(bench, split(oldRate, newRate));
    expect(await bench.balances()).toEqual(['8998.9', after]);
  });

  test("cancels the stock's orders that wait for the open, and releases what they lock", async () => {
    const bench = await holding();
    await announce(bench, split('1', '4'));
    await until(bench, CLOSE + 1);
    const selling = await bench.place(limit('sell', '4', '150'));
    const buying = await bench.place(limit('buy', '4', '50'));
    await until(bench, OPEN);
    await bench.look('25');
    expect([await bench.statusOf(selling), await bench.statusOf(buying)]).toEqual(['cancelled', 'cancelled']);
    expect(await bench.balances()).toEqual(['8998.9', '40']);
  });

  test('is applied once by an account that continues, also if it was down at the open', async () => {
    const bench = await holding();
    const later = new Bench({ kept: bench.kept, start: OPEN + DAY });
    await announce(later, split('1', '4'));
    expect(await later.balances()).toEqual(['8998.9', '40']);
    const again = new Bench({ kept: bench.kept, start: OPEN + 2 * DAY });
    await announce(again, split('1', '4'));
    expect(await again.balances()).toEqual(['8998.9', '40']);
  });

  test('from before the account began, or withdrawn before its ex-date, changes nothing', async () => {
    const bench = await holding();
    await announce(bench, split('1', '4', '2026-06-15'));
    await until(bench, OPEN + 1);
    expect(await bench.balances()).toEqual(['8998.9', '10']);
    const other = await holding();
    await announce(other, split('1', '4'));
    await announce(other);
    await until(other, OPEN + 1);
    expect(await other.balances()).toEqual(['8998.9', '10']);
  });
});

describe('a dividend at the simulated venue', () => {
  test('pays for holdings at the open of its ex-date, on its payable date', async () => {
    const bench = await holding();
    await announce(bench, dividend('0.25', '2026-06-18'));
    await until(bench, OPEN);
    await bench.place(sellAll('10'));
    await bench.look('100');
    expect(await bench.balances()).toEqual(['9998.8', '0']);
    const restarted = new Bench({ kept: bench.kept, start: OPEN + 2 * DAY - 1 });
    expect(await restarted.balances()).toEqual(['9998.8', '0']);
    await until(restarted, OPEN + 2 * DAY);
    expect(await restarted.balances()).toEqual(['10001.3', '0']);
    await announce(restarted, dividend('0.25', '2026-06-18'));
    expect(await restarted.balances()).toEqual(['10001.3', '0']);
  });

  test('counts shares locked by a sell, and pays at once without a payable date', async () => {
    const bench = await holding();
    await announce(bench, dividend('0.25'));
    await until(bench, CLOSE + 1);
    await bench.place(limit('sell', '4', '150'));
    await until(bench, OPEN);
    expect(await bench.balances()).toEqual(['9001.4', '6']);
  });

  test('on the day of a split pays for the shares from before the split', async () => {
    const bench = await holding();
    await announce(bench, split('1', '4'), dividend('1'));
    await until(bench, OPEN);
    expect(await bench.balances()).toEqual(['9008.9', '40']);
  });
});

test('a simulated account stored before splits were simulated applies later splits', async () => {
  const bench = await holding();
  const account = JSON.parse(bench.kept.get('account') ?? '{}') as Record<string, unknown>;
  const { opening, free } = account;
  bench.kept.set('account', JSON.stringify({ opening, free }));
  const old = new Bench({ kept: bench.kept, start: MORNING + 3_600_000 });
  await announce(old, split('1', '4'));
  await until(old, OPEN);
  expect(await old.balances()).toEqual(['8998.9', '40']);
});

test('a dividend in tokens is paid at the first quote of its payable date, and one within the price never', async () => {
  for (const [way, after] of [
    ['tokens', '10.016'],
    ['price', '10'],
  ] as const) {
    const bench = new Bench({ dividends: dividendRulesOf({ dividends: way, withheldPercent: 20 }) });
    await bench.place(buyFor('1000'));
    await bench.look('100');
    await announce(bench, dividend('0.25', '2026-06-18'));
    await until(bench, OPEN + 2 * DAY);
    expect(await bench.balances()).toEqual(['8998.9', '10']);
    await bench.look('125');
    expect(await bench.balances()).toEqual(['8998.9', after]);
    await bench.look('125');
    expect(await bench.balances()).toEqual(['8998.9', after]);
  }
});

test('a dividend whose ex-date begins in the evening before is for what is held at 20:00', async () => {
  const EVENING = Date.parse('2026-06-16T00:00:00Z');
  const bench = new Bench({ dividends: { ...dividendRulesOf({}), begins: 'evening' } });
  await bench.place(buyFor('1000'));
  await bench.look('100');
  await announce(bench, dividend('0.25'));
  const dues = async (at: number) => {
    await until(bench, at);
    await bench.balances();
    return (JSON.parse(bench.kept.get('account') ?? '{}') as { due: unknown[] }).due.length;
  };
  expect([await dues(EVENING - 1), await dues(EVENING), await dues(OPEN)]).toEqual([0, 1, 0]);
  expect(await bench.balances()).toEqual(['9001.4', '10']);
});
