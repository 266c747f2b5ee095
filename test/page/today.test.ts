import { expect, test } from 'vitest';
import type { DayEquity } from '../../src/ops/model/past.ts';
import type { Status } from '../../src/ops/model/status.ts';
import { extended, momentsOf, togetherAt, type Moment } from '../../src/page/views/now/today.ts';
import { BUSY } from '../cli/commands/daemon/statuses.ts';

const OPEN = Date.parse('2026-03-10T13:30:00Z');
const [first = NaN, second = NaN, third = NaN] = [0, 30_000, 60_000].map((ms) => OPEN + ms);

const day: DayEquity = {
  date: '2026-03-10',
  at: [first, second, third],
  equity: [3_000, 3_000, 3_000],
  capital: [3_000, 3_000, 3_000],
  strategies: [
    // A profit of 5 before today; 100 is deposited at the second point, and is not a profit.
    { id: 'steady-mix', equity: [1_005, 1_107, 1_104], capital: [1_000, 1_100, 1_100] },
    { id: 'late', equity: [null, null, 500], capital: [null, null, 498] },
  ],
};

/** A status at an instant, of a strategy with this profit today. */
const statusAt = (at: number, today: string, phase = 'regular'): Status => ({
  ...BUSY,
  now: new Date(at).toISOString(),
  session: { ...BUSY.session, phase },
  strategies: BUSY.strategies.map((strategy) => ({ ...strategy, pnl: { ...strategy.pnl, today } })),
});

const profitsOf = (moments: readonly Moment[], id: string) =>
  moments.map(({ profits }) => profits.get(id) ?? null);

test('profit of today counts from the open without deposits, and from the start of a later strategy', () => {
  const moments = momentsOf(day);
  expect(moments.map(({ at }) => at)).toEqual(day.at);
  expect(profitsOf(moments, 'steady-mix')).toEqual([0, 2, -1]);
  expect(profitsOf(moments, 'late')).toEqual([null, null, 0]);
  expect(moments.map(togetherAt)).toEqual([0, 2, -1]);
});

test('a status extends the line of today, and leaves one point for each step', () => {
  let moments: readonly Moment[] = momentsOf(day);
  for (const [seconds, today] of [
    [5, '1'],
    [10, '2'],
    [29, '3'],
    [31, '4'],
    [62, '5'],
  ] as const)
    moments = extended(moments, statusAt(third + seconds * 1_000, today));
  expect(moments.map(({ at }) => (at - third) / 1_000)).toEqual([-60, -30, 0, 29, 31, 62]);
  expect(profitsOf(moments, 'steady-mix')).toEqual([0, 2, -1, 3, 4, 5]);
});

test('a status from before the last moment or outside of the session adds nothing', () => {
  const moments = momentsOf(day);
  expect(extended(moments, statusAt(third, '9'))).toBe(moments);
  expect(extended(moments, statusAt(second, '9'))).toBe(moments);
  for (const phase of ['pre', 'post', 'closed', 'overnight'])
    expect(extended(moments, statusAt(third + 60_000, '9', phase))).toBe(moments);
  expect(extended([], statusAt(third, '9')).map(togetherAt)).toEqual([18]);
});
