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

test('a fall buys for half of the equity, in a bracket', async () => {
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

test('a price that falls on buys nothing more', async () => {
  const stage = await start();
  await stage.bars('5m', { AAPL: 99.5 });
  await stage.bars('5m', { AAPL: 99 });
  expect(sides(stage)).toEqual([bought]);
});

describe('what was bought is sold', () => {
  const leaves = async (stage: Awaited<ReturnType<typeof start>>, ...prices: number[]) => {
    for (const price of prices) await stage.quote({ AAPL: price });
    await stage.settle();
    await stage.settle();
    return sides(stage);
  };

  test('at the profit', async () => {
    expect(await leaves(await start(), 103, 104.5)).toEqual([bought, ['sell', 104.5]]);
  });

  test('at the stop, after a restart, too', async () => {
    const stage = await start();
    await stage.restart();
    expect(await leaves(stage, 98, 97)).toEqual([bought, ['sell', 97]]);
  });

  test('at a stop that follows the price', async () => {
    expect(await leaves(await start({ trailing: true }), 103, 99.8)).toEqual([bought, ['sell', 99.8]]);
  });

  test('after a time', async () => {
    const stage = await start({ exitAfterBars: 2 });
    await stage.bars('5m', { AAPL: 100.2 });
    expect(sides(stage)).toEqual([bought]);
    await stage.bars('5m', { AAPL: 100.3 });
    await stage.pass({ seconds: 30 });
    expect(sides(stage)).toEqual([bought, ['sell', 100.3]]);
  });
});

test('a refused purchase is not repeated while the RSI stays low, and is at the next fall', async () => {
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

test('its bars fill the RSI before it starts', () => {
  const params = meanReversion.params.parse({ symbol: 'AAPL' });
  expect(meanReversion.data(params)).toEqual({ bars: [{ symbol: 'AAPL', interval: '1d', warmUp: 15 }] });
});
