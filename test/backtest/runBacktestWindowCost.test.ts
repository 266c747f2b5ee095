import { expect, test } from 'vitest';
import { runBacktest } from '../../src/backtest/runBacktest.ts';
import { barsFrom, plainly, strategyOf } from './bars.ts';

const WINDOW = 200;

/** A column that counts how many of its numbers are read. */
function counted(column: Float64Array) {
  const count = { reads: 0 };
  const proxy = new Proxy(column, {
    get(target, name) {
      if (typeof name === 'string' && /^\d+$/.test(name)) count.reads++;
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return (...given: unknown[]) => {
        const result: unknown = Reflect.apply(value, target, given);
        count.reads += result instanceof Float64Array ? result.length : target.length;
        return result;
      };
    },
  });
  return { proxy, count };
}

/** Closes read by a run for each of its last bars, beyond what a run without a window reads. */
async function readsPerBar(length: number): Promise<number> {
  const bars = barsFrom(
    '2026-06-15',
    Array.from({ length }, (_, index) => 100 + (index % 7)),
  );
  const readsOf = async (window: number) => {
    let asked = 0;
    const strategy = strategyOf({
      onBar({ view }) {
        if (window > 0) asked += view.bars('X', '1m').closes(window).length;
      },
    });
    const { proxy, count } = counted(bars.close);
    await runBacktest(plainly({ strategy, bars: [{ ...bars, close: proxy }] }));
    return { reads: count.reads, asked };
  };
  const [without, withWindow] = [await readsOf(0), await readsOf(WINDOW)];
  expect(withWindow.asked).toBe(length * WINDOW - (WINDOW * (WINDOW - 1)) / 2);
  expect(withWindow.reads - without.reads).toBe(withWindow.asked);
  return without.reads / length;
}

test('the cost of reading the last closes does not depend on the length of the history', async () => {
  const [short, long] = [await readsPerBar(1_000), await readsPerBar(8_000)];
  expect(long).toBeLessThan(short * 1.2);
});
