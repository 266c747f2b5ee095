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

describe('the clock watchdog', () => {
  test('reports nothing while time passes normally', async () => {
    const { host, pulse: watchdog, gaps } = beating();
    await host.pass(60_000);
    watchdog.check();
    expect(gaps).toEqual([]);
  });

  test('reports a standstill of the program once, to the first check', async () => {
    const { host, pulse: watchdog, gaps } = beating();
    await host.pass(10_000);
    host.now += 300_000;
    watchdog.check();
    expect(gaps).toEqual([{ kind: 'stoodStill', ms: 300_000 }]);
    watchdog.check();
    await host.pass(5_000);
    expect(gaps).toHaveLength(1);
  });

  test('notices a standstill at its own next beat when nothing else checks', async () => {
    const { host, gaps } = beating();
    host.now += 6_000;
    await host.pass(0);
    expect(gaps).toMatchObject([{ kind: 'stoodStill' }]);
  });

  test.each([
    [HOUR, 'setForward'],
    [-HOUR, 'setBack'],
  ] as const)('reports a change of the wall clock by %s ms as %s', async (step, kind) => {
    const { host, gaps } = beating();
    await host.pass(10_000);
    host.setBy = step;
    await host.pass(1_000);
    expect(gaps).toEqual([{ kind, ms: HOUR }]);
    expect(describeGap(gaps[0] as Gap)).toMatch(/3600 s/);
  });

  test('reports nothing while the wall clock is slewed slowly', async () => {
    const { host, gaps } = beating();
    for (let second = 0; second < 100; second++) {
      host.setBy += 100;
      await host.pass(1_000);
    }
    expect(gaps).toEqual([]);
  });

  test('reports nothing after stop()', async () => {
    const { host, pulse: watchdog, gaps } = beating();
    watchdog.stop();
    host.now += HOUR;
    watchdog.check();
    await host.pass(10_000);
    expect(gaps).toEqual([]);
  });
});

describe('the real clock when the wall clock of the machine is changed', () => {
  test.each([HOUR, -HOUR])('sleeps for the same duration (%s ms)', async (step) => {
    const host = new FakeHost();
    const woken = vi.fn();
    void realClock(host).sleep(10_000).then(woken);
    host.setBy = step;
    await host.pass(9_500);
    expect(woken).not.toHaveBeenCalled();
    await host.pass(500);
    expect(woken).toHaveBeenCalledOnce();
  });

  test('reaches an instant only once the wall clock shows it', async () => {
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

  test('reaches an instant that the wall clock jumped over within half a minute', async () => {
    const host = new FakeHost();
    const rung = vi.fn();
    realClock(host).at(at(HOUR), rung);
    await host.pass(60_000);
    host.setBy = 2 * HOUR;
    await host.pass(30_000);
    expect(rung).toHaveBeenCalledOnce();
  });
});
