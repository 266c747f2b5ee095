import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { tradingCalendar } from '../../src/calendar/index.ts';
import { allHours, outsideHours } from '../../src/calendar/phaseHours.ts';
import { epochMs, toIso } from '../../src/core/brand.ts';
import { runs } from '../runs.ts';

const at = (date: string, time: string) => tradingCalendar.newYorkTime(date, time);
const shown = ({ phase, date, open, close }: ReturnType<typeof named>) => [
  phase,
  date,
  toIso(open),
  toIso(close),
];
const named = (instant: number) => {
  const hours = allHours(tradingCalendar).sessionAt(epochMs(instant));
  if (!hours) throw new Error('closed');
  return hours;
};

describe('phases as sessions of their own', () => {
  test('the evening belongs to the trading date of the morning after', () => {
    expect(shown(named(at('2026-06-14', '21:00')))).toEqual([
      'overnight',
      '2026-06-15',
      '2026-06-15T00:00:00Z',
      '2026-06-15T08:00:00Z',
    ]);
    expect(shown(named(at('2026-11-27', '14:00'))).slice(0, 2)).toEqual(['post', '2026-11-27']);
    expect(named(at('2026-11-27', '14:00'))).toMatchObject({ early: true, close: at('2026-11-27', '17:00') });
  });

  test('none of these phases is the regular session', () => {
    const outside = outsideHours(tradingCalendar);
    expect(outside.sessionAt(at('2026-06-15', '12:00'))).toBeUndefined();
    expect(outside.nextSession(at('2026-06-15', '04:00'))).toMatchObject({ phase: 'post' });
    expect(outside.previousSession(at('2026-06-15', '16:00'))).toMatchObject({ phase: 'pre' });
    // Friday ends at 20:00, and the week begins on Sunday at 20:00.
    expect(outside.nextSession(at('2026-06-19', '21:00')).open).toBe(at('2026-06-21', '20:00'));
  });

  test('a year has the phases of its first and last day', () => {
    const outside = outsideHours(tradingCalendar);
    expect(outside.previousSession(at('2026-01-01', '12:00'))).toMatchObject({
      phase: 'post',
      date: '2025-12-31',
    });
    expect(outside.nextSession(at('2025-12-31', '20:00'))).toMatchObject({
      phase: 'overnight',
      date: '2026-01-02',
    });
  });

  test('each instant lies in the phase that the calendar names, and neighbours are the nearest ones', () => {
    const all = allHours(tradingCalendar);
    const [from, to] = [at('2024-12-01', '00:00'), at('2027-02-01', '00:00')];
    const days = all.sessions('2024-11-01', '2027-03-31');
    fc.assert(
      fc.property(fc.integer({ min: from, max: to }).map(epochMs), (instant) => {
        const { phase, session } = tradingCalendar.phaseAt(instant);
        const here = all.sessionAt(instant);
        expect(here?.phase ?? 'closed').toBe(phase);
        expect(here?.date ?? null).toBe(session);
        expect(here).toBe(all.sessionAt(instant));
        expect(days.find(({ open, close }) => open <= instant && instant < close)).toEqual(here);
        expect(all.nextSession(instant)).toEqual(days.find(({ open }) => open > instant));
        expect(all.previousSession(instant)).toEqual(days.findLast(({ close }) => close <= instant));
      }),
      { numRuns: runs(200) },
    );
  });
});
