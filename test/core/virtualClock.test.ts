import { describe, expect, test, vi } from 'vitest';
import { at, clockOf, START } from './fakeHost.ts';

describe('the virtual clock at pace 0', () => {
  test('stands still until it is advanced', async () => {
    const { clock, host, seen, note } = clockOf(0);
    clock.at(at(1), note('timer'));
    await host.pass(60_000);
    expect(seen).toEqual([]);
    expect(clock.now()).toBe(START);
  });

  test('fires each timer at its instant, and timers of one instant in the order they were set', async () => {
    const { clock, seen, note } = clockOf(0);
    clock.at(at(20), note('c'));
    clock.at(at(10), note('a'));
    clock.at(at(10), note('b'));
    clock.at(at(30), note('beyond'));
    await clock.advanceBy(25);
    expect(seen).toEqual(['a 10', 'b 10', 'c 20']);
    expect(clock.now()).toBe(at(25));
  });

  test('wakes a sleeping loop at each of its instants', async () => {
    const { clock, seen, note } = clockOf(0);
    const loop = async () => {
      for (;;) {
        await clock.sleep(250);
        note('poll')();
      }
    };
    void loop();
    await clock.advanceBy(1_000);
    expect(seen).toEqual(['poll 250', 'poll 500', 'poll 750', 'poll 1000']);
  });

  test('waits for the asynchronous work a timer starts before it fires the next timer', async () => {
    const { clock, seen, note } = clockOf(0);
    clock.at(at(1), () => {
      void Promise.resolve()
        .then(() => null)
        .then(note('after some turns'));
    });
    clock.at(at(2), note('next'));
    await clock.advanceBy(5);
    expect(seen).toEqual(['after some turns 1', 'next 2']);
  });

  test('fires a timer for a past instant at once, but never before the call returns', async () => {
    const { clock, seen, note } = clockOf(0);
    await clock.advanceBy(100);
    clock.at(at(50), note('late'));
    expect(seen).toEqual([]);
    await clock.advanceBy(0);
    expect(seen).toEqual(['late 100']);
  });

  test('does not fire a cancelled timer, even one cancelled by a timer of the same instant', async () => {
    const { clock, seen, note } = clockOf(0);
    const first = clock.at(at(1), note('cancelled'));
    clock.at(at(2), () => other());
    const other = clock.at(at(2), note('cancelled too'));
    first();
    await clock.advanceBy(10);
    expect(seen).toEqual([]);
  });

  test('never goes back', async () => {
    const { clock } = clockOf(0);
    await clock.advanceBy(100);
    await clock.advanceTo(at(50));
    expect(clock.now()).toBe(at(100));
  });

  test('orders timers by fractions of a millisecond, while now() gives whole ones', async () => {
    const { clock, seen } = clockOf(0);
    for (const due of [1.75, 1.25]) clock.at(at(due), () => seen.push(`${due}: ${clock.now() - START}`));
    await clock.advanceBy(2);
    expect(seen).toEqual(['1.25: 1', '1.75: 1']);
  });

  test('refuses run()', async () => {
    await expect(clockOf(0).clock.run()).rejects.toThrow('a clock of pace 0 is moved by advanceTo');
  });
});

describe('sleep on the virtual clock', () => {
  const reason = new Error('enough');

  test('ends when its time has passed', async () => {
    const { clock, seen, note } = clockOf(0);
    void clock.sleep(10).then(note('awake'));
    await clock.advanceBy(9);
    expect(seen).toEqual([]);
    await clock.advanceBy(1);
    expect(seen).toEqual(['awake 10']);
  });

  test('rejects with the reason of its signal at the instant of the abort, and leaves no timer', async () => {
    const { clock, seen, note } = clockOf(0);
    const abort = new AbortController();
    const sleep = clock.sleep(10, abort.signal).catch((error: unknown) => {
      note('rejected')();
      throw error;
    });
    clock.at(at(4), () => abort.abort(reason));
    const rejected = expect(sleep).rejects.toBe(reason);
    await clock.advanceBy(20);
    await rejected;
    expect(seen).toEqual(['rejected 4']);
  });

  test('rejects at once when its signal was already aborted', async () => {
    const { clock } = clockOf(0);
    await expect(clock.sleep(10, AbortSignal.abort(reason))).rejects.toBe(reason);
  });

  test('removes its listener from the signal when it ends', async () => {
    const { clock } = clockOf(0);
    const abort = new AbortController();
    const remove = vi.spyOn(abort.signal, 'removeEventListener');
    const sleep = clock.sleep(1, abort.signal);
    await clock.advanceBy(1);
    await expect(sleep).resolves.toBeUndefined();
    expect(remove).toHaveBeenCalledWith('abort', expect.any(Function));
  });

  test('ends at once for a negative duration', async () => {
    const { clock, seen, note } = clockOf(0);
    void clock.sleep(-5).then(note('awake'));
    await clock.advanceBy(0);
    expect(seen).toEqual(['awake 0']);
  });
});
