import { expect, test } from 'vitest';
import { TimeLimits } from '../../src/api/undiciTransport.ts';
import { epochMs } from '../../src/core/brand.ts';
import { VirtualClock } from '../../src/core/virtualClock.ts';

test('each time limit ends at its own time, whatever the order in which limits were set', async () => {
  const clock = new VirtualClock({ start: epochMs(0) });
  const limits = new TimeLimits(clock);
  const ended: [string, number][] = [];
  const add = (name: string, ms: number) => limits.add(ms, () => ended.push([name, clock.now()]));

  add('send', 20_000);
  add('read', 10_000);
  add('same', 10_000);
  const cancel = add('answered', 15_000);
  await clock.advanceBy(12_000);
  add('later', 1_000);
  cancel();
  await clock.advanceBy(60_000);

  expect(ended).toEqual([
    ['read', 10_000],
    ['same', 10_000],
    ['later', 13_000],
    ['send', 20_000],
  ]);
});
