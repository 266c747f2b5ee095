import { expect, test } from 'vitest';
import { tradingCalendar } from '../../src/calendar/index.ts';
import { freshDir } from '../e2e/cli.ts';
import { startVenue } from '../e2e/venue.ts';
import { CheckpointDeaths, MOMENTS } from './checkpointDeaths.ts';

const KILLS = 20;

test(
  'a run killed 20 times around its checkpoints, which are then spoiled, has the same books at every start',
  { timeout: 1_800_000 },
  async () => {
    const venue = await startVenue('2026-06-15T09:00');
    try {
      const deaths = new CheckpointDeaths(freshDir(), venue);
      const sessions = tradingCalendar.sessions('2026-06-15', '2026-12-31').slice(0, KILLS);
      for (const [index, session] of sessions.entries())
        await deaths.day(session, MOMENTS[index % MOMENTS.length] ?? 'after');
      await deaths.judge();
      expect(deaths.faults).toEqual([]);
      expect(deaths).toMatchObject({ kills: KILLS, spoiled: KILLS / MOMENTS.length });
      expect(deaths.orders()).toBeGreaterThan(KILLS);
    } finally {
      await venue.stop();
    }
  },
);
