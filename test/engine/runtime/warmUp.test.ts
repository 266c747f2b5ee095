import { describe, expect, test } from 'vitest';
import { parseCash } from '../../../src/core/amount.ts';
import { epochMs } from '../../../src/core/brand.ts';
import type { Bar } from '../../../src/domain/bar.ts';
import { ticker } from '../../../src/domain/instrument.ts';
import type { Venue } from '../../../src/domain/venue.ts';
import { replay } from '../../../src/engine/runtime/replay.ts';
import { kernelOf } from '../../../src/engine/runtime/runOptions.ts';
import { completeAt } from '../../../src/engine/strategy/warmUp.ts';
import type { WarmUpPolicy } from '../../../src/engine/strategy/warmUp.ts';
import { tradingCalendar } from '../../../src/calendar/index.ts';
import { statusOf } from '../../../src/ops/model/statusOf.ts';
import type { BarNeed } from '../../../src/strategy/contract.ts';
import type { QuotePhase, StrategyHooks } from '../../../src/strategy/index.ts';
import { MINUTE, MORNING, SECOND, Stage, type StageOptions } from '../stage.ts';
import { WELL } from '../../ops/well.ts';

const OPEN = MORNING - 30 * MINUTE;
const barOf = (start: number): Bar => ({
  symbol: ticker('AAPL'),
  interval: '1m',
  start: epochMs(start),
  open: 100,
  high: 101,
  low: 99,
  close: 100,
  volume: 1_000,
});

/** The fake venue with minute bars of AAPL from `listed` on, and none before. */
const listedAt =
  (listed: number): NonNullable<StageOptions['as']> =>
  (venue, clock): Venue =>
    Object.assign(venue as Venue, {
      bars: ({ from = 0, to, limit }: Readonly<{ from?: number; to: number; limit: number }>) => {
        const bars: Bar[] = [];
        for (let start = listed; start < Math.min(to, clock.now()); start += MINUTE)
          if (start >= from) bars.push(barOf(start));
        return Promise.resolve(bars.slice(-limit));
      },
    });

/** A strategy that needs `warmUp` bars of a stock whose history has 3, and buys on each bar unless it has an order. */
function stageOf(
  warmUp: WarmUpPolicy,
  log: string[],
  { own: more, ...given }: Pick<StageOptions, 'after' | 'as'> & Readonly<{ own?: StrategyHooks }> = {},
): Stage {
  const hooks: StrategyHooks = {
    onStart: () => void log.push('start'),
    onSession: () => void log.push('session'),
    onQuote: () => void log.push('quote'),
    onFill: () => void log.push('fill'),
    onBar: ({ order }) => void log.push(`bar ${order.buy('AAPL', { shares: 1 })}`),
    ...more,
  };
  const data = { bars: [{ symbol: 'AAPL', interval: '1m' as const, warmUp: 5 }], quotes: ['AAPL'] };
  const options = { hooks: { solo: hooks }, data, as: listedAt(MORNING - 3 * MINUTE), ...given };
  const strategies = new Stage(options).options.strategies.map((own) => ({ ...own, warmUp }));
  return new Stage({ ...options, more: { strategies } });
}

describe('a strategy with an incomplete warm-up', () => {
  test('is refused under `require`, naming series, counts, time and remedy, and nothing is sent', async () => {
    const stage = await stageOf('require', []).play(10 * SECOND);
    expect(stage.failure?.message).toMatch(
      /^solo needs more warm-up than there is: AAPL 1m has 3 of 5 bars at the venue; complete at 10:02/,
    );
    expect(stage.failure?.message).toMatch(/No order was sent\. Start later, .* wait, or allow$/);
    expect(stage.venue.rows).toHaveLength(0);
  });

  test('waits under `wait`: bars are delivered, orders are ignored, and it starts with the last missing bar', async () => {
    const log: string[] = [];
    const stage = await stageOf('wait', log).play(30 * SECOND);
    stage.venue.prices.set('AAPL', parseCash('105'));
    await stage.pass(60 * SECOND);
    expect(log).toEqual(['bar ignored', 'bar ignored', 'bar ignored', 'bar ignored']);
    expect(stage.said(/^waits for its warm-up: AAPL 1m has 3 of 5 bars; complete at 10:02/)).toBe(true);
    const { kernel } = stage.runner;
    const status = statusOf({
      identity: { mode: 'emulator', account: 'a', version: 'v', startedAt: '', killFiles: [] },
      isRunning: true,
      context: kernel.context,
      now: kernel.context.now,
      strategies: stage.options.strategies,
      differences: [],
      alarms: [],
      health: WELL,
    });
    expect(status.strategies[0]?.warmUp).toEqual({
      series: [{ symbol: 'AAPL', interval: '1m', needed: 5, had: 4 }],
      completeAt: '2026-06-15T14:02:00Z',
    });
    await stage.pass(60 * SECOND);
    expect(log.slice(4, 6)).toEqual(['bar ignored', 'start']);
    expect(stage.said(/^its warm-up is complete/)).toBe(true);
    expect(stage.orders).toHaveLength(0);
    await stage.pass(60 * SECOND);
    expect(log).toContain('bar solo-1');
    expect(stage.orders).toHaveLength(1);
    const summary = await stage.stop();
    expect(summary.stop.why).toBe('the test is over');
    const entries = [...stage.options.journal.entries()];
    const again = replay(entries, () => kernelOf(stage.options, { reason: () => null }));
    expect(again.parting).toBeNull();
  });

  test('is not reported as ready after its warm-up if its error stopped it during the warm-up', async () => {
    const log: string[] = [];
    const onBar = () => {
      log.push('bar');
      if (log.length === 4) throw new Error('on purpose');
    };
    const stage = await stageOf('wait', log, { own: { onBar } }).play(30 * SECOND);
    await stage.pass(3 * MINUTE);
    expect(log).toEqual(['bar', 'bar', 'bar', 'bar']);
    expect(stage.alarms.join()).toContain('on purpose');
    expect(stage.said(/its warm-up is complete/)).toBe(false);
    expect(stage.runner.kernel.context.accountState.warming.size).toBe(0);
  });

  test('starts at once under `allow`, with a notice', async () => {
    const log: string[] = [];
    const stage = await stageOf('allow', log).play(70 * SECOND);
    expect(log.slice(0, 4)).toEqual(['bar ignored', 'bar ignored', 'bar ignored', 'start']);
    expect(log).toContain('bar solo-1');
    expect(stage.said(/^starts with an incomplete warm-up \(warmUp: allow\): AAPL 1m has 3 of 5 bars$/)).toBe(
      true,
    );
  });

  test("waits under `require` while an earlier run's stop is armed, and that stop still sells", async () => {
    const data = { bars: [{ symbol: 'AAPL', interval: '1m' as const, warmUp: 5 }], quotes: ['AAPL'] };
    const hooks: StrategyHooks = {
      onStart: ({ order, view }) => {
        if (view.position('AAPL') === 0) order.buy('AAPL', { shares: 10 });
      },
      onFill: ({ fill, order }) => {
        if (fill.side === 'buy') order.stop('AAPL', { all: true, stop: 95 });
      },
    };
    const first = await new Stage({ hooks: { solo: hooks }, data }).play(MINUTE);
    first.venue.fill(first.venue.last);
    await first.pass(MINUTE);
    const log: string[] = [];
    const next = await stageOf('require', log, { after: first, as: listedAt(MORNING) }).play(30 * SECOND);
    expect(next.failure).toBeNull();
    expect(next.said(/^waits for its warm-up/)).toBe(true);
    next.venue.prices.set('AAPL', parseCash('94'));
    await next.pass(20 * SECOND);
    expect(next.orders.at(-1)?.terms).toMatchObject({ side: 'sell', type: 'market' });
    expect(log).not.toContain('start');
  });
});

const endOf = (need: BarNeed, missing: number, now: number = MORNING): string | null => {
  const series = [{ ...need, needed: missing, had: 0 }];
  const end = completeAt({ needs: { bars: [need] } }, series, {
    now: epochMs(now),
    calendar: tradingCalendar,
  });
  return end === null ? null : new Date(end).toISOString().slice(0, 16);
};

test('a warm-up is complete at the end of its last missing bar', () => {
  const at = (interval: BarNeed['interval'], missing: number, now?: number) =>
    endOf({ symbol: 'AAPL', interval }, missing, now);
  expect(at('1m', 1, MORNING + 10 * SECOND)).toBe('2026-06-15T14:01');
  expect(at('1h', 1)).toBe('2026-06-15T14:30');
  expect(at('1h', 7)).toBe('2026-06-15T20:00');
  expect(at('1h', 8)).toBe('2026-06-16T14:30');
  expect(at('1d', 1)).toBe('2026-06-15T20:00');
  // Juneteenth, a Friday, has no session.
  expect(at('1d', 5)).toBe('2026-06-22T20:00');
  expect(at('1d', 1, OPEN - 60 * MINUTE)).toBe('2026-06-15T20:00');
  expect(at('1w', 2)).toBe('2026-06-26T20:00');
  expect(at('1w', 5_000)).toBeNull();
});

test('a warm-up with bars of other phases is complete in these', () => {
  const at = (phases: QuotePhase[], missing: number) =>
    endOf({ symbol: 'AAPL', interval: '15m', phases }, missing);
  expect(at(['post'], 1)).toBe('2026-06-15T20:15');
  expect(at(['post', 'overnight'], 17)).toBe('2026-06-16T00:15');
  expect(at(['pre', 'regular'], 25)).toBe('2026-06-16T08:15');
});
