import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { at, START } from './fakeHost.ts';

describe('the system clock', () => {
  beforeEach(() => vi.useFakeTimers({ now: START }));
  afterEach(() => vi.useRealTimers());

  test('reaches instants beyond the longest delay of the runtime', () => {
    const fired = vi.fn();
    const due = 25 * 86_400_000;
    systemClock.at(at(due), fired);
    const cancelled = systemClock.at(at(due), () => expect.unreachable());
    vi.advanceTimersByTime(due - 1);
    expect(fired).not.toHaveBeenCalled();
    cancelled();
    vi.advanceTimersByTime(1);
    expect(fired).toHaveBeenCalledOnce();
  });

  test('fires a timer for a past instant at once, but never before the call returns', () => {
    const fired = vi.fn();
    systemClock.at(at(-1), fired);
    expect(fired).not.toHaveBeenCalled();
    vi.advanceTimersByTime(0);
    expect(fired).toHaveBeenCalledOnce();
  });

  test('refuses to be held', () => {
    const release = systemClock.hold('request');
    expect(release).not.toThrow();
    expect(systemClock.now()).toBe(START);
  });
});
