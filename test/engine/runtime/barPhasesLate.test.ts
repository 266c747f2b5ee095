import { describe, expect, test } from 'vitest';
import { parseCash, parseShares } from '../../../src/core/amount.ts';
import { epochMs, toIso } from '../../../src/core/brand.ts';
import { UnreachableError } from '../../../src/core/errors.ts';
import type { Interval } from '../../../src/domain/bar.ts';
import type { CorporateAction } from '../../../src/domain/corporateAction.ts';
import { ticker } from '../../../src/domain/instrument.ts';
import type { Venue } from '../../../src/domain/venue.ts';
import { Kernel } from '../../../src/engine/kernel/kernel.ts';
import { replay } from '../../../src/engine/runtime/replay.ts';
import type { DataNeeds, QuotePhase, StrategyHooks } from '../../../src/strategy/index.ts';
import { memoryJournal } from '../../store/memoryJournal.ts';
import { MINUTE, SECOND, Stage } from '../stage.ts';

const AAPL = ticker('AAPL');
const at = (time: string) => epochMs(Date.parse(`2026-06-${time}Z`));

const needs = (interval: Interval, ...phases: QuotePhase[]): DataNeeds => ({
  quotes: [],
  bars: [{ symbol: 'AAPL', interval, phases }],
});

const watcher = (shown: string[]): StrategyHooks => ({
  onBar: ({ bar }) =>
    void shown.push(`${toIso(bar.start).slice(8, 16)} ${bar.open} ${bar.high} ${bar.low} ${bar.close}`),
});

/** Lists prices as of some time ago. */
const lateBy =
  (ms: number) =>
  (venue: Venue): Venue => {
    const listings = venue.listings.bind(venue);
    return Object.assign(venue, {
      listings: async () =>
        (await listings()).map(({ quote, ...rest }) => ({
          ...rest,
          quote: { ...quote, at: epochMs(quote.at - ms) },
        })),
    });
  };

describe('bars outside the session', () => {
  test('are not made from a price that the venue formed before the start, in a bar that is over', async () => {
    const shown: string[] = [];
    const stage = new Stage({
      start: at('15T23:00'),
      hooks: { solo: watcher(shown) },
      data: needs('5m', 'post'),
    });
    stage.venue.haltedAt.set('AAPL', at('15T21:58'));
    await stage.play(10 * MINUTE);
    expect(shown).toEqual([]);
  });

  test('include each price read before they end, even one the venue formed a while ago', async () => {
    const shown: string[] = [];
    const stage = new Stage({
      start: at('15T21:00:01'),
      hooks: { solo: watcher(shown) },
      data: needs('15m', 'post'),
      as: lateBy(30 * SECOND),
    });
    await stage.play(10 * MINUTE);
    stage.venue.prices.set('AAPL', parseCash('101'));
    await stage.pass(10 * MINUTE);
    expect(shown).toEqual(['15T21:00 100 101 100 101']);
  });

  test('end with a price read at that time, even if others are read once a minute', async () => {
    const shown: string[] = [];
    const stage = new Stage({
      start: at('15T21:00:20'),
      hooks: { solo: watcher(shown) },
      data: needs('1m', 'post'),
      as: lateBy(30 * SECOND),
    });
    await stage.play(3 * MINUTE);
    expect(shown.map((bar) => bar.slice(0, 8))).toEqual(['15T21:00', '15T21:01', '15T21:02']);
  });

  test('that arrive long after later bars are shown, but not traded on', async () => {
    const seen: string[] = [];
    let isDown = false;
    const stage = new Stage({
      start: at('15T19:50:20'),
      data: needs('5m', 'regular', 'post'),
      hooks: {
        solo: {
          onBar({ bar, order }) {
            const id = order.buy('AAPL', { notional: '100' });
            seen.push(`${toIso(bar.start).slice(8, 16)} ${id === 'ignored' ? 'late' : 'in time'}`);
          },
        },
      },
      as: (venue) =>
        Object.assign(venue, {
          bars: () => (isDown ? Promise.reject(new UnreachableError('503')) : Promise.resolve([])),
        }),
    });
    await stage.play(5 * MINUTE);
    isDown = true;
    await stage.pass(40 * MINUTE);
    isDown = false;
    await stage.pass(10 * MINUTE);
    expect(seen.slice(0, 3)).toEqual(['15T20:00 late', '15T20:05 late', '15T20:10 late']);
    expect(seen.at(-1)).toBe('15T20:40 in time');
    expect(stage.alarms.join()).toMatch(/long after their end/);
  });
});

/** A two for one split on Tuesday. */
const twoForOne: CorporateAction = {
  kind: 'split',
  symbol: AAPL,
  name: 'forward_split',
  exDate: '2026-06-16',
  oldRate: 1n,
  newRate: 2n,
};

describe('a split', () => {
  test('is replayed for a strategy that asks only for bars outside the session', async () => {
    const starts: string[] = [];
    const shown: string[] = [];
    const hooks: Record<string, StrategyHooks> = {
      solo: {
        ...watcher(shown),
        onStart: ({ view, order }) => {
          starts.push(toIso(epochMs(view.now)).slice(8, 16));
          order.buy('AAPL', { notional: '100' });
        },
      },
    };
    const options = { start: at('16T12:55'), hooks, data: needs('5m', 'pre') };
    const stage = new Stage({
      ...options,
      as: (venue) => {
        venue.holdings.set('AAPL', parseShares('10'));
        venue.corporateActions = () => Promise.resolve([twoForOne]);
        return venue;
      },
    });
    await stage.play(33 * MINUTE);
    stage.venue.holdings.set('AAPL', parseShares('20'));
    stage.venue.prices.set('AAPL', parseCash('50'));
    await stage.pass(20 * MINUTE);
    expect(starts).toEqual(['16T12:55', '16T13:29']);
    const { calendar, rules, strategies } = stage.options;
    const { wishes, parting } = replay(
      [...memoryJournal([...stage.lines]).entries()],
      () => new Kernel({ calendar, rules, strategies, obstacles: { reason: () => null } }),
    );
    expect([parting, wishes, starts.length]).toEqual([null, 2, 4]);
  });
});
