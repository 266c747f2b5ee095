import { expect, test } from 'vitest';
import dca from '../../strategies/dca.ts';
import { Stage } from './harness.ts';

const start = (params: { cap?: number | string } = {}) => {
  const stage = new Stage(dca, { symbol: 'AAPL', notional: '100', ...params });
  stage.setPrice('AAPL', 50);
  return stage;
};
const nextSession = (stage: ReturnType<typeof start>, date: string) => {
  stage.date = date;
  stage.timer('buy');
  return stage.heard();
};
const buy = ['buy', 'AAPL', { notional: '100', outside: 'refuse' }];

test('it asks for one timer, at 10:00 unless told otherwise', () => {
  expect(dca.data(start().params).timers).toEqual([{ name: 'buy', at: '10:00' }]);
});

test('it buys the exact amount once a session', () => {
  const stage = start();
  expect(nextSession(stage, '2026-03-02')).toEqual([buy]);
  expect(nextSession(stage, '2026-03-02')).toEqual([]);
  expect(nextSession(stage, '2026-03-03')).toEqual([buy]);
});

test('it does not buy twice in a session after a restart', () => {
  const stage = start();
  nextSession(stage, '2026-03-02');
  stage.restart();
  expect(nextSession(stage, '2026-03-02')).toEqual([]);
  expect(nextSession(stage, '2026-03-03')).toEqual([buy]);
});

test('a refused buy is not repeated in its session and does not count against the cap', () => {
  const stage = start({ cap: 100 });
  nextSession(stage, '2026-03-02');
  stage.report('o1', 'refused');
  expect(nextSession(stage, '2026-03-02')).toEqual([]);
  expect(nextSession(stage, '2026-03-03')).toEqual([buy]);
});

test('a session without a price is left out, and its timer may come again', () => {
  const stage = new Stage(dca, { symbol: 'AAPL', notional: '100' });
  expect(nextSession(stage, '2026-03-02')).toEqual([]);
  stage.setPrice('AAPL', 50);
  expect(nextSession(stage, '2026-03-02')).toEqual([buy]);
});

test('outside the session nothing is bought', () => {
  const stage = start();
  stage.date = null;
  stage.timer('buy');
  expect(stage.heard()).toEqual([]);
});

test('the cap holds over restarts, for what was filled and what is on its way', () => {
  const stage = start({ cap: '200' });
  expect(nextSession(stage, '2026-03-02')).toEqual([buy]);
  stage.report('o1', 'filled', { shares: 2.0000001, price: 50 });
  stage.restart();
  expect(nextSession(stage, '2026-03-03')).toEqual([buy]);
  expect(nextSession(stage, '2026-03-04'), 'while the second is on its way').toEqual([]);
  stage.report('o2', 'filled', { shares: 2, price: 50 });
  expect(nextSession(stage, '2026-03-05')).toEqual([]);
});

test('shares held from before do not count against the cap', () => {
  const stage = start({ cap: 100 });
  stage.holdings.set('AAPL', { shares: 40, cost: 50 });
  expect(nextSession(stage, '2026-03-02')).toEqual([buy]);
});
