import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Stage } from 'drover/testing';
import strategy from './strategy.ts';

const symbol = 'SPY';

const open = () =>
  Stage.open(strategy, {
    params: { symbol, length: 3 },
    prices: { [symbol]: 100 },
    history: { '5m': { [symbol]: [100, 100, 100] } },
  });

void test('buys above the average, and sells below it', async () => {
  const stage = await open();
  await stage.bars('5m', { [symbol]: 104 });
  await stage.settle();
  await stage.bars('5m', { [symbol]: 90 });
  await stage.settle();
  assert.deepEqual(
    stage.fills.map(({ side, price }) => [side, price]),
    [
      ['buy', 104],
      ['sell', 90],
    ],
  );
});

void test('keeps what it holds over a crash, and does not buy it again', async () => {
  const stage = await open();
  await stage.bars('5m', { [symbol]: 104 });
  await stage.settle();
  await stage.restart();
  await stage.bars('5m', { [symbol]: 108 });
  await stage.settle();
  assert.equal(stage.fills.length, 1);
});
