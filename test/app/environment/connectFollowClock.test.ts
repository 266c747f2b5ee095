import { expect, test } from 'vitest';
import { epochMs } from '../../../src/core/brand.ts';
import type { Host } from '../../../src/core/clock.ts';
import { UnreachableError } from '../../../src/core/errors.ts';
import { FollowedClock, readClock, type ClockReading } from '../../../src/app/environment/connect.ts';
import { startVenueStub } from '../../cli/support/venueStub.ts';

/** Real time that the test moves, and an emulator that moves at its own speed. */
function stage(speed: number) {
  let real = 0;
  let venue = 1_000_000;
  let waiting: { due: number; run: () => void }[] = [];
  const host: Host = {
    monotonic: () => real,
    after(ms, run) {
      waiting.push({ due: real + ms, run });
      return () => undefined;
    },
    turn: () => Promise.resolve(),
  };
  return {
    host,
    read: (): Promise<ClockReading> => Promise.resolve({ now: epochMs(venue), speed }),
    pass: async (realMs: number, venueMs: number) => {
      real += realMs;
      venue += venueMs;
      const due = waiting.filter((timer) => timer.due <= real);
      waiting = waiting.filter((timer) => timer.due > real);
      for (const { run } of due) run();
      for (let turn = 0; turn < 10; turn++) await Promise.resolve();
    },
  };
}

test('a followed clock runs at the speed of the emulator, and never back', async () => {
  const { host, read, pass } = stage(60);
  const clock = await FollowedClock.start(read, host);
  expect(clock.now()).toBe(1_000_000);
  await pass(1_000, 0);
  expect(clock.now()).toBe(1_060_000);
  clock.at(epochMs(0), () => undefined);
  await pass(1_000, 0);
  expect(clock.now()).toBeGreaterThanOrEqual(1_060_000);
});

test('a timer fires when the emulator reports its time, not when it is estimated', async () => {
  const { host, read, pass } = stage(60);
  const clock = await FollowedClock.start(read, host);
  let fired = 0;
  clock.at(epochMs(1_006_000), () => fired++);
  await pass(100, 0);
  await pass(100, 0);
  expect(fired).toBe(0);
  await pass(100, 6_000);
  expect(fired).toBe(1);
});

test('a clock of speed 0 is polled until it has moved', async () => {
  const { host, read, pass } = stage(0);
  const clock = await FollowedClock.start(read, host);
  let awake = false;
  void clock.sleep(5_000).then(() => (awake = true));
  await pass(60, 0);
  expect(awake).toBe(false);
  await pass(60, 5_000);
  expect(awake).toBe(true);
});

test('a failed poll of the clock is repeated', async () => {
  const { host, read, pass } = stage(0);
  let broken = false;
  const clock = await FollowedClock.start(() => (broken ? Promise.reject(new Error('gone')) : read()), host);
  let fired = false;
  clock.at(epochMs(1_000_001), () => (fired = true));
  broken = true;
  await pass(60, 10);
  expect(fired).toBe(false);
  broken = false;
  await pass(60, 0);
  expect(fired).toBe(true);
});

test('a missing emulator clock is reported with its address', async () => {
  const stub = await startVenueStub({});
  await expect(readClock(stub.baseUrl)).rejects.toThrow(UnreachableError);
  await expect(readClock(stub.baseUrl)).rejects.toThrow(`no clock to follow at ${stub.baseUrl}/clock`);
  await stub.close();
});
