import { describe, expect, test } from 'vitest';
import type { Pace, VirtualClock } from '../../src/core/virtualClock.ts';
import { at, clockOf, START, turns } from './fakeHost.ts';

describe.each<[name: string, pace: Pace]>([
  ['at pace 0', 0],
  ['at pace max', 'max'],
])('clock holds %s', (_name, pace) => {
  const moving = (clock: VirtualClock) => (pace === 0 ? clock.advanceBy(1_000) : clock.run());

  test('stop time until the last hold is released', async () => {
    const { clock, seen, note } = clockOf(pace);
    const [one, other] = [clock.hold(), clock.hold()];
    clock.at(at(10), note('timer'));
    const moved = moving(clock);
    await turns();
    one();
    one();
    await turns();
    expect(seen).toEqual([]);
    expect(clock.now()).toBe(START);
    other();
    await turns();
    expect(seen).toEqual(['timer 10']);
    clock.stop();
    await moved;
  });

  test('taken while a timer fires delay the next timer', async () => {
    const { clock, seen, note } = clockOf(pace);
    let release: () => void = expect.unreachable;
    clock.at(at(10), () => (release = clock.hold()));
    clock.at(at(20), note('next'));
    const moved = moving(clock);
    await turns();
    expect([seen, clock.now()]).toEqual([[], at(10)]);
    release();
    await turns();
    expect(seen).toEqual(['next 20']);
    clock.stop();
    await moved;
  });

  test('with a key exist once: a single release frees a key that was taken twice', async () => {
    const { clock, seen, note } = clockOf(pace);
    const release = clock.hold('request');
    clock.hold('request');
    clock.at(at(10), note('timer'));
    const moved = moving(clock);
    release();
    await turns();
    expect(seen).toEqual(['timer 10']);
    clock.stop();
    await moved;
  });
});

describe('clock.suspend', () => {
  test('lets time pass while the holder waits, and holds again before the next timer', async () => {
    const { clock, seen, note } = clockOf(0);
    const release = clock.hold('request');
    const moved = clock.advanceBy(1_000);
    void clock.suspend('request', () => clock.sleep(100)).then(note('answered'));
    clock.at(at(100), note('next'));
    clock.at(at(101), note('one later'));
    await turns(20);
    expect(seen).toEqual(['answered 100']);
    release();
    await moved;
    expect(seen).toEqual(['answered 100', 'next 100', 'one later 101']);
  });

  test('does not hold again when the holder has released its hold meanwhile', async () => {
    const { clock, seen, note } = clockOf(0);
    const release = clock.hold('request');
    const moved = clock.advanceBy(1_000);
    void clock.suspend('request', () => clock.sleep(100)).then(note('answered'));
    clock.at(at(50), release);
    clock.at(at(200), note('next'));
    await moved;
    expect(seen).toEqual(['answered 100', 'next 200']);
  });

  test('just waits when the key holds nothing', async () => {
    const { clock } = clockOf(0);
    const suspended = clock.suspend('nobody', () => clock.sleep(10).then(() => 'value'));
    await clock.advanceBy(500);
    await expect(suspended).resolves.toBe('value');
    expect(clock.now()).toBe(at(500));
  });

  test('holds again when the awaited work fails', async () => {
    const { clock, seen, note } = clockOf(0);
    const release = clock.hold('request');
    const moved = clock.advanceBy(1_000);
    const suspended = clock.suspend('request', () => Promise.reject(new Error('lost')));
    clock.at(at(10), note('next'));
    await expect(suspended).rejects.toThrow('lost');
    await turns();
    expect(seen).toEqual([]);
    release();
    await moved;
    expect(seen).toEqual(['next 10']);
  });

  test('leaves the holds of others in place', async () => {
    const { clock, seen, note } = clockOf(0);
    const release = clock.hold('request');
    const other = clock.hold();
    void clock.suspend('request', () => clock.sleep(100)).then(note('answered'));
    const moved = clock.advanceBy(100);
    await turns();
    expect(seen).toEqual([]);
    other();
    await turns();
    release();
    await moved;
    expect(seen).toEqual(['answered 100']);
  });
});
