import { expect, test } from 'vitest';
import { epochMs } from '../../../src/core/brand.ts';
import { UnreachableError } from '../../../src/core/errors.ts';
import type { Bar } from '../../../src/domain/bar.ts';
import type { Venue } from '../../../src/domain/venue.ts';
import { ticker } from '../../../src/domain/instrument.ts';
import type { StrategyHooks } from '../../../src/strategy/index.ts';
import { MINUTE, MORNING, SECOND, Stage } from '../stage.ts';

const AAPL = ticker('AAPL');

function minutesOf(from: number, to: number): Bar[] {
  const bars: Bar[] = [];
  const prices = { open: 1, high: 1, low: 1, close: 1, volume: 1 };
  for (let start = Math.ceil(from / MINUTE) * MINUTE; start < to; start += MINUTE)
    bars.push({ symbol: AAPL, interval: '1m', start: epochMs(start), ...prices });
  return bars;
}

/** A stage whose venue has a bar for every minute, and may refuse its bars. */
function stageOf(solo: StrategyHooks) {
  const bars = { down: false };
  const stage = new Stage({
    hooks: { solo },
    data: { bars: [{ symbol: 'AAPL', interval: '1m' }], quotes: ['AAPL'] },
    as: (venue) =>
      Object.assign(venue, {
        bars: (({ from = MORNING, to }) =>
          bars.down
            ? Promise.reject(new UnreachableError('503'))
            : Promise.resolve(minutesOf(from, to))) satisfies Venue['bars'],
      }),
  });
  return { stage, bars };
}

test('late bars are delivered, and orders on a bar that others have followed are dropped', async () => {
  const seen: number[] = [];
  const asked: string[] = [];
  const { stage, bars } = stageOf({
    onBar({ bar, order, view }) {
      seen.push(bar.start);
      if (view.now < MORNING + 60 * MINUTE) return;
      asked.push(order.buy('AAPL', { notional: '100' }));
    },
  });
  await stage.play(5 * MINUTE);
  bars.down = true;
  await stage.pass(60 * MINUTE);
  bars.down = false;
  await stage.pass(90 * SECOND);
  const minutes = seen.map((start) => (start - MORNING) / MINUTE);
  expect(minutes).toEqual(minutes.map((_, index) => index + (minutes[0] ?? NaN)));
  expect(minutes.length).toBeGreaterThan(60);
  expect(asked.filter((id) => id === 'ignored').length).toBeGreaterThan(55);
  expect(asked.at(-1)).toMatch(/^solo-/);
  expect(stage.venue.sends).toBeLessThan(4);
  expect(stage.said(/bars arrived long after their end: .* no order is placed on them/)).toBe(true);
});
