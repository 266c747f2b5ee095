import { describe, expect, test } from 'vitest';
import type { Pace } from '../../src/core/virtualClock.ts';
import { at, clockOf, START, turns } from './fakeHost.ts';

describe('the clock at pace max', () => {
  test('jumps from timer to timer without waiting, and waits when there is no timer', async () => {
    const { clock, host, seen, note, running } = clockOf('max');
    clock.at(at(86_400_000), note('tomorrow'));
    const { done } = running();
    await turns();
    expect(seen).toEqual(['tomorrow 86400000']);
    expect([host.now, host.waits]).toEqual([0, []]);
    clock.at(at(86_400_001), note('set from outside'));
    await turns();
    expect(seen).toHaveLength(2);
    clock.stop();
    await done;
  });

  test('does not move on touch()', () => {
    const { clock, host } = clockOf('max');
    host.now = 1_000;
    clock.touch();
    expect(clock.now()).toBe(START);
  });
});

describe('the clock at a pace of N', () => {
  test.each([1, 60, 0.5])('takes 1/N of the virtual time in real time (N = %d)', async (pace) => {
    const { clock, host, seen, note, running } = clockOf(pace);
    for (const due of [6_000, 12_000]) clock.at(at(due), note('timer'));
    const { done } = running();
    await host.pass(6_000 / pace - 1);
    expect(seen).toEqual([]);
    await host.pass(1);
    expect(seen).toEqual(['timer 6000']);
    await host.pass(6_000 / pace);
    expect(seen).toEqual(['timer 6000', 'timer 12000']);
    clock.stop();
    await done;
  });

  test('does not count the time of a hold', async () => {
    const { clock, host, seen, note, running } = clockOf(10);
    clock.at(at(1_000), note('timer'));
    const { done } = running();
    await host.pass(60);
    const release = clock.hold();
    expect(clock.now()).toBe(at(600));
    await host.pass(5_000);
    expect([seen, clock.now()]).toEqual([[], at(600)]);
    release();
    await host.pass(39);
    expect(seen).toEqual([]);
    await host.pass(1);
    expect(seen).toEqual(['timer 1000']);
    clock.stop();
    await done;
  });

  test('fires a timer set from outside on time although a later one was already awaited', async () => {
    const { clock, host, seen, note, running } = clockOf(1);
    clock.at(at(60_000), note('far'));
    const { done } = running();
    await host.pass(1_000);
    clock.touch();
    clock.at(at(1_500), note('near'));
    await host.pass(500);
    expect(seen).toEqual(['near 1500']);
    clock.stop();
    await done;
  });

  test('catches up lateness of the machine instead of adding it up', async () => {
    const { clock, host, seen, note, running } = clockOf(1);
    for (const due of [100, 200, 300]) clock.at(at(due), note('timer'));
    const { done } = running();
    await turns();
    host.now = 250;
    await host.pass(0);
    expect(seen).toEqual(['timer 100', 'timer 200']);
    await host.pass(50);
    expect(seen).toHaveLength(3);
    clock.stop();
    await done;
  });

  test('moves up to the present on touch(), never past the next timer and never back', async () => {
    const { clock, host, seen, note, running } = clockOf(10);
    clock.at(at(1_000), note('timer'));
    host.now = 500;
    clock.touch();
    expect(clock.now()).toBe(START);
    const { done } = running();
    await turns();
    host.now += 50;
    clock.touch();
    clock.touch();
    expect(clock.now()).toBe(at(500));
    host.now += 500;
    clock.touch();
    expect([seen, clock.now()]).toEqual([[], at(1_000)]);
    await host.pass(0);
    expect(seen).toEqual(['timer 1000']);
    clock.stop();
    await done;
  });

  test('does not move on touch() while it is held', async () => {
    const { clock, host, running } = clockOf(10);
    const { done } = running();
    await turns();
    const release = clock.hold();
    host.now += 1_000;
    clock.touch();
    expect(clock.now()).toBe(START);
    release();
    clock.stop();
    await done;
  });
});

describe('skipped time at a pace of N', () => {
  /** From one second to ten: nothing waits for that span. */
  const skip = (now: number) => (now >= at(1_000) && now < at(10_000) ? at(10_000) : null);

  test('passes from timer to timer, each at its own instant, and the pace holds again afterwards', async () => {
    const { clock, host, seen, note, running } = clockOf(10, skip);
    for (const due of [1_000, 2_000, 9_999, 10_500]) clock.at(at(due), note('timer'));
    const { done } = running();
    await host.pass(99);
    expect(seen).toEqual([]);
    await host.pass(1);
    expect(seen).toEqual(['timer 1000', 'timer 2000', 'timer 9999']);
    await host.pass(49);
    expect(seen).toHaveLength(3);
    await host.pass(1);
    expect(seen.at(-1)).toBe('timer 10500');
    clock.stop();
    await done;
  });

  test('does not catch up the real time that a timer took', async () => {
    const { clock, host, seen, note, running } = clockOf(10, skip);
    clock.at(at(1_000), () => void (host.now += 60_000));
    for (const due of [9_999, 10_500, 11_000]) clock.at(at(due), note('timer'));
    const { done } = running();
    await host.pass(60_100 + 49);
    expect(seen).toEqual(['timer 9999']);
    await host.pass(1);
    expect(seen).toEqual(['timer 9999', 'timer 10500']);
    clock.stop();
    await done;
  });
});

describe('clock.stop', () => {
  test.each<[Pace, string]>([
    [10, 'waits for a timer'],
    ['max', 'has no timer to jump to'],
  ])('ends run() at pace %s while the clock %s, and no timer fires afterwards', async (pace) => {
    const { clock, host, seen, note, running } = clockOf(pace);
    if (pace !== 'max') clock.at(at(1_000), note('timer'));
    const { done } = running();
    await turns();
    clock.stop();
    await done;
    clock.at(at(2_000), note('later'));
    await host.pass(10_000);
    expect(seen).toEqual([]);
    expect(host.waits).toEqual([]);
  });

  test('ends run() while the clock is held', async () => {
    const { clock, seen, note, running } = clockOf('max');
    clock.hold();
    clock.at(at(1), note('timer'));
    const { done } = running();
    await turns();
    clock.stop();
    await done;
    expect(seen).toEqual([]);
  });

  test('called by a timer ends run() before the next timer, and a second run() continues there', async () => {
    const { clock, seen, note, running } = clockOf('max');
    clock.at(at(1), () => clock.stop());
    clock.at(at(2), note('timer'));
    await running().done;
    expect([seen, clock.now()]).toEqual([[], at(1)]);
    const { done } = running();
    await turns();
    expect(seen).toEqual(['timer 2']);
    clock.stop();
    await done;
  });

  test('ends advanceTo() at the current instant, before the timers that have not fired', async () => {
    const { clock, seen, note } = clockOf(0);
    clock.at(at(1), () => clock.stop());
    clock.at(at(2), note('timer'));
    await clock.advanceBy(10);
    expect([seen, clock.now()]).toEqual([[], at(1)]);
    await clock.advanceBy(10);
    expect(seen).toEqual(['timer 2']);
  });
});
