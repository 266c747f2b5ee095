import { describe, expect, test } from 'vitest';
import { eventsOf } from '../operator/commands.ts';
import { parseCash, parseShares, shares } from '../../../src/core/amount.ts';
import { atStart, MINUTE, SECOND, Stage } from '../stage.ts';
import { playing, slices, tradedAtVenue, tradedInJournal, whole, working, type Filling } from './working.ts';

const twap = {
  side: 'buy',
  shares: 10,
  style: 'twap',
  over: { minutes: 10 },
  every: { minutes: 2 },
} as const;

const live = (stage: Stage) => stage.runner.kernel.context.accountState.synthetics.live.size;

describe('a working order of style twap', () => {
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

  test('spreads the unfilled part of a slice over the rest, and names what is missing', async () => {
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

  test('stops after an unknown slice, and never exceeds its total', async () => {
    const stage = new Stage(working(twap));
    stage.venue.fates.push('accept', 'lostAfter', 'accept', 'lostBefore');
    await stage.play(0);
    await playing(stage, 11 * MINUTE);
    expect(tradedAtVenue(stage)).toBeLessThanOrEqual(10);
    expect(tradedInJournal(stage)).toBeCloseTo(tradedAtVenue(stage), 9);
    expect(stage.orders.filter(({ state }) => state.kind === 'unknown')).toHaveLength(1);
    expect(stage.venue.sends).toBe(4);
  });

  test('does not catch up a pause in one burst: a slice is at most twice the even part', async () => {
    const stage = await new Stage(working(twap)).play(0);
    await playing(stage, MINUTE);
    stage.venue.delegationOn = false;
    await playing(stage, 6 * MINUTE);
    stage.venue.delegationOn = true;
    await playing(stage, 5 * MINUTE);
    expect(slices(stage).map((line) => line.split(' ')[2])).toEqual(['2', '4', '4']);
    expect(live(stage)).toBe(0);
  });

  test('leaves out what would make its last part, after a pause, more than twice the even part', async () => {
    const stage = await new Stage(working(twap)).play(0);
    await playing(stage, MINUTE);
    stage.venue.delegationOn = false;
    await playing(stage, 7.5 * MINUTE);
    stage.venue.delegationOn = true;
    await playing(stage, 3 * MINUTE);
    expect(slices(stage).map((line) => line.split(' ')[2])).toEqual(['2', '4']);
    expect(stage.said(/bought 6 of 10, 4 missing/)).toBe(true);
  });

  test('waits for ordersPerMinute and is not dropped', async () => {
    const hooks = {
      solo: atStart((order) => {
        order.buy('MSFT', { shares: 1 });
        order.work('AAPL', twap);
      }),
    };
    const options = { hooks, limits: { ordersPerMinute: 1 } };
    const stage = await new Stage(options).play(0);
    await playing(stage, 12 * MINUTE);
    expect(slices(stage).map((line) => line.split(' ').slice(0, 3).join(' '))).toEqual([
      '0.0 buy 1',
      // Stopped at the gate, and tried again a minute later.
      '0.0 buy 2',
      '1.0 buy 2',
      '2.0 buy 2',
      '4.0 buy 2',
      '6.0 buy 2',
      '8.0 buy 2',
    ]);
    expect(tradedInJournal(stage)).toBe(11);
  });

  test('waits while the price is beyond its limit, and names what is missing', async () => {
    const stage = await new Stage(working({ ...twap, limit: 101 })).play(0);
    await playing(stage, MINUTE);
    stage.venue.prices.set('AAPL', parseCash('105'));
    await playing(stage, 11 * MINUTE);
    expect(tradedAtVenue(stage)).toBe(2);
    expect(stage.said(/expired, bought 2 of 10, 8 missing: its time is over/)).toBe(true);
  });

  test.each(
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14].flatMap((at) => [
      [at, 'before'] as const,
      [at, 'after'] as const,
      [at, 'answer'] as const,
    ]),
  )('killed at commit %i (%s) continues, and buys its exact total', async (at, how) => {
    const terms = { ...twap, shares: 6, over: { minutes: 6 } };
    const first = new Stage(working(terms, { dies: { at: at + 4, how } }));
    await first.play(0);
    await playing(first, 2.5 * MINUTE);
    const second = await new Stage(working(terms, { after: first })).play(0);
    await playing(second, 8 * MINUTE);
    expect(tradedAtVenue(second)).toBeLessThanOrEqual(6.000001);
    expect(tradedInJournal(second)).toBeCloseTo(tradedAtVenue(second), 9);
    if (second.states.every((state) => state === 'closed')) expect(tradedAtVenue(second)).toBeCloseTo(6, 6);
  });

  test('buys whole shares of a stock without fractions', async () => {
    const options = working({ ...twap, shares: 7, over: { minutes: 8 } }, { symbol: 'MSFT' });
    const stage = await new Stage(options).play(0);
    await playing(stage, 9 * MINUTE);
    expect(slices(stage).map((line) => line.split(' ')[2])).toEqual(['1', '2', '2', '2']);
  });
});

describe('a working order of style chase', () => {
  const chase = { side: 'buy', shares: 10, style: 'chase', limit: 102, over: { minutes: 20 } } as const;
  const limits = (stage: Stage) =>
    stage.orders.map(
      ({ terms, state }) =>
        `${terms.type === 'limit' ? Number(terms.price / 10n ** 16n) / 100 : ''} ${state.kind}`,
    );
  const nothing: Filling = () => null;

  test('follows the price within its limit, at most every 30 s', async () => {
    const stage = await new Stage(working(chase)).play(0);
    await playing(stage, 10 * SECOND, nothing);
    stage.venue.prices.set('AAPL', parseCash('101'));
    await playing(stage, 10 * SECOND, nothing);
    expect(limits(stage)).toEqual(['100 working']);
    await playing(stage, 40 * SECOND, nothing);
    expect(limits(stage)).toEqual(['100 closed', '101 working']);
    stage.venue.prices.set('AAPL', parseCash('103'));
    await playing(stage, 60 * SECOND, nothing);
    expect(limits(stage)).toEqual(['100 closed', '101 closed', '102 working']);
  });

  test('counts the fills of the old order before the next is sent', async () => {
    const stage = new Stage(working(chase));
    stage.venue.cancelFates.push('late');
    await stage.play(0);
    await playing(stage, 10 * SECOND, nothing);
    stage.venue.prices.set('AAPL', parseCash('101'));
    await playing(stage, MINUTE, nothing);
    expect(limits(stage)).toEqual(['100 working']);
    stage.venue.fill(stage.venue.last, 'cancelled', shares(parseShares('4')));
    await playing(stage, MINUTE, nothing);
    expect(slices(stage).map((line) => line.split(' ')[2])).toEqual(['10', '6']);
  });

  test('ends when its time is over, after its order was cancelled', async () => {
    const stage = await new Stage(working({ ...chase, over: { minutes: 2 } })).play(0);
    await playing(stage, 3 * MINUTE, nothing);
    expect(limits(stage)).toEqual(['100 closed']);
    expect(stage.said(/expired, bought 0 of 10, 10 missing/)).toBe(true);
  });
});

describe('impossible terms of a working order', () => {
  const refusals: [string, object, RegExp][] = [
    ['a span that is over', { until: '09:45' }, /its span ends before it begins/],
    ['a span of no length', { over: { minutes: 0 } }, /over of order.work/],
    ['a span that is not a number', { over: { minutes: NaN } }, /over of order.work/],
    ['two spans', { over: { minutes: 10 }, until: 'close' }, /either over .* or until/],
    ['no span', {}, /either over .* or until/],
    ['a share above 1', { over: { minutes: 10 }, style: 'pov', share: 1.5 }, /share is 1.5/],
    ['a share of 0', { over: { minutes: 10 }, style: 'pov', share: 0 }, /share is 0/],
    ['pov without bars', { over: { minutes: 10 }, style: 'pov', share: 0.1 }, /ask for bars/],
    ['less than the venue takes', { over: { minutes: 10 }, shares: 0.001 }, /less than the venue takes/],
    ['NaN shares', { over: { minutes: 10 }, shares: NaN }, /shares of AAPL/],
    ['more than is held', { over: { minutes: 10 }, side: 'sell' }, /10 to sell, but 0 are held/],
    ['a sell by notional', { over: { minutes: 10 }, side: 'sell', notional: 100 }, /order.work/],
  ];
  /** Thrown, because their form is wrong. */
  const malformed = ['two spans', 'no span', 'pov without bars', 'a sell by notional'];
  test.each(refusals)('are refused: %s', async (name, terms, why) => {
    let thrown = '';
    const size = 'notional' in terms ? {} : { shares: 10 };
    const given = { side: 'buy', style: 'twap', ...size, ...terms };
    const hooks = {
      solo: atStart((order) => {
        try {
          order.work('AAPL', given as never);
        } catch (error) {
          thrown = String(error);
        }
      }),
    };
    const stage = await new Stage({ hooks }).play(SECOND);
    const refused = eventsOf(stage, 'intentRefused').map((refusal) => refusal.why);
    expect(thrown !== '').toBe(malformed.includes(name));
    expect(thrown || refused.join()).toMatch(why);
    expect(stage.venue.sends).toBe(0);
  });
});
