import { describe, expect, test } from 'vitest';
import { buy, limitBuy, run, sell, type Act } from './acts.ts';
import type { Row } from './bars.ts';

describe('the excursions of a trade', () => {
  test('leave out the high from which the price fell to its limit', async () => {
    const rows: Row[] = [100, [120, 120, 88, 91], [91, 92, 90, 91], 91];
    const [trade] = (await run(rows, { 0: limitBuy(90), 2: sell })).tradeList;
    expect(trade).toMatchObject({ entryPrice: 90, exitPrice: 91, bars: 2 });
    expect([trade?.mae, trade?.mfe]).toEqual([88 / 90 - 1, 92 / 90 - 1]);
  });

  test('leave out a bar whose close was bought, and include one whose close was sold', async () => {
    const rows: Row[] = [[100, 150, 50, 100], [100, 101, 99, 100], [100, 110, 95, 105], 105];
    const [trade] = (await run(rows, { 0: buy, 2: sell }, { fill: 'close' })).tradeList;
    expect(trade).toMatchObject({ entryPrice: 100, exitPrice: 105, bars: 2 });
    expect([trade?.mae, trade?.mfe]).toEqual([95 / 100 - 1, 110 / 100 - 1]);
  });

  test('refer to the average entry price at the time', async () => {
    const one: Act = ({ order }) => order.buy('X', { shares: 1 });
    const three: Act = ({ order }) => order.buy('X', { shares: 3 });
    const rows: Row[] = [100, [100, 150, 100, 140], 40, [40, 60, 35, 50], 50];
    const [trade] = (await run(rows, { 0: one, 1: three, 3: sell })).tradeList;
    expect(trade).toMatchObject({ entryPrice: 55, exitPrice: 50, bars: 3 });
    // 150 of one share bought at 100, and 40 just before three more were bought at 40. After that the average paid is 55, and 60 is the best.
    expect([trade?.mae, trade?.mfe]).toEqual([40 / 100 - 1, 150 / 100 - 1]);
    const [later] = (
      await run([100, 100, 150, 150, [150, 150, 110, 110], 110], { 0: one, 1: three, 4: sell })
    ).tradeList;
    // The average price is 137.5 from the second entry on.
    expect([later?.mae, later?.mfe]).toEqual([110 / 137.5 - 1, 0.5]);
  });
});

test('a trade begins with the first share filled, and ends with the last', async () => {
  const rows: Row[] = Array.from({ length: 10 }, () => [100, 100, 100, 100, 50]);
  const { tradeList } = await run(rows, { 0: buy, 4: sell }, { volumeCap: 0.1 });
  const [open, minute] = [Date.parse('2026-06-15T13:30:00Z'), 60_000];
  expect(tradeList).toMatchObject([{ entryAt: open + minute, exitAt: open + 6 * minute, bars: 5 }]);
});

test('a limit order under fill: close fills at an open beyond its limit', async () => {
  const { fills } = await run([100, [95, 96, 94, 95], 95], { 0: limitBuy(98) }, { fill: 'close' });
  expect(fills).toMatchObject([{ price: 95 }]);
});

test('a limit order under ambiguous: best fills at the open of its bar, not at its limit beyond the market', async () => {
  const rows: Row[] = [100, [101, 102, 100.5, 101], 101];
  const { fills } = await run(rows, { 0: limitBuy(110) }, { ambiguous: 'best', latencyMs: 1_000 });
  expect(fills).toMatchObject([{ price: 101 }]);
});

describe('cash', () => {
  const five: Act = ({ order }) => order.buy('X', { shares: 5 });
  const spent = async (...given: Parameters<typeof run>) => {
    const { marks, equity, orders, fills } = await run(...given);
    return { end: equity.end, mark: marks.at(-1)?.equity, orders, shares: fills.map(({ shares }) => shares) };
  };

  test('is not spent twice by two buys at an open above their quote', async () => {
    const both: Act = (context) => {
      five(context);
      five(context);
    };
    expect(await spent([100, 135, 135], { 0: both }, { cash: '1200' })).toMatchObject({
      end: '1200',
      mark: 1200,
      orders: { filled: 1, rejected: 1 },
      shares: [5],
    });
  });

  test('locked by another order is not spent before it is released', async () => {
    const acts: Readonly<Record<number, Act>> = {
      0: (context) => {
        five(context);
        limitBuy(105, 5)(context);
      },
      2: ({ order }) => order.buy('X', { notional: 975 }),
    };
    const rows: Row[] = [100, 110, ...Array.from({ length: 30 }, () => 90)];
    const { end, mark, orders } = await spent(rows, acts, { cash: '2000', settlementMs: 700_000 });
    expect({ end, mark, orders }).toMatchObject({
      end: '1900',
      mark: 1900,
      orders: { filled: 2, rejected: 1 },
    });
  });

  test('of an order filling in parts is not spent by later orders', async () => {
    const three: Act = ({ order }) => order.buy('X', { shares: 3 });
    const rows: Row[] = [100, 140, 140, 140, 140].map((price) => [price, price, price, price, 40]);
    const options = { cash: '1500', volumeCap: 0.1 };
    expect(await spent(rows, { 0: buy, 2: three }, options)).toMatchObject({
      end: '1500',
      mark: 1500,
      orders: { filled: 1, rejected: 1 },
      shares: [10],
    });
  });
});

describe('the volume of a bar', () => {
  const thin: Row[] = Array.from({ length: 6 }, () => [100, 100, 100, 100, 100]);

  test('moves the price by the shares that a bar can fill, not by the whole order', async () => {
    const many: Act = ({ order }) => order.buy('X', { shares: 40 });
    const result = await run(thin, { 0: many }, { slippage: 'volume:0.5', volumeCap: 0.1 });
    expect(result).toMatchObject({ slippage: '20', fills: [{ shares: 40, price: 100.5 }] });
  });

  test('moves the price by the shares bought, without the fees', async () => {
    const spend: Act = ({ order }) => order.buy('X', { notional: 1_000 });
    const { fills } = await run(thin, { 0: spend }, { slippage: 'volume:0.5', fees: 'bps:1000' });
    expect(fills[0]?.price).toBeCloseTo(100.5, 9);
  });

  test('is not used up by a rejected order', async () => {
    const both: Act = (context) => {
      buy(context);
      limitBuy(310, 2)(context);
    };
    const rows: Row[] = [100, [300, 300, 300, 300, 100], [300, 300, 300, 300, 10]];
    const { orders, open } = await run(rows, { 0: both }, { cash: '1700', volumeCap: 0.1 });
    expect(orders).toMatchObject({ rejected: 1, filled: 1 });
    expect(open).toEqual([{ symbol: 'X', quantity: '2' }]);
  });
});
