import { describe, expect, test } from 'vitest';
import { tradingCalendar, type Session } from '../../../src/calendar/index.ts';
import { windowsOf } from '../../../src/lab/walkForward/windows.ts';

const sessions = tradingCalendar.sessions('2020-01-01', '2021-12-31');
const base = {
  isAnchored: false,
  embargo: 0,
  sessions,
  marksPerYear: 252,
  endOf: ({ close }: Session) => close,
  span: { from: -Infinity, to: Infinity },
};
const dateAt = (index: number) => sessions[index]?.date;
const within = ({ from, to } = { from: NaN, to: NaN }) =>
  sessions.filter(({ open }) => open >= from && open < to).map(({ date }) => date);

describe('walk-forward windows', () => {
  test('roll, and their parts out of sample cover each session once', () => {
    const windows = windowsOf({ ...base, text: '12m/3m' });
    expect(within(windows[0]?.inSample)).toEqual(sessions.slice(0, 252).map(({ date }) => date));
    expect(within(windows[1]?.inSample)).toEqual(sessions.slice(63, 315).map(({ date }) => date));
    expect(windows.flatMap(({ outOfSample }) => within(outOfSample))).toEqual(
      sessions.slice(252).map(({ date }) => date),
    );
  });
  test('that are anchored begin with the first session', () => {
    for (const { inSample } of windowsOf({ ...base, text: '100d/50d', isAnchored: true }))
      expect(within(inSample)[0]).toBe(dateAt(0));
  });
  test('keep the embargo between both parts', () => {
    for (const { inSample, outOfSample } of windowsOf({ ...base, text: '100d/50d', embargo: 5 })) {
      const [last, first] = [within(inSample).at(-1), within(outOfSample)[0]];
      const gap =
        sessions.findIndex(({ date }) => date === first) - sessions.findIndex(({ date }) => date === last);
      expect(gap).toBe(6);
    }
  });
  test('of weekly bars count weeks', () => {
    const weeks = sessions.filter((_, index) => index % 5 === 0);
    const [first] = windowsOf({ ...base, sessions: weeks, marksPerYear: 52, text: '12m/3m' });
    expect(weeks.filter(({ open }) => open < (first?.inSample.to ?? 0))).toHaveLength(52);
  });
  test.each([
    ['12m', 'write it as 12m/3m'],
    ['12m/3q', 'write it as 12m/3m'],
    ['19d/5d', 'there are 19 sessions in sample, but it needs 20'],
    ['12m/0d', 'nothing is out of sample'],
    ['490d/5d', 'needs 510 sessions or more, and there are 505'],
    ['3y/1m', 'needs 776 sessions or more, and there are 505'],
  ])('are refused for %s', (text, why) => expect(() => windowsOf({ ...base, text })).toThrow(why));
});
