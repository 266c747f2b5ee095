import { expect, test } from 'vitest';
import { ServiceManager, type ServiceState } from '../../src/ops/serviceManager.ts';
import { FakeHost } from '../core/fakeHost.ts';

const SECOND = 1_000;

/** A reported run, and the notifications of its service manager. */
function reported(watchdogMs: number | null = 60 * SECOND) {
  const host = new FakeHost();
  let state: ServiceState = { isReady: false, isEnding: false, standstill: null, status: 'starting' };
  const sent: (readonly string[])[] = [];
  const problems: string[] = [];
  let answer: () => Promise<string | null> = () => Promise.resolve(null);
  const manager = new ServiceManager({
    look: () => state,
    send: (fields) => {
      sent.push(fields);
      return answer();
    },
    host,
    watchdogMs,
    onProblem: (text) => problems.push(text),
  });
  manager.start();
  return {
    host,
    sent,
    problems,
    manager,
    change: (changed: Partial<ServiceState>) => (state = { ...state, ...changed }),
    answerBy: (next: typeof answer) => (answer = next),
    /** Notifications sent since the last call. */
    take: () => sent.splice(0).map((fields) => fields.join(' ')),
  };
}

test('a run reports once that it is ready, then that it is alive, and once that it ends', async () => {
  const run = reported();
  await run.host.pass(25 * SECOND);
  expect(run.take()).toEqual([
    'EXTEND_TIMEOUT_USEC=90000000 WATCHDOG=1 STATUS=starting',
    'EXTEND_TIMEOUT_USEC=90000000 WATCHDOG=1 STATUS=starting',
  ]);
  run.change({ isReady: true, status: 'active' });
  await run.host.pass(SECOND);
  expect(run.take()).toEqual(['READY=1 WATCHDOG=1 STATUS=active']);
  run.change({ isReady: false });
  await run.host.pass(45 * SECOND);
  expect(run.take()).toEqual(['WATCHDOG=1 STATUS=active', 'WATCHDOG=1 STATUS=active']);
  run.change({ isEnding: true });
  await run.host.pass(60 * SECOND);
  expect(run.take()).toEqual(['STOPPING=1 STATUS=active']);
  run.manager.stop();
  expect(run.host.waits).toEqual([]);
});

test('a run whose kernel takes no steps is not reported as alive', async () => {
  const run = reported();
  run.change({ isReady: true });
  await run.host.pass(SECOND);
  run.take();
  run.change({ standstill: 'the last step was 301 s ago' });
  await run.host.pass(10 * 60 * SECOND);
  expect([run.take(), run.problems]).toEqual([[], ['not reported as alive: the last step was 301 s ago']]);
  run.change({ standstill: null });
  await run.host.pass(SECOND);
  expect(run.take()).toEqual(['WATCHDOG=1 STATUS=starting']);
});

test('one report is under way at a time, and a failed one is sent again', async () => {
  const run = reported();
  let fail: (problem: string) => void = () => undefined;
  run.change({ isReady: true });
  run.answerBy(() => new Promise((resolve) => (fail = resolve)));
  await run.host.pass(2 * SECOND);
  run.take();
  await run.host.pass(5 * 60 * SECOND);
  expect(run.take()).toEqual([]);
  fail('no such program');
  run.answerBy(() => Promise.resolve(null));
  await run.host.pass(SECOND);
  expect(run.problems).toEqual(['no such program']);
  expect(run.take()).toEqual(['READY=1 WATCHDOG=1 STATUS=starting']);
});

test('a run without a watchdog reports every half minute', async () => {
  const run = reported(null);
  run.change({ isReady: true });
  await run.host.pass(90 * SECOND);
  expect(run.take().length).toBeLessThanOrEqual(5);
});
