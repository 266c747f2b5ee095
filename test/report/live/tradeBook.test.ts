import { expect, test } from 'vitest';
import { parseCash, parseShares } from '../../../src/core/amount.ts';
import type { Step } from '../../../src/report/live/liveHistory.ts';
import { TradeBook } from '../../../src/report/live/tradeBook.ts';

const MINUTE = 60_000;
const traded = (at: number, side: 'buy' | 'sell'): Step => {
  const [money, shares] = [parseCash('100'), parseShares('1')];
  const moved = side === 'buy' ? { cash: -money, shares } : { cash: money, shares: -shares };
  const common = { kind: 'traded', strategyId: 's', symbol: 'X', mintFee: 0n, protocolFee: 0n, reason: '' };
  return {
    kind: 'change',
    change: { ...common, at, side, ...moved, price: money, deferred: false } as never,
  };
};
const bar = (minute: number, interval: '1m' | '5m'): Step => {
  const price = { open: 100, high: 100, low: 100, close: 100, volume: 1 };
  return { kind: 'bar', bar: { symbol: 'X', interval, start: minute * MINUTE, ...price } as never };
};

test('a round trip counts only the shortest bars of its stock', () => {
  const minutes = [0, 1, 2, 3, 4].map((minute) => bar(minute, '1m'));
  const { closed } = new TradeBook([
    bar(-5, '5m'),
    traded(0, 'buy'),
    ...minutes,
    bar(0, '5m'),
    traded(5 * MINUTE, 'sell'),
  ]);
  expect(closed.map(({ bars }) => bars)).toEqual([5]);
});
