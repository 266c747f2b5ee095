import { expect, test } from 'vitest';
import { epochMs } from '../../../src/core/brand.ts';
import { AlarmBook } from '../../../src/engine/state/alarms.ts';
import type { Notice } from '../../../src/engine/state/notice.ts';

const at = (second: number) => epochMs(second * 1_000);
const alarm = (second: number, text: string, about?: string): Notice => ({
  at: at(second),
  kind: 'alarm',
  strategyId: null,
  text,
  ...(about === undefined ? {} : { about }),
});
const clear = (about: string): Notice => ({ ...alarm(9, 'over', about), kind: 'clear' });
const bookOf = (...notices: readonly Notice[]): AlarmBook => {
  const book = new AlarmBook();
  for (const notice of notices) book.take(notice);
  return book;
};
const textsOf = (book: AlarmBook) => book.all.map(({ id, text, count }) => `${id} ${text} ${count}`);

test('an alarm with the same text counts up, keeps id and start, and needs a new acknowledgement', () => {
  const book = bookOf(alarm(1, 'reverted'), alarm(2, 'other'));
  book.acknowledge(new Set(['a1']));
  book.take(alarm(3, 'reverted'));
  expect(book.all).toMatchObject([
    { id: 'a1', at: at(1), latestAt: at(3), count: 2, acknowledged: false },
    { id: 'a2', at: at(2), latestAt: at(2), count: 1, acknowledged: false },
  ]);
});

test('an all-clear ends only the alarm of its cause, whatever its latest text', () => {
  const book = bookOf(
    alarm(1, 'off by 5 s', 'clock'),
    alarm(2, 'off by 25 s', 'clock'),
    alarm(3, 'no answer', 'stale'),
  );
  expect(textsOf(book)).toEqual(['a1 off by 25 s 2', 'a2 no answer 1']);
  book.take(clear('clock'));
  expect(textsOf(book)).toEqual(['a2 no answer 1']);
  book.take(alarm(10, 'off by 6 s', 'clock'));
  expect(textsOf(book)).toEqual(['a2 no answer 1', 'a3 off by 6 s 1']);
});

test('alarms of two strategies with the same text are two alarms', () => {
  const one = alarm(1, 'stopped by its own error: x');
  expect(bookOf({ ...one, strategyId: 'a' }, { ...one, strategyId: 'b' }).all).toHaveLength(2);
});

test('the alarm book finds an alarm by its id, and without an id all that are unacknowledged', () => {
  const book = bookOf(alarm(1, 'one'), alarm(2, 'two'), alarm(3, 'three'));
  book.acknowledge(new Set(['a2']));
  expect(book.named().map(({ id }) => id)).toEqual(['a1', 'a3']);
  expect(book.named('a2').map(({ id }) => id)).toEqual(['a2']);
  expect(book.named('a9')).toEqual([]);
});

test('the alarm book keeps the latest 200, and drops acknowledged alarms first', () => {
  const book = bookOf(alarm(0, 'first'), alarm(0, 'known'));
  book.acknowledge(new Set(['a2']));
  for (let n = 0; n < 199; n++) book.take(alarm(n, `alarm ${n}`));
  expect(book.all).toHaveLength(200);
  expect(book.all[0]).toMatchObject({ text: 'first' });
  book.take(alarm(300, 'one more'));
  expect(book.all).toHaveLength(200);
  expect(book.all[0]).toMatchObject({ text: 'alarm 0' });
});
