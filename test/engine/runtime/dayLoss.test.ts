import { describe, expect, test } from 'vitest';
import { parseCash } from '../../../src/core/amount.ts';
import type { StrategyHooks } from '../../../src/strategy/index.ts';
import { FakePulse } from '../fakePulse.ts';
import { atStart, MINUTE, SECOND, Stage } from '../stage.ts';

const DAY = 24 * 60 * MINUTE;

describe('the day loss limit', () => {
  test('does not count new capital as profit', async () => {
    const both: StrategyHooks = {
      onStart({ order, view }) {
        if (view.position('AAPL') === 0) order.buy('AAPL', { notional: '5000' });
        else order.buy('MSFT', { shares: 1 });
      },
    };
    const limits = { dayLoss: parseCash('100') };
    const first = new Stage({ hooks: { solo: both }, limits });
    await first.play(20 * SECOND);
    first.venue.fill(first.venue.last);
    await first.pass(20 * SECOND);
    first.venue.prices.set('AAPL', parseCash('90'));
    await first.stop();
    const next = new Stage({ hooks: { solo: both }, limits, after: first, capital: '12000' });
    await next.play(MINUTE);
    expect(next.venue.sends).toBe(1);
    expect(next.said(/dayLoss/)).toBe(true);
  });

  test('does not count a price that arrives after the open as profit', async () => {
    const limits = { dayLoss: parseCash('100') };
    const buyer = atStart((order) => order.buy('AAPL', { notional: '5000' }));
    const first = new Stage({ hooks: { solo: buyer }, limits });
    await first.play(20 * SECOND);
    first.venue.fill(first.venue.last);
    await first.pass(20 * SECOND);
    first.crash();
    first.venue.prices.delete('AAPL');
    await first.clock.advanceBy(24 * 60 * MINUTE);
    const later: StrategyHooks = { onTimer: ({ order }) => void order.buy('MSFT', { shares: 1 }) };
    const data = { quotes: ['MSFT'], timers: [{ name: 't', at: '10:05' }] };
    const next = new Stage({ hooks: { solo: later }, data, limits, after: first });
    await next.play(MINUTE);
    next.venue.prices.set('AAPL', parseCash('90'));
    await next.pass(10 * MINUTE);
    expect(next.venue.sends).toBe(1);
    expect(next.said(/dayLoss/)).toBe(true);
  });

  describe('counts from the open of a session', () => {
    const holder = atStart((order) => order.buy('AAPL', { notional: '5000' }));
    const options = { data: { quotes: ['AAPL', 'MSFT'] }, limits: { dayLoss: parseCash('100') } };

    test('in which a later start makes its first decision', async () => {
      const first = await new Stage({ ...options, hooks: { solo: holder } }).play(20 * SECOND);
      first.venue.fill(first.venue.last);
      await first.pass(MINUTE);
      first.crash();
      await first.clock.advanceBy(DAY);
      first.venue.prices.set('AAPL', parseCash('95'));
      const solo = atStart((order) => order.buy('MSFT', { shares: 1 }));
      const second = await new Stage({ ...options, hooks: { solo }, after: first }).play(MINUTE);
      expect(second.states).toEqual(['closed', 'working']);
      expect(second.said(/dayLoss/)).toBe(false);
    });

    test('that opened while the machine slept', async () => {
      const watchdog = new FakePulse();
      const solo: StrategyHooks = {
        ...holder,
        onQuote: ({ symbol, order }) => symbol === 'MSFT' && order.buy('MSFT', { shares: 1 }),
      };
      const stage = new Stage({ ...options, hooks: { solo }, more: { watchdog } });
      await stage.play(20 * SECOND);
      stage.venue.fill(stage.venue.last);
      await stage.pass(MINUTE);
      const listings = stage.venue.listings.bind(stage.venue);
      const morning = stage.clock.sleep(DAY);
      stage.venue.listings = () => morning.then(listings);
      watchdog.gap = { kind: 'setForward', ms: DAY };
      await stage.pass(DAY - SECOND);
      stage.venue.prices.set('AAPL', parseCash('95'));
      stage.venue.prices.set('MSFT', parseCash('51'));
      await stage.pass(MINUTE);
      expect(stage.states).toEqual(['closed', 'working']);
      expect(stage.said(/dayLoss/)).toBe(false);
    });
  });
});
