import { describe, expect, test } from 'vitest';
import meanReversion from '../../strategies/mean-reversion.ts';
import { Stage } from '../../src/testing/index.ts';

type Change = Partial<Record<'trailing', boolean> & Record<'exitAfterBars' | 'stopPercent', number>>;

/** Five-minute bars that go up and down, then fall: the RSI over two bars is below its threshold after the last. */
const start = async (change: Change = {}) => {
  const params = { symbol: 'AAPL', interval: '5m', length: 2, weight: 0.5, ...change } as const;
  const history = { '5m': { AAPL: [101, 103, 102.5] } };
  const stage = await Stage.open(meanReversion, { params, prices: { AAPL: 102.5 }, history });
  await stage.bars('5m', { AAPL: 100 });
  await stage.settle();
  return stage;
};
const sides = (stage: Stage<typeof meanReversion.params>) =>
  stage.fills.map(({ side, price }) => [side, price]);
const bought = ['buy', 100];

test('mean-reversion buys for half of the equity in a bracket after a fall', async () => {
  const stage = await start();
  expect(stage.intents()).toEqual([
    [
      'bracket',
      'AAPL',
      {
        entry: { notional: 5000 },
        takeProfit: { percent: 4 },
        stopLoss: { percent: 3 },
        exitAfter: { bars: 10, interval: '5m' },
        tag: 'oversold',
      },
    ],
  ]);
  expect(sides(stage)).toEqual([bought]);
});

test('mean-reversion buys nothing more while the price falls on', async () => {
  const stage = await start();
  await stage.bars('5m', { AAPL: 99.5 });
  await stage.bars('5m', { AAPL: 99 });
  expect(sides(stage)).toEqual([bought]);
});

describe('mean-reversion sells', () => {
  const leaves = async (stage: Awaited<ReturnType<typeof start>>, ...prices: number[]) => {
    for (const price of prices) await stage.quote({ AAPL: price });
    await stage.settle();
    await stage.settle();
    return sides(stage);
  };

  test('at the take-profit', async () => {
    expect(await leaves(await start(), 103, 104.5)).toEqual([bought, ['sell', 104.5]]);
  });

  test('at the stop, also after a restart', async () => {
    const stage = await start();
    await stage.restart();
    expect(await leaves(stage, 98, 97)).toEqual([bought, ['sell', 97]]);
  });

  test('at a trailing stop', async () => {
    expect(await leaves(await start({ trailing: true }), 103, 99.8)).toEqual([bought, ['sell', 99.8]]);
  });

  test('after exitAfterBars', async () => {
    const stage = await start({ exitAfterBars: 2 });
    await stage.bars('5m', { AAPL: 100.2 });
    expect(sides(stage)).toEqual([bought]);
    await stage.bars('5m', { AAPL: 100.3 });
    await stage.pass({ seconds: 30 });
    expect(sides(stage)).toEqual([bought, ['sell', 100.3]]);
  });
});

test('mean-reversion does not repeat a refused buy while the RSI stays low, and buys at the next fall', async () => {
  const params = { symbol: 'AAPL', interval: '5m', length: 2 } as const;
  const history = { '5m': { AAPL: [101, 103, 102.5] } };
  const stage = await Stage.open(meanReversion, { params, prices: { AAPL: 102.5 }, history });
  stage.refuseNext();
  for (const price of [100, 99]) await stage.bars('5m', { AAPL: price });
  expect([stage.intents().length, stage.fills]).toEqual([1, []]);
  for (const price of [105, 104, 103, 102]) await stage.bars('5m', { AAPL: price });
  await stage.settle();
  expect(sides(stage)).toEqual([['buy', 102]]);
});

test('mean-reversion has a warm-up that fills its RSI', () => {
  const params = meanReversion.params.parse({ symbol: 'AAPL' });
  expect(meanReversion.data(params)).toEqual({ bars: [{ symbol: 'AAPL', interval: '1d', warmUp: 15 }] });
});
