import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Stage } from 'drover/testing';
import strategy from './strategy.ts';

const open = () =>
  Stage.open(strategy, {
    params: { symbol: 'SPY', length: 3 },
    prices: { SPY: 100 },
    history: { '5m': { SPY: [100, 100, 100] } },
  });

void test('buys above the average, and sells below it', async () => {
  const stage = await open();
  await stage.bars('5m', { SPY: 104 });
  await stage.settle();
  await stage.bars('5m', { SPY: 90 });
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
  await stage.bars('5m', { SPY: 104 });
  await stage.settle();
  await stage.restart();
  await stage.bars('5m', { SPY: 108 });
  await stage.settle();
  assert.equal(stage.fills.length, 1);
});
