import { expect, test } from 'vitest';
import { epochMs } from '../../../src/core/brand.ts';
import { seededRandom } from '../../../src/core/seededRandom.ts';
import { AlarmBook } from '../../../src/engine/state/alarms.ts';
import { Freshness } from '../../../src/engine/state/freshness.ts';
import type { EngineContext } from '../../../src/engine/state/engineContext.ts';
import type { Notice } from '../../../src/engine/state/notice.ts';
import { AlarmWatch } from '../../../src/ops/notify/alarmWatch.ts';

const MINUTE = 60_000;

/** A watch over alarms at its own time, and the titles of its messages. */
function watching() {
  const book = new AlarmBook();
  const titles: string[] = [];
  let now = 0;
  const watch = new AlarmWatch({ book, repeatMs: 30 * MINUTE, monotonic: () => now });
  const take = (notice: Pick<Notice, 'kind' | 'about' | 'text' | 'code'>): void => {
    const message = watch.take(book.take({ at: epochMs(now), strategyId: null, ...notice }));
    if (message) titles.push(message.title);
  };
  const pass = (ms: number): void => {
    for (const end = now + ms; now < end; now += MINUTE)
      titles.push(...watch.due().map(({ title }) => title));
  };
  return { titles, take, pass };
}

test('an alarm that comes and goes is sent three times at most, and once more when it ends', () => {
  const { titles, take, pass } = watching();
  for (let time = 0; time < 25; time++) {
    take({ kind: 'alarm', about: 'clock', text: `this clock is ${time} s behind`, code: 'CLOCK_APART' });
    pass(MINUTE);
    take({ kind: 'clear', about: 'clock', text: 'the clocks agree' });
    pass(MINUTE);
  }
  const pair = ['ALARM', 'All clear'];
  expect(titles).toEqual([...pair, ...pair, 'ALARM']);
  pass(15 * MINUTE);
  expect(titles).toEqual([...pair, ...pair, ...pair]);
});

test('the alarm of a touched but unsold stop is sent every five minutes until it is acknowledged', () => {
  const { titles, take, pass } = watching();
  take({ kind: 'alarm', about: 'synthetic a-1', text: 'its stop was touched', code: 'EXIT_NOT_SOLD' });
  pass(21 * MINUTE);
  expect(titles).toEqual(['ALARM', ...Array.from({ length: 4 }, () => 'ALARM, still open')]);
});

/** Notices and message titles of an hour with a check every 10 s of a clock with this offset, in ms. */
function anHourOf(offsetAt: (look: number) => number) {
  const { titles, take, pass } = watching();
  const notices: string[] = [];
  const note = (kind: 'alarm' | 'clear') => (about: string, text: string) => {
    notices.push(text);
    take({ kind, about, text, code: 'CLOCK_APART' });
  };
  const holds = { put: () => true, lift: () => undefined };
  const context = { holds, alarm: note('alarm'), allClear: note('clear') } as unknown as EngineContext;
  const freshness = new Freshness(context);
  for (let look = 0; look < 360; look++) {
    freshness.take({ kind: 'skew', offsetMs: offsetAt(look) });
    if (look % 6 === 5) pass(MINUTE);
  }
  return { notices, titles };
}

test.each([
  ['warns at', 5_000],
  ['stops sending at', 20_000],
])('a clock that wobbles for an hour around the limit at which drover %s is reported once', (_, bound) => {
  const random = seededRandom(`wobble ${bound}`);
  const { notices, titles } = anHourOf(() => bound + (random.next() - 0.5) * 0.3 * bound);
  expect(notices.length).toBeLessThanOrEqual(2);
  expect(titles.filter((title) => title === 'ALARM')).toHaveLength(1);
  expect(titles.length).toBeLessThanOrEqual(3);
});

test('a clock that swings over the bound each minute is reported a few times an hour', () => {
  const { notices, titles } = anHourOf((look) => (Math.floor(look / 3) % 2 === 0 ? 6_000 : 1_000));
  expect(notices.length).toBeGreaterThan(100);
  expect(titles.length).toBeLessThanOrEqual(6);
});
