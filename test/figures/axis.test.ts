import { expect, test } from 'vitest';
import { ticksWithin } from '../../src/figures/axis.ts';

/** Instants of a day in New York, one every `step` minutes. */
const minutes = (date: string, [from, to]: readonly [number, number], step: number): string[] =>
  Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => {
    const minute = from + index * step;
    const two = (value: number) => String(value).padStart(2, '0');
    return `${date} ${two(Math.floor(minute / 60))}:${two(minute % 60)}`;
  });

const [OPEN, CLOSE] = [570, 960];
const labelsOf = (times: readonly string[]) =>
  ticksWithin(times, { from: 0, to: times.length }).map(({ at, label }) => [times[Math.floor(at)], label]);

test('the axis of a session shows its day, then round times', () => {
  const times = minutes('2026-06-18', [OPEN + 1, CLOSE], 2);
  expect(labelsOf(times)).toEqual([
    ['2026-06-18 09:31', 'Jun 18'],
    ...[10, 11, 12, 13, 14, 15].map((hour) => [`2026-06-18 ${hour}:01`, `${hour}:01`]),
  ]);
  expect(labelsOf(minutes('2026-06-18', [OPEN, OPEN + 30], 5)).map(([, label]) => label)).toEqual([
    'Jun 18',
    '09:35',
    '09:40',
    '09:45',
    '09:50',
    '09:55',
    '10:00',
  ]);
});

test('the axis leaves out a time that the label of a day would cover', () => {
  const times = [...minutes('2026-06-17', [OPEN, CLOSE], 5), ...minutes('2026-06-18', [OPEN, CLOSE], 5)];
  expect(labelsOf(times).map(([, label]) => label)).toEqual([
    'Jun 17',
    '12:00',
    '15:00',
    'Jun 18',
    '12:00',
    '15:00',
  ]);
});

test('the axis labels only some of many days', () => {
  const times = Array.from({ length: 20 }, (_, day) =>
    minutes(`2026-06-${10 + day}`, [OPEN, CLOSE], 60),
  ).flat();
  const labels = labelsOf(times).map(([, label]) => label);
  expect(labels).toEqual(['Jun 10', 'Jun 13', 'Jun 16', 'Jun 19', 'Jun 22', 'Jun 25', 'Jun 28']);
});
