import { expect, test } from 'vitest';
import { epochMs } from '../../../src/core/brand.ts';
import { AlarmBook } from '../../../src/engine/state/alarms.ts';
import type { Notice } from '../../../src/engine/state/notice.ts';
import { AlarmWatch } from '../../../src/ops/notify/alarmWatch.ts';

const MINUTE = 60_000;

/** A watch over alarms at a time of its own, and the titles of its messages. */
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

test('a clock that comes and goes is told three times at most, and once more when it is over', () => {
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

test('a stop that was touched and is not sold is told every five minutes until somebody acknowledges it', () => {
  const { titles, take, pass } = watching();
  take({ kind: 'alarm', about: 'synthetic a-1', text: 'its stop was touched', code: 'EXIT_NOT_SOLD' });
  pass(21 * MINUTE);
  expect(titles).toEqual(['ALARM', ...Array.from({ length: 4 }, () => 'ALARM, still open')]);
});
