import { describe, expect, test } from 'vitest';
import { parseShares } from '../../../src/core/amount.ts';
import { ticker } from '../../../src/domain/instrument.ts';
import type { StrategyHooks } from '../../../src/strategy/index.ts';
import { MINUTE, SECOND, Stage, type StageOptions } from '../stage.ts';
import { held, price, sells } from './play.ts';

const AAPL = ticker('AAPL');

const stopped = (options: StageOptions = {}): Promise<Stage> =>
  held((order) => void order.stop('AAPL', { shares: 10, stop: 95 }), {}, options);

const frozen = (stage: Stage): string | undefined =>
  stage.runner.kernel.context.accountState.frozen.get(AAPL);

/** Changes the shares at the venue externally, until the stock is frozen. */
async function differing(to: string, options: StageOptions = {}): Promise<Stage> {
  const stage = await stopped(options);
  stage.venue.holdings.set('AAPL', parseShares(to));
  await stage.pass(2 * MINUTE);
  expect(frozen(stage)).toBe('ledger and venue differ');
  return stage;
}

describe('a touched stop of a frozen stock', () => {
  test('sells its own shares once when the venue shows more than the ledger', async () => {
    const stage = await differing('15');
    await price(stage, '90');
    expect(sells(stage)).toEqual(['market 10 working']);
    stage.venue.fill(stage.venue.last);
    await stage.pass(10 * MINUTE);
    expect(sells(stage)).toEqual(['market 10 filled']);
  });

  test('sells the shares that ledger and venue both have, and raises an alarm for the rest', async () => {
    const stage = await differing('4');
    await price(stage, '90');
    expect(sells(stage)).toEqual(['market 4 working']);
    stage.venue.fill(stage.venue.last);
    await stage.pass(10 * MINUTE);
    expect(sells(stage)).toEqual(['market 4 filled']);
    expect(stage.alarms.join()).toMatch(/its stop was touched, and what is held is not free to be sold/);
  });

  test('is not sold when an operator froze the stock', async () => {
    const stage = await stopped();
    stage.runner.kernel.context.freeze(AAPL, 'a rumour (ann)');
    await price(stage, '90', MINUTE);
    expect(sells(stage)).toEqual([]);
  });

  test('is sold when failed buys froze the stock', async () => {
    const again: StrategyHooks = { onTimer: ({ order }) => void order.buy('AAPL', { shares: 1 }) };
    const timers = ['10:05', '10:10', '10:15'].map((at) => ({ name: at, at }));
    const stage = await held((order) => void order.stop('AAPL', { shares: 10, stop: 95 }), again, {
      data: { quotes: ['AAPL', 'MSFT'], timers },
      rules: { failureSpacingMs: SECOND },
    });
    stage.venue.fates.push('refuse', 'refuse', 'refuse');
    await stage.pass(20 * MINUTE);
    expect(frozen(stage)).toMatch(/3 orders of solo in a row to buy AAPL/);
    await price(stage, '90');
    expect(sells(stage)).toEqual(['market 10 working']);
  });

  test('is sold from free shares while another order of the stock is held back', async () => {
    const stage = await stopped();
    stage.runner.kernel.context.holds.put('order solo-9.1', 'AAPL is held: order solo-9.1', AAPL);
    await price(stage, '90');
    expect(sells(stage)).toEqual(['market 10 working']);
  });
});

describe('a freeze because of a difference', () => {
  test('ends once ledger and venue have agreed for 30 s in two reads', async () => {
    const stage = await differing('15');
    stage.venue.holdings.set('AAPL', parseShares('10'));
    await stage.pass(35 * SECOND);
    expect(frozen(stage)).toBe('ledger and venue differ');
    await stage.pass(MINUTE);
    expect(frozen(stage)).toBeUndefined();
    expect(stage.said(/AAPL is no longer frozen: ledger and venue agree again/)).toBe(true);
  });

  test('ends without ending other causes of the freeze', async () => {
    const stage = await differing('15');
    stage.runner.kernel.context.freeze(AAPL, 'a rumour (ann)');
    stage.venue.holdings.set('AAPL', parseShares('10'));
    await stage.pass(3 * MINUTE);
    expect(frozen(stage)).toBe('a rumour (ann)');
  });

  test('does not end when ledger and venue agree only briefly', async () => {
    const stage = await differing('15');
    for (let time = 0; time < 5; time++) {
      stage.venue.holdings.set('AAPL', parseShares('10'));
      await stage.pass(30 * SECOND);
      stage.venue.holdings.set('AAPL', parseShares('15'));
      await stage.pass(30 * SECOND);
    }
    expect(frozen(stage)).toBe('ledger and venue differ');
  });

  test('ends after a restart, too', async () => {
    const first = await differing('15');
    first.venue.holdings.set('AAPL', parseShares('10'));
    const stage = await new Stage({ after: first }).play(3 * MINUTE);
    expect(frozen(stage)).toBeUndefined();
  });
});

describe('a late order list', () => {
  const more: StrategyHooks = { onTimer: ({ order }) => void order.buy('AAPL', { shares: 5 }) };

  /** A stop on 10 shares, and 5 more bought that the order list does not show. */
  const late = async (): Promise<Stage> => {
    const stage = await held((order) => void order.stop('AAPL', { shares: 10, stop: 95 }), more, {
      data: { quotes: ['AAPL', 'MSFT'], timers: [{ name: 'more', at: '10:05' }] },
    });
    stage.venue.indexed = false;
    await stage.pass(4 * MINUTE);
    stage.venue.fill(stage.venue.last);
    return stage;
  };

  test('does not turn the shares of a buy, or their cost, into a difference', async () => {
    const stage = await late();
    await stage.pass(15 * MINUTE);
    const { accountState, holds } = stage.runner.kernel.context;
    expect([accountState.differences, [...accountState.frozen]]).toEqual([[], []]);
    expect([holds.has('difference', AAPL), holds.has('difference', 'mUSD')]).toEqual([false, false]);
    await price(stage, '90');
    expect(sells(stage)).toEqual(['market 10 acknowledged']);
  });

  test('explains no more shares than those', async () => {
    const stage = await late();
    stage.venue.holdings.set('AAPL', parseShares('15.1'));
    await stage.pass(3 * MINUTE);
    expect(stage.runner.kernel.context.holds.has('difference', AAPL)).toBe(true);
    expect(frozen(stage)).toBe('ledger and venue differ');
  });
});
