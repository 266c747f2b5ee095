import { expect, test } from 'vitest';
import { tradingCalendar } from '../../../src/calendar/index.ts';
import { epochMs } from '../../../src/core/brand.ts';
import { VirtualClock } from '../../../src/core/virtualClock.ts';
import { Schedule, type Before } from '../../../src/engine/runtime/scheduler.ts';
import { MINUTE, MORNING } from '../stage.ts';

/** A schedule with one time, 10:01, that starts at 10:00; firings are recorded, and may stop it. */
function scheduled(before: Partial<Before>, stopsAt?: string) {
  const clock = new VirtualClock({ start: MORNING });
  const rung: string[] = [];
  const ring = (what: string) => {
    rung.push(what);
    if (what === stopsAt) schedule.stop();
  };
  const setup = { id: 'solo', needs: { timers: [{ name: 'a', at: '10:01' }] } };
  const schedule: Schedule = new Schedule({
    clock,
    calendar: tradingCalendar,
    strategies: [setup as never],
    before: {
      firstStart: () => epochMs(0),
      sessionDate: null,
      sessionClosed: false,
      fired: new Map(),
      ...before,
    },
    events: { onSession: (change) => ring(change), onTimer: (_owner, timer) => ring(timer) },
  });
  schedule.start();
  return { clock, rung };
}

test('a timer that has fired does not fire again when the clock is set back before it', async () => {
  const fired = new Map([['solo a', epochMs(MORNING + 2 * MINUTE)]]);
  const { clock, rung } = scheduled({ fired });
  await clock.advanceBy(10 * MINUTE);
  expect(rung).toEqual(['opened']);
});

test('a session that opened and closed does neither again when the clock is set back into it', async () => {
  const { clock, rung } = scheduled({ sessionDate: '2026-06-15', sessionClosed: true });
  await clock.advanceBy(7 * 60 * MINUTE);
  expect(rung).toEqual(['a']);
});

test('a scheduler that is stopped while it fires sets no further timer', async () => {
  const { clock, rung } = scheduled({}, 'opened');
  await clock.advanceBy(7 * 60 * MINUTE);
  expect(rung).toEqual(['opened']);
});
