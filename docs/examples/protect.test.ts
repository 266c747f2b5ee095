import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Stage } from 'drover/testing';
import protect from './protect.ts';

const open = () => Stage.open(protect, { params: { symbol: 'AAPL' }, prices: { AAPL: 100 } });

void test('sells what it bought at a loss of five percent, also after a crash', async () => {
  const stage = await open();
  await stage.quote({ AAPL: 101 });
  await stage.settle();
  assert.equal(stage.fills.length, 1);

  await stage.restart();
  await stage.quote({ AAPL: 95 });
  await stage.settle();
  assert.deepEqual(
    stage.fills.map(({ side, price }) => [side, price]),
    [
      ['buy', 101],
      ['sell', 95],
    ],
  );
  assert.equal(stage.intents().length, 1);
});

void test('a refused purchase leaves nothing to sell', async () => {
  const stage = await open();
  stage.refuseNext();
  await stage.quote({ AAPL: 101 });
  await stage.settle();
  assert.deepEqual(stage.fills, []);
  assert.deepEqual(stage.view.orders(), []);
});
