import { expect, test } from 'vitest';
import rebalance from '../../strategies/rebalance.ts';
import { Stage } from '../../src/testing/index.ts';

const weights = { SPY: 0.6, AAPL: 0.3 };
const wish = ['rebalance', weights, { band: 0.02, rest: 'keep', outside: 'refuse' }];

test('rebalance orders its weights within the band at each of its times', async () => {
  const prices = { SPY: 500, AAPL: 200 };
  const params = { weights, at: ['open+15m', 'open+30m'] };
  const stage = await Stage.open(rebalance, { params, prices, start: '2026-06-15T09:40' });
  await stage.to('open+15m');
  await stage.settle();
  expect([stage.view.weight('SPY'), stage.view.weight('AAPL')]).toEqual([
    expect.closeTo(0.6, 2),
    expect.closeTo(0.3, 2),
  ]);
  await stage.to('open+30m');
  await stage.settle();
  expect(stage.intents(), 'the second time finds what the first left').toEqual([wish, wish]);
  expect(stage.fills).toHaveLength(2);
});

test.each([
  ['once a session, a quarter of an hour after the open', {}, ['open+15m']],
  ['at the given times', { at: ['10:00', 'close-30m'] }, ['10:00', 'close-30m']],
  [
    'also every N minutes, before the close, no time twice',
    { everyMinutes: 120, at: ['open+120m'] },
    ['open+120m', 'open+240m', 'open+360m'],
  ],
  ['never at the close itself', { everyMinutes: 195, at: [] }, ['open+195m']],
])('rebalance has timers %s', (_title, params, times) => {
  const { timers, quotes } = rebalance.data(rebalance.params.parse({ weights, ...params }));
  expect(timers).toEqual(times.map((at) => ({ name: at, at })));
  expect(quotes).toEqual(['SPY', 'AAPL']);
});

test.each([
  ['weights above 1 in total', { SPY: 0.7, AAPL: 0.4 }, 'add up to more than 1'],
  ['a short position', { SPY: -0.1 }, 'expected number to be >=0'],
  ['no stock', {}, 'name at least one stock'],
  ['an invalid symbol', { spy: 0.5 }, 'upper case'],
])('rebalance refuses %s', (_title, wrong, message) => {
  expect(() => rebalance.params.parse({ weights: wrong })).toThrow(message);
});

test('rebalance accepts thirds and tenths that add up to 1', () => {
  const third = 1 / 3;
  expect(rebalance.params.safeParse({ weights: { A: third, B: third, C: third } }).success).toBe(true);
  const tenths = Object.fromEntries('ABCDEFGHIJ'.split('').map((name) => [name, 0.1]));
  expect(rebalance.params.safeParse({ weights: tenths }).success).toBe(true);
});
