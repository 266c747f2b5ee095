import { expect, test } from 'vitest';
import { epochMs } from '../../../src/core/brand.ts';
import { ticker } from '../../../src/domain/instrument.ts';
import { EmulatedWorld } from '../emulated.ts';

/** Five minutes before the close. */
const START = epochMs(Date.parse('2026-06-15T19:55:00Z'));
const SECOND = 1_000;
const AAPL = ticker('AAPL');

test('bars that end while the venue does not answer are delivered afterwards, including that of the day', async () => {
  const world = new EmulatedWorld({ start: START });
  const endpoint = 'GET /api/v1/prices/{symbol}/history';
  const faults = (rules: object[]) => world.command({ kind: 'faults', body: { rules } } as never);
  const down = { kind: 'status', status: 503, processed: false, endpoint, probability: 1 };
  world.clock.at(epochMs(START + 150 * SECOND), () => faults([down]));
  world.clock.at(epochMs(START + 390 * SECOND), () => faults([]));
  const shown: string[] = [];
  await world.run(12, {
    bars: (['1m', '1d'] as const).map((interval) => ({ symbol: AAPL, interval, warmUp: 1 })),
    hooks: {
      onBar: ({ bar, view }) =>
        view.now > START + 30 * SECOND &&
        void shown.push(`${bar.interval} ${Math.floor((view.now - START) / 60_000)}`),
    },
  });
  expect(shown.filter((line) => line.startsWith('1m'))).toHaveLength(5);
  expect(shown.filter((line) => line.startsWith('1d'))).toEqual(['1d 6']);
});
