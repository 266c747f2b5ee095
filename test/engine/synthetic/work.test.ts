import { describe, expect, test } from 'vitest';
import { parseShares, shares } from '../../../src/core/amount.ts';
import { MINUTE, Stage } from '../stage.ts';
import { playing, slices, tradedAtVenue, tradedInJournal, whole, working, type Filling } from './working.ts';

const twap = {
  side: 'buy',
  shares: 10,
  style: 'twap',
  over: { minutes: 10 },
  every: { minutes: 2 },
} as const;

const live = (stage: Stage) => stage.runner.kernel.context.accountState.synthetics.live.size;

describe('twap', () => {
  test('buys equal parts over its time, and ends', async () => {
    const stage = await new Stage(working(twap)).play(0);
    await playing(stage, 11 * MINUTE);
    expect(slices(stage)).toEqual([
      '0.0 buy 2 closed',
      '2.0 buy 2 closed',
      '4.0 buy 2 closed',
      '6.0 buy 2 closed',
      '8.0 buy 2 closed',
    ]);
    expect(live(stage)).toBe(0);
    expect(stage.said(/done, bought 10 of 10: nothing is left/)).toBe(true);
  });

  test('spreads what a slice has not filled over the rest, and names what is missing', async () => {
    const halfOfSecond: Filling = (row, index) => (index === 1 ? null : whole(row, index));
    const stage = await new Stage(working(twap)).play(0);
    await playing(stage, 3 * MINUTE, halfOfSecond);
    // One of two shares is filled when the order is cancelled at the end of its part.
    const [, second] = stage.venue.rows;
    if (second) stage.venue.fill(second, 'cancelled', shares(parseShares('1')));
    await playing(stage, 9 * MINUTE);
    expect(slices(stage).map((line) => line.split(' ')[2])).toEqual([
      '2',
      '2',
      '2.333333',
      '2.333333',
      '2.333334',
    ]);
    expect(tradedInJournal(stage)).toBe(10);
    expect(tradedAtVenue(stage)).toBe(10);
  });

  test('cuts whole parts of a stock that has no other', async () => {
    const options = working({ ...twap, shares: 7, over: { minutes: 8 } }, { symbol: 'MSFT' });
    const stage = await new Stage(options).play(0);
    await playing(stage, 9 * MINUTE);
    expect(slices(stage).map((line) => line.split(' ')[2])).toEqual(['1', '2', '2', '2']);
  });
});
