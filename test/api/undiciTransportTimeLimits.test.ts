import { expect, test, vi } from 'vitest';
import { TimeLimits } from '../../src/api/undiciTransport.ts';
import { epochMs } from '../../src/core/brand.ts';
import { realClock } from '../../src/core/clock.ts';
import { VirtualClock } from '../../src/core/virtualClock.ts';
import { FakeHost } from '../core/fakeHost.ts';

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

test.each([3_600_000, -3_600_000])(
  'a time limit keeps its length when the clock is shifted by %s ms',
  async (step) => {
    const host = new FakeHost();
    const limits = new TimeLimits(realClock(host));
    const expired = vi.fn();
    limits.add(10_000, expired);
    host.setBy = step;
    await host.pass(9_500);
    expect(expired).not.toHaveBeenCalled();
    await host.pass(500);
    expect(expired).toHaveBeenCalledOnce();
  },
);
