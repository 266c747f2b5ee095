import { describe, expect, test } from 'vitest';
import { Budget, retryAfterMs } from '../../src/api/budget.ts';
import type { Lane } from '../../src/api/endpoint.ts';
import { epochMs } from '../../src/core/brand.ts';
import { realClock } from '../../src/core/clock.ts';
import { seededRandom } from '../../src/core/seededRandom.ts';
import { VirtualClock } from '../../src/core/virtualClock.ts';
import { FakeHost } from '../core/fakeHost.ts';

const start = epochMs(1_700_000_000_000);
const MINUTE = 60_000;

function budgetOf(perMinute: number) {
  const clock = new VirtualClock({ start });
  const budget = new Budget({ perMinute, clock, random: seededRandom(1) });
  const started: { lane: Lane; at: number }[] = [];
  const ask = (lane: Lane, times = 1) => {
    for (let count = 0; count < times; count++)
      void budget.run(lane, () => {
        started.push({ lane, at: clock.now() - start });
        return Promise.resolve();
      });
  };
  const during = (from: number, to: number) => started.filter(({ at }) => at >= from && at < to).length;
  return { clock, budget, started, ask, during };
}

describe('the request rate', () => {
  test('stays within the limit in any minute, and nearly reaches it in a busy one', async () => {
    const { clock, ask, during } = budgetOf(600);
    ask('send', 5_000);
    await clock.advanceBy(5 * MINUTE);

    for (let from = 0; from < 4 * MINUTE; from += 500)
      expect(during(from, from + MINUTE)).toBeLessThanOrEqual(600);
    expect(during(0, MINUTE)).toBeGreaterThanOrEqual(598);
    expect(during(MINUTE, 2 * MINUTE)).toBeGreaterThanOrEqual(538);
  });

  test('allows a burst of a tenth of a minute, which quiet time restores', async () => {
    const { clock, ask, during } = budgetOf(600);
    ask('send', 60);
    await clock.advanceBy(1);
    expect(during(0, 1)).toBe(60);
    await clock.advanceBy(MINUTE);
    ask('send', 70);
    await clock.advanceBy(1);
    expect(during(MINUTE, MINUTE + 2)).toBe(60);
  });

  test('without a limit starts every request at once', async () => {
    const { clock, ask, started } = budgetOf(Infinity);
    ask('data', 1_000);
    await clock.advanceBy(0);
    expect(started).toHaveLength(1_000);
  });

  test('allows 64 requests in flight, and 8 urgent ones on top', async () => {
    const { clock, budget } = budgetOf(Infinity);
    const finish: (() => void)[] = [];
    const hang = (lane: Lane) =>
      void budget.run(lane, () => new Promise<void>((resolve) => finish.push(resolve)));
    for (let count = 0; count < 100; count++) hang('data');
    await clock.advanceBy(0);
    expect(finish).toHaveLength(64);
    for (let count = 0; count < 100; count++) hang('cancel');
    await clock.advanceBy(0);
    expect(finish).toHaveLength(72);
    finish[0]?.();
    await clock.advanceBy(0);
    expect(finish).toHaveLength(73);
  });

  test('frees the place of a failed request', async () => {
    const { clock, budget, ask, started } = budgetOf(Infinity);
    for (let count = 0; count < 64; count++)
      budget.run('data', () => Promise.reject(new Error('lost'))).catch(() => undefined);
    ask('data');
    await clock.advanceBy(0);
    expect(started).toHaveLength(1);
  });
});

describe('the lanes of the request budget', () => {
  test('leave a share for the others while data requests queue', async () => {
    const { clock, ask, started } = budgetOf(600);
    ask('data', 1_000);
    await clock.advanceBy(10_000);
    ask('reconcile', 6);
    ask('cancel', 6);
    await clock.advanceBy(0);

    expect(started.slice(-12).map(({ at }) => at)).toEqual(Array<number>(12).fill(10_000));
  });

  test('start in the order cancel, send, reconcile, data', async () => {
    const { clock, ask, started } = budgetOf(600);
    ask('send', 60);
    await clock.advanceBy(0);
    for (const lane of ['data', 'reconcile', 'send', 'cancel'] as const) ask(lane, 2);
    await clock.advanceBy(MINUTE);

    const order = started.slice(60).map(({ lane }) => lane);
    expect(order).toEqual(['cancel', 'cancel', 'send', 'send', 'reconcile', 'reconcile', 'data', 'data']);
  });
});

describe('the pause after a 429', () => {
  const HTTP_DATE = new Date(start + 7_000).toUTCString();

  test.for<[string, string | undefined, from: number, to: number]>([
    ['seconds', '5', 5_000, 5_001],
    ['an HTTP date', HTTP_DATE, 7_000, 7_001],
    ['a date that has passed', new Date(start - 9_000).toUTCString(), 1_000, 1_001],
    ['a negative number', '-3', 1_000, 1_001],
    ['zero', '0', 1_000, 1_001],
    ['a huge number', '99999999', 60_000, 60_001],
    ['garbage', 'soon', 1_000, 2_000],
    ['nothing', undefined, 1_000, 2_000],
  ])('follows a Retry-After of %s within its bounds', async ([, header, from, to]) => {
    const { clock, budget, ask, started } = budgetOf(600);
    budget.limited(header);
    ask('cancel');
    await clock.advanceBy(2 * MINUTE);

    expect(started[0]?.at).toBeGreaterThanOrEqual(from);
    expect(started[0]?.at).toBeLessThanOrEqual(to);
  });

  test('grows with each 429 without Retry-After up to a minute, and starts again after a success', async () => {
    const { clock, budget, ask, started } = budgetOf(600);
    const pauses: number[] = [];
    for (let round = 0; round < 9; round++) {
      if (round === 8) budget.accepted();
      const from = clock.now() - start;
      budget.limited(undefined);
      budget.limited(undefined);
      ask('data');
      await clock.advanceBy(2 * MINUTE);
      pauses.push((started.at(-1)?.at ?? NaN) - from);
    }

    pauses.slice(0, 6).forEach((pause, round) => {
      expect(pause).toBeGreaterThanOrEqual(Math.min(1_000 * 2 ** round, MINUTE));
      expect(pause).toBeLessThanOrEqual(Math.min(2_000 * 2 ** round, MINUTE));
    });
    expect(pauses[7]).toBe(MINUTE);
    expect(pauses[8]).toBeLessThanOrEqual(2_000);
  });

  test('ends on time even if the clock is set back meanwhile', async () => {
    const host = new FakeHost();
    const budget = new Budget({ perMinute: 600, clock: realClock(host), random: seededRandom(1) });
    const started: number[] = [];
    budget.limited('5');
    void budget.run('cancel', () => Promise.resolve(void started.push(host.now)));
    host.setBy = -60 * MINUTE;
    await host.pass(10_000);
    expect(started).toEqual([5_000]);
  });
});

test.each<[string | undefined, number | null]>([
  ['12', 12_000],
  [' 1.5 ', 1_500],
  ['-4', -4_000],
  ['', null],
  [undefined, null],
  ['2026', 2_026_000],
  ['a while', null],
])('retryAfterMs reads the header %j', (header, ms) => {
  expect(retryAfterMs(header, start)).toBe(ms);
});

describe('the use of the request budget', () => {
  test('counts the requests of the last minute', async () => {
    const { clock, ask, budget } = budgetOf(600);
    expect(budget.use).toEqual({ used: 0, perMinute: 600 });
    ask('data', 20);
    await clock.advanceBy(30_000);
    ask('send', 5);
    await clock.advanceBy(1_000);
    expect(budget.use.used).toBe(25);
    await clock.advanceBy(30_000);
    expect(budget.use.used).toBe(5);
    await clock.advanceBy(10 * MINUTE);
    expect(budget.use.used).toBe(0);
  });
});
