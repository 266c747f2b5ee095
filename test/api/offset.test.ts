import { expect, test, vi } from 'vitest';
import { readAnswer } from '../../src/api/envelope.ts';
import { ClockOffset } from '../../src/api/offset.ts';
import { epochMs } from '../../src/core/brand.ts';
import { NotSentError } from '../../src/core/errors.ts';
import { silentLog } from '../../src/core/log.ts';

const now = epochMs(1_700_000_000_000);
const after = (ms: number) => epochMs(now + ms);

const answer = (t: number | null, date?: number) =>
  readAnswer({
    status: 200,
    headers: date === undefined ? {} : { date: new Date(date).toUTCString() },
    body: JSON.stringify({ code: 200, t, data: null }),
  });

const measured = (...seen: Parameters<ClockOffset['observe']>) => {
  const offset = new ClockOffset(silentLog);
  offset.observe(...seen);
  return offset.offsetMs;
};

test.each<[string, number | null, Parameters<ClockOffset['observe']>]>([
  ['the venue answers half-way', 2_000, [answer(now + 2_500), now, after(1_000)]],
  ['a Date header is half a second late', 3_500, [answer(null, now + 3_000), now, now]],
  ['`t` in seconds is not taken for ms', 500, [answer(now / 1000, now), now, now]],
  ['without either, the offset is unknown', null, [answer(null), now, now]],
])('the measured clock offset: %s', (_name, offsetMs, seen) => {
  expect(measured(...seen)).toBe(offsetMs);
});

test("the clock offset is not measured from a proxy's page", () => {
  const page = readAnswer({ status: 200, headers: { date: new Date(0).toUTCString() }, body: '<html>' });
  expect(measured(page, now, now)).toBeNull();
});

test('the clock offset warns once from 5 s, and stops sends from 20 s until a response shows less', () => {
  const warn = vi.fn();
  const offset = new ClockOffset({ ...silentLog, warn });
  const see = (offsetMs: number) => offset.observe(answer(now + offsetMs), now, now);

  see(4_999);
  expect(warn).not.toHaveBeenCalled();
  see(-5_000);
  see(6_000);
  expect(warn).toHaveBeenCalledOnce();
  expect(() => offset.check()).not.toThrow();
  see(-20_000);
  expect(() => offset.check()).toThrow(NotSentError);
  see(100);
  expect(() => offset.check()).not.toThrow();
});
