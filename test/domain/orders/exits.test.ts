import { expect, test } from 'vitest';
import { cash } from '../../../src/core/amount.ts';
import { DAY_MS, epochMs } from '../../../src/core/brand.ts';
import { restoreState, stateText } from '../../../src/core/stateText.ts';
import { ticker } from '../../../src/domain/instrument.ts';
import { Exits } from '../../../src/domain/orders/exits.ts';

const AAPL = ticker('AAPL');
const exits = new Exits();
const settle = (side: 'buy' | 'sell', realised: bigint, [strategyId, at]: [string, number]) =>
  side === 'buy'
    ? exits.bought(strategyId, AAPL)
    : exits.sold({ strategyId, symbol: AAPL, realised: cash(realised) }, epochMs(at));
const results = (strategyId?: string) => exits.of(strategyId).map(({ realised }) => Number(realised));

test('sells without a buy between them are one exit', () => {
  settle('buy', 0n, ['a', 1]);
  settle('sell', -5n, ['a', 2]);
  settle('sell', 2n, ['a', 3]);
  expect(results('a')).toEqual([-3]);
  expect(exits.lossOf(AAPL, 'a')).toMatchObject({ at: 3, realised: -3n });
  settle('buy', 0n, ['a', 4]);
  settle('sell', -1n, ['a', 5]);
  settle('buy', 0n, ['b', 6]);
  settle('sell', -1n, ['b', 7]);
  expect([results('a'), results('b'), results()]).toEqual([[-3, -1], [-1], [-3, -1, -1]]);
  settle('buy', 0n, ['a', 8]);
  settle('sell', 4n, ['a', 9]);
  settle('buy', 0n, ['a', 10]);
  settle('sell', -9n, ['a', 11]);
  expect(results('a')).toEqual([-3, -1, 4, -9]);
});

test('exits before a profit are forgotten after two weeks, and those since it are kept', () => {
  const all = new Exits();
  const exit = (realised: bigint, at: number) => {
    all.bought('a', AAPL);
    all.sold({ strategyId: 'a', symbol: AAPL, realised: cash(realised) }, epochMs(at));
  };
  for (let number = 1; number <= 1_000; number++) exit(number % 500 === 0 ? 1n : -1n, number * DAY_MS);
  const kept = all.of('a');
  expect(kept.length).toBeGreaterThanOrEqual(500);
  expect(kept.length).toBeLessThan(700);
  expect(kept.every(({ realised }, index) => realised < 0n || kept[index]?.number === 1_000)).toBe(true);
  for (let number = 1_001; number <= 2_000; number++) exit(1n, number * DAY_MS);
  expect(all.of().length).toBeLessThan(128);
});

test('an exit counts at its last sell, even if other exits have ended since its first', () => {
  const all = new Exits();
  const sell = (strategyId: string, realised: bigint, at: number) =>
    all.sold({ strategyId, symbol: AAPL, realised: cash(realised) }, epochMs(at));
  sell('a', 1n, 1);
  sell('b', 5n, 2);
  sell('c', 5n, 3);
  sell('a', -9n, 4);
  expect(all.of().map(({ at, realised }) => [at, Number(realised)])).toEqual([
    [2, 5],
    [3, 5],
    [4, -8],
  ]);
});

test('an exit whose sell is taken back does not count as a loss', () => {
  exits.takeBack({ strategyId: 'a', symbol: AAPL, realised: cash(-9n) });
  expect(exits.lossOf(AAPL, 'a')).toBeUndefined();
});

test('replacement exits change wherever they are, like the originals', () => {
  const [then, now] = [new Exits(), new Exits()];
  const sell = (of: Exits, realised: bigint, at: number) =>
    of.sold({ strategyId: 'a', symbol: AAPL, realised: cash(realised) }, epochMs(at));
  sell(then, -5n, 1);
  restoreState(now, stateText(then));
  now.relink();
  for (const of of [then, now]) {
    sell(of, 3n, 2);
    of.takeBack({ strategyId: 'a', symbol: AAPL, realised: cash(1n) });
  }
  expect(now.of('a')).toEqual([{ number: 1, symbol: AAPL, at: 2, realised: -3n }]);
  expect([now.of('a'), now.of(), now.lossOf(AAPL), stateText(now)]).toEqual([
    then.of('a'),
    then.of(),
    then.lossOf(AAPL, 'a'),
    stateText(then),
  ]);
});

test('an exit that begins with a loss and ends with a profit does not clear the loss of an earlier one', () => {
  const all = new Exits();
  const sell = (strategyId: string, realised: bigint, at: number) =>
    all.sold({ strategyId, symbol: AAPL, realised: cash(realised) }, epochMs(at));
  sell('a', -10n, 1);
  sell('b', -1n, 2);
  sell('b', 5n, 3);
  expect(all.lossOf(AAPL)).toMatchObject({ at: 1, realised: -10n });
  expect([all.lossOf(AAPL, 'a')?.at, all.lossOf(AAPL, 'b')]).toEqual([1, undefined]);
});
