import { expect, test } from 'vitest';
import twap from '../../strategies/twap-accumulation.ts';
import { Stage } from '../../src/testing/index.ts';

type Change = Partial<
  Record<'budget' | 'reserve', number> & Record<'day', 'monday' | 'wednesday'> & Record<'until', string>
>;

const start = (change: Change = {}, from = '2026-06-15T09:55') =>
  Stage.open(twap, {
    params: { symbol: 'SPY', notional: 600, budget: 1000, until: '10:30', ...change },
    prices: { SPY: 500 },
    start: from,
  });
const spent = (stage: Awaited<ReturnType<typeof start>>) =>
  stage.fills.reduce((sum, { shares, price }) => sum + shares * price, 0);
const weeklyBuy = (notional: number) => [
  'work',
  'SPY',
  { side: 'buy', style: 'twap', notional, until: '10:30', tag: 'weekly' },
];

test('twap-accumulation buys its amount in parts by the given time', async () => {
  const stage = await start();
  await stage.to('10:35');
  expect(stage.intents()).toEqual([weeklyBuy(600)]);
  expect(stage.fills.length).toBeGreaterThan(3);
  expect(spent(stage)).toBeCloseTo(600, 2);
});

test('twap-accumulation continues after a restart in the middle, and buys no part twice', async () => {
  const stage = await start();
  await stage.to('10:12');
  const before = stage.fills.length;
  await stage.restart();
  await stage.to('10:35');
  expect(stage.fills.length).toBeGreaterThan(before);
  expect(spent(stage)).toBeCloseTo(600, 2);
  expect(stage.intents()).toHaveLength(1);
});

test('twap-accumulation buys once a week, and never beyond its budget', async () => {
  const stage = await start({}, '2026-06-12T09:55');
  await stage.to('10:35');
  expect(stage.intents(), 'on a Friday').toEqual([weeklyBuy(600)]);
  await stage.to('10:35');
  expect([stage.time, ...stage.intents()]).toEqual(['2026-06-15 10:35', weeklyBuy(400)]);
  await stage.to('10:05');
  expect(stage.intents(), 'on the Tuesday after').toEqual([]);
});

test('twap-accumulation keeps its cash reserve', async () => {
  const stage = await start({ reserve: 9_800 });
  await stage.to('10:05');
  expect(stage.intents()).toEqual([weeklyBuy(199.6)]);
  const none = await start({ reserve: 10_000 });
  await none.to('10:05');
  expect(none.intents()).toEqual([]);
});

test('twap-accumulation waits for a later weekday, which a holiday moves', async () => {
  const stage = await start({ day: 'wednesday' }, '2026-06-16T09:55');
  await stage.to('10:05');
  expect(stage.intents(), 'on a Tuesday').toEqual([]);
  await stage.to('10:05');
  expect(stage.intents()).toHaveLength(1);
  // Monday, 7 September 2026 is Labor Day.
  const labor = await start({}, '2026-09-04T15:55');
  await labor.to('10:05');
  expect([labor.time, labor.intents().length]).toEqual(['2026-09-08 10:05', 1]);
});

test('twap-accumulation passes over a session that closes before it is done', async () => {
  // Wednesday, 24 December 2025 closes at 13:00, and the next session is that of Friday.
  const stage = await start({ day: 'wednesday', until: '15:30' }, '2025-12-24T09:55');
  await stage.to('12:55');
  expect(stage.fills).toEqual([]);
  await stage.to('15:35');
  expect([stage.time, spent(stage).toFixed(2)]).toEqual(['2025-12-26 15:35', '600.00']);
});
