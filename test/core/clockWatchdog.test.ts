import { describe, expect, test, vi } from 'vitest';
import { realClock } from '../../src/core/clock.ts';
import { describeGap, machineWatchdog, type Gap } from '../../src/core/clockWatchdog.ts';
import { at, FakeHost, START } from './fakeHost.ts';

const HOUR = 3_600_000;

function beating() {
  const host = new FakeHost();
  const watchdog = machineWatchdog(host);
  const gaps: Gap[] = [];
  watchdog.start((gap) => gaps.push(gap));
  return { host, pulse: watchdog, gaps };
}

describe('the pulse', () => {
  test('beats on without a word while time goes its way', async () => {
    const { host, pulse: watchdog, gaps } = beating();
    await host.pass(60_000);
    watchdog.check();
    expect(gaps).toEqual([]);
  });

  test('tells once that the program stood still, to whoever looks first', async () => {
    const { host, pulse: watchdog, gaps } = beating();
    await host.pass(10_000);
    host.now += 300_000;
    watchdog.check();
    expect(gaps).toEqual([{ kind: 'stoodStill', ms: 300_000 }]);
    watchdog.check();
    await host.pass(5_000);
    expect(gaps).toHaveLength(1);
  });

  test('notices at its own beat when nobody else looks', async () => {
    const { host, gaps } = beating();
    host.now += 6_000;
    await host.pass(0);
    expect(gaps).toMatchObject([{ kind: 'stoodStill' }]);
  });

  test.each([
    [HOUR, 'setForward'],
    [-HOUR, 'setBack'],
  ] as const)('tells a step of the wall clock by %s ms as %s', async (step, kind) => {
    const { host, gaps } = beating();
    await host.pass(10_000);
    host.setBy = step;
    await host.pass(1_000);
    expect(gaps).toEqual([{ kind, ms: HOUR }]);
    expect(describeGap(gaps[0] as Gap)).toMatch(/3600 s/);
  });

  test('lets the clock be led slowly to the right time', async () => {
    const { host, gaps } = beating();
    for (let second = 0; second < 100; second++) {
      host.setBy += 100;
      await host.pass(1_000);
    }
    expect(gaps).toEqual([]);
  });

  test('is silent once stopped', async () => {
    const { host, pulse: watchdog, gaps } = beating();
    watchdog.stop();
    host.now += HOUR;
    watchdog.check();
    await host.pass(10_000);
    expect(gaps).toEqual([]);
  });
});

describe('real time, when somebody sets the clock', () => {
  test.each([HOUR, -HOUR])('a duration lasts as long as it was (%s ms)', async (step) => {
    const host = new FakeHost();
    const woken = vi.fn();
    void realClock(host).sleep(10_000).then(woken);
    host.setBy = step;
    await host.pass(9_500);
    expect(woken).not.toHaveBeenCalled();
    await host.pass(500);
    expect(woken).toHaveBeenCalledOnce();
  });

  test('an instant is not reached before the clock shows it', async () => {
    const host = new FakeHost();
    const rung = vi.fn();
    realClock(host).at(at(HOUR), rung);
    await host.pass(HOUR / 2);
    host.setBy = -HOUR / 2;
    await host.pass(HOUR / 2);
    expect(rung).not.toHaveBeenCalled();
    await host.pass(HOUR / 2);
    expect(rung).toHaveBeenCalledOnce();
    expect(host.wall() - START).toBe(HOUR);
  });

  test('an instant that the clock has jumped over is reached within half a minute', async () => {
    const host = new FakeHost();
    const rung = vi.fn();
    realClock(host).at(at(HOUR), rung);
    await host.pass(60_000);
    host.setBy = 2 * HOUR;
    await host.pass(30_000);
    expect(rung).toHaveBeenCalledOnce();
  });
});
