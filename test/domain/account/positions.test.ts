import { describe, expect, test } from 'vitest';
import { formatDecimal, parseCash } from '../../../src/core/amount.ts';
import { averageCost, Positions, type Trade } from '../../../src/domain/account/positions.ts';
import { AAPL, MSFT } from '../orders.ts';

const trade = (side: 'buy' | 'sell', pay: string, receive: string): Trade => ({
  strategyId: 'alpha',
  symbol: AAPL,
  side,
  pay: parseCash(pay),
  receive: parseCash(receive),
});
const buy = (pay: string, receive: string) => trade('buy', pay, receive);
const sell = (pay: string, receive: string) => trade('sell', pay, receive);

describe('positions', () => {
  // Worked out by hand: quantity, cost, realised, average cost.
  test.each<[name: string, trades: Trade[], expected: (string | null)[]]>([
    ['nothing', [], ['0', '0', '0', null]],
    ['a buy costs what it paid, fees included', [buy('1001.1', '10')], ['10', '1001.1', '0', '100.11']],
    ['a second buy is averaged in', [buy('1001.1', '10'), buy('600', '5')], ['15', '1601.1', '0', '106.74']],
    [
      'a sell takes its share of the cost and leaves the average',
      [buy('1000', '10'), buy('600', '5'), sell('6', '720')],
      ['9', '960', '80', '106.666666666666666666'],
    ],
    ['a loss is a negative profit', [buy('1000', '10'), sell('5', '450')], ['5', '500', '-50', '100']],
    [
      'a sell of everything leaves no cost, however odd the average',
      [buy('100', '3'), sell('1', '40'), sell('2', '70')],
      ['0', '0', '10', null],
    ],
    [
      'a new position starts from a cost of its own',
      [buy('100', '1'), sell('1', '150'), buy('200', '1')],
      ['1', '200', '50', '200'],
    ],
    ['a sell of what it did not buy is all profit', [sell('0', '5')], ['0', '0', '5', null]],
  ])('average cost and realised profit: %s', (_name, trades, expected) => {
    const positions = new Positions();
    for (const each of trades) positions.settle(each);
    const { quantity, cost, realised } = positions.of('alpha', AAPL);
    const average = averageCost({ quantity, cost, realised });
    expect(
      [quantity, cost, realised, average].map((wad) => (wad === null ? null : formatDecimal(wad))),
    ).toEqual(expected);
  });

  test('are kept apart by strategy and by stock', () => {
    const positions = new Positions();
    positions.settle(buy('100', '1'));
    positions.settle({ ...buy('200', '2'), strategyId: 'beta' });
    positions.settle({ ...buy('300', '3'), symbol: MSFT });
    expect(positions.of('alpha', AAPL).cost).toBe(parseCash('100'));
    expect([...positions.all('alpha').keys()]).toEqual([AAPL, MSFT]);
    expect([...positions.all('beta').keys()]).toEqual([AAPL]);
    expect(positions.all('gamma').size).toBe(0);
  });
});
