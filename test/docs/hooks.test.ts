import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { runBacktest } from '../../src/backtest/runBacktest.ts';
import timeframes from '../../docs/examples/timeframes.ts';
import { defineStrategy, type HookContext } from '../../src/strategy/index.ts';
import { z } from 'zod';
import { barsFrom, plainly, strategyOf } from '../backtest/bars.ts';

const guide = readFileSync('docs/hooks.md', 'utf8');
const DAY = '2026-06-15';
const FIVES_A_DAY = 78;

test('docs/hooks.md shows the example of several timeframes as it is in the file', () => {
  const example = readFileSync('docs/examples/timeframes.ts', 'utf8');
  expect(guide).toContain(`\`\`\`ts\n${example}\`\`\``);
});

describe('the example of several timeframes', () => {
  /** A price that dips in every hour of days that close at these prices. */
  const run = (closes: readonly number[]) => {
    const fives = closes.flatMap((close) =>
      Array.from({ length: FIVES_A_DAY }, (_, index) => (index % 12 === 6 ? close * 0.99 : close)),
    );
    const bars = [barsFrom(DAY, fives, '5m'), barsFrom(DAY, closes, '1d')];
    const strategy = { strategy: timeframes, params: { symbol: 'X', days: 2, bars: 3 } };
    return runBacktest(plainly({ ...strategy, bars }));
  };

  test('trades on the shorter one when the longer one allows it', async () => {
    const { fills } = await run([100, 110, 121]);
    // The second day is the first that closes above the average of two: all is traded on the third.
    expect(new Set(fills.map(({ at }) => new Date(at).toISOString().slice(0, 10)))).toEqual(
      new Set(['2026-06-17']),
    );
    expect(fills[0]).toMatchObject({ side: 'buy', reason: 'a dip in an upward trend' });
    expect(fills[1]).toMatchObject({ side: 'sell', reason: 'the dip is over' });
  });

  test('does nothing while the trend is down', async () => {
    expect((await run([121, 110, 100])).fills).toEqual([]);
  });
});

test('hooks are called in the order of docs/hooks.md', async () => {
  const called: string[] = [];
  const note = (name: string) => () => void called.push(name);
  const strategy = strategyOf(
    {
      onStart: note('onStart'),
      onBar({ bar, order, view }) {
        called.push(`onBar ${bar.interval} ${bar.close}`);
        if (bar.close === 101 && bar.interval === '1m' && view.position('X') === 0)
          called.push(order.buy('X', { shares: 1 }) === 'ignored' ? 'ignored' : 'ordered');
      },
      onQuote: ({ price }) => void called.push(`onQuote ${price}`),
      onOrder: ({ update }) => void called.push(`onOrder ${update.status}`),
      onFill: note('onFill'),
      onSession: ({ change }) => void called.push(`onSession ${change}`),
      onTimer: note('onTimer'),
      onStop: note('onStop'),
    },
    {
      bars: [
        { symbol: 'X', interval: '1m', warmUp: 2 },
        { symbol: 'X', interval: '5m' },
      ],
      quotes: ['X'],
      timers: [{ name: 'minute', at: 'open+3m' }],
    },
  );
  const open = Date.parse('2026-06-15T13:32:00Z');
  const minutes = [100, 101, 101, 102, 103];
  const bars = [barsFrom(DAY, minutes), barsFrom(DAY, [[100, 103, 100, 103]], '5m')];
  await runBacktest(plainly({ strategy, bars, from: open }));
  expect(called).toEqual([
    // The warm-up: its orders are ignored.
    'onBar 1m 100',
    'onBar 1m 101',
    'ignored',
    'onStart',
    'onSession opened',
    // The third minute opens at the last close: no quote. It ends at 13:33.
    'onBar 1m 101',
    'ordered',
    'onOrder sending',
    'onOrder accepted',
    'onTimer',
    'onQuote 102',
    'onOrder filled',
    'onFill',
    'onBar 1m 102',
    'onQuote 103',
    'onBar 1m 103',
    'onBar 5m 103',
    'onSession closed',
    'onStop',
  ]);
});

test('a state remembered during the warm-up is undone, and a variable is not', async () => {
  const seen: unknown[] = [];
  const strategy = defineStrategy({
    name: 'warm',
    description: 'of a test',
    params: z.strictObject({}),
    data: () => ({ bars: [{ symbol: 'X', interval: '1d', warmUp: 2 }] }),
    create({ state }) {
      let bars = 0;
      return {
        onBar() {
          bars++;
          state['bars'] = bars;
        },
        onStart: ({ view }: HookContext) => void seen.push(bars, state['bars'], view.bars('X', '1d').length),
      };
    },
  });
  const bars = [barsFrom(DAY, [100, 101, 102], '1d')];
  await runBacktest(plainly({ strategy, bars, from: Date.parse('2026-06-17T04:00:00Z') }));
  expect(seen).toEqual([2, undefined, 2]);
});
