import { describe, expect, test } from 'vitest';
import type { Pace } from '../../src/core/virtualClock.ts';
import { at, clockOf, START, turns } from './fakeHost.ts';

describe('at pace max', () => {
  test('jumps from timer to timer without waiting, and waits where there is none', async () => {
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

  test('touch does not move it', () => {
    const { clock, host } = clockOf('max');
    host.now = 1_000;
    clock.touch();
    expect(clock.now()).toBe(START);
  });
});

describe('at pace N', () => {
  test.each([1, 60, 0.5])('%d: virtual time takes a real time that many times shorter', async (pace) => {
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

  test('the time of holds does not count', async () => {
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

  test('a timer set from outside is not late behind a farther one', async () => {
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

  test('lateness of the machine is caught up, not added up', async () => {
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

  test('touch moves up to the present, never past the next timer and never back', async () => {
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

  test('touch leaves a held clock alone', async () => {
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

describe('at pace N, skipped time', () => {
  /** From one second to ten: nobody waits for it. */
  const skip = (now: number) => (now >= at(1_000) && now < at(10_000) ? at(10_000) : null);

  test('passes from timer to timer, each at its own instant, and time after it passes at the pace again', async () => {
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

  test('is not caught up for the time that its work took', async () => {
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

describe('stop', () => {
  test.each<[Pace, string]>([
    [10, 'waits for a timer'],
    ['max', 'has no timer to jump to'],
  ])('ends run at pace %s while it %s, and nothing fires any more', async (pace) => {
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

  test('ends run while a hold is out', async () => {
    const { clock, seen, note, running } = clockOf('max');
    clock.hold();
    clock.at(at(1), note('timer'));
    const { done } = running();
    await turns();
    clock.stop();
    await done;
    expect(seen).toEqual([]);
  });

  test('by a timer ends run before the next timer, and a second run goes on from there', async () => {
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

  test('ends advanceTo where it is: time does not jump over timers that have not fired', async () => {
    const { clock, seen, note } = clockOf(0);
    clock.at(at(1), () => clock.stop());
    clock.at(at(2), note('timer'));
    await clock.advanceBy(10);
    expect([seen, clock.now()]).toEqual([[], at(1)]);
    await clock.advanceBy(10);
    expect(seen).toEqual(['timer 2']);
  });
});
