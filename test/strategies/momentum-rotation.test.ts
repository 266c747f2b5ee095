import { describe, expect, test } from 'vitest';
import rotation from '../../strategies/momentum-rotation.ts';
import { Stage } from '../../src/testing/index.ts';

const symbols = ['AAA', 'BBB', 'CCC', 'DDD'];
const prices = { AAA: 110, BBB: 130, CCC: 90, DDD: 120 };
/** Prices at the start of the two sessions looked at: all began at 100. */
const history = {
  '1d': Object.fromEntries(Object.entries(prices).map(([name, last]) => [name, [100, 100, last]])),
};
const params = { symbols, top: 2, days: 2, weight: 0.9, drawdownPercent: 10 };

const start = async (from = '2026-06-30T09:40', change: Partial<typeof params> = {}) => {
  const stage = await Stage.open(rotation, {
    params: { ...params, ...change },
    prices,
    history,
    start: from,
  });
  await stage.to('open+15m');
  await stage.settle();
  await stage.settle();
  return stage;
};
const held = (stage: Awaited<ReturnType<typeof start>>) =>
  Object.fromEntries(symbols.map((name) => [name, Number(stage.view.weight(name).toFixed(2))]));

test('momentum-rotation holds the stocks that rose most, in equal parts', async () => {
  expect(held(await start())).toEqual({ AAA: 0, BBB: 0.45, CCC: 0, DDD: 0.45 });
});

test('momentum-rotation holds no fallen stock: its share stays in cash', async () => {
  expect(held(await start(undefined, { top: 4, weight: 0.8 }))).toEqual({
    AAA: 0.2,
    BBB: 0.2,
    CCC: 0,
    DDD: 0.2,
  });
});

test('momentum-rotation chooses again in the next month, also after a restart', async () => {
  const stage = await start();
  stage.intents();
  await stage.bars('1d', { AAA: 140, BBB: 130, CCC: 90, DDD: 115 });
  await stage.restart();
  await stage.to('open+15m');
  await stage.settle();
  await stage.settle();
  expect(stage.time.slice(0, 10)).toBe('2026-07-01');
  expect(stage.intents()).toHaveLength(1);
  expect(held(stage)).toMatchObject({ AAA: 0.45, CCC: 0, DDD: 0 });
});

test('momentum-rotation does not choose again within a month', async () => {
  const stage = await start('2026-06-15T09:40');
  stage.intents();
  await stage.to('open');
  await stage.to('open+16m');
  expect(stage.time.slice(0, 10)).toBe('2026-06-16');
  expect(stage.intents()).toEqual([]);
});

describe('the drawdown stop of momentum-rotation', () => {
  const fall = async (stage: Awaited<ReturnType<typeof start>>) => {
    for (const [BBB, DDD] of [
      [122, 113],
      [115, 108],
      [112, 106],
    ] as const)
      await stage.quote({ BBB, DDD });
    await stage.settle();
    await stage.settle();
  };

  test('sells everything', async () => {
    const stage = await start();
    await stage.quote({ BBB: 125, DDD: 115 });
    expect(held(stage)).not.toMatchObject({ BBB: 0 });
    await fall(stage);
    expect(held(stage)).toEqual({ AAA: 0, BBB: 0, CCC: 0, DDD: 0 });
  });

  test('repeats a refused sell', async () => {
    const stage = await start();
    stage.refuseNext();
    await fall(stage);
    await stage.quote({ BBB: 109, DDD: 104 });
    await stage.settle();
    await stage.settle();
    expect(held(stage)).toEqual({ AAA: 0, BBB: 0, CCC: 0, DDD: 0 });
  });

  test('ends with the next month', async () => {
    const stage = await start();
    await fall(stage);
    await stage.bars('1d', { AAA: 110, BBB: 110, CCC: 90, DDD: 105 });
    await stage.to('open+15m');
    await stage.settle();
    await stage.settle();
    expect(held(stage)).toEqual({ AAA: 0.45, BBB: 0.45, CCC: 0, DDD: 0 });
  });
});

test.each([
  ['a stock that is named twice', { symbols: ['A', 'A'] }, 'named twice'],
  ['more stocks to hold than there are', { symbols: ['A', 'B'], top: 3 }, 'top is more'],
])('momentum-rotation refuses %s', (_title, wrong, message) => {
  expect(() => rotation.params.parse({ top: 1, ...wrong })).toThrow(message);
});
