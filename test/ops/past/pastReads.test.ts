import { expect, test } from 'vitest';
import type { Host } from '../../../src/core/clock.ts';
import type { PastAnswer, PastTask } from '../../../src/ops/past/answered.ts';
import { ThreadedPastReads, type PastWorker } from '../../../src/ops/past/pastReads.ts';
import { orderQuery, type Question } from '../../../src/ops/past/question.ts';

const RUN = {
  journal: 'journal.sqlite',
  kind: 'live',
  account: 'x',
  params: [],
  exceptions: [],
  runs: 'runs',
} as const;
const order = (id: string): Question => ({ kind: 'order', id });

/** Threads that respond when the test says so, and timers that the test moves. */
function bench() {
  const workers: {
    tasks: PastTask[];
    ended: boolean;
    answer: (answer: PastAnswer) => void;
    fail: (why: string) => void;
  }[] = [];
  const start = (): PastWorker => {
    const own = {
      tasks: [] as PastTask[],
      ended: false,
      answer: (_: PastAnswer) => {},
      fail: (_: string) => {},
    };
    workers.push(own);
    return {
      post: (task) => void own.tasks.push(task),
      onAnswer: (listener) => void (own.answer = listener),
      onEnd: (listener) => void (own.fail = listener),
      end: () => void (own.ended = true),
    };
  };
  let timer: (() => void) | null = null;
  const host: Pick<Host, 'after'> = {
    after: (_ms, run) => {
      timer = run;
      return () => {
        if (timer === run) timer = null;
      };
    },
  };
  const past = new ThreadedPastReads(RUN, host, start);
  const pass = () => timer?.();
  return { past, workers, pass };
}

test('the history thread gets one query at a time, and each query its own result', async () => {
  const { past, workers } = bench();
  const [one, two] = [past.ask(order('a')), past.ask(order('b'))];
  const [worker] = workers;
  expect(worker?.tasks.map(({ question }) => question)).toEqual([order('a')]);
  worker?.answer({ json: '1' });
  worker?.answer({ json: '2' });
  expect([await one, await two, workers.length]).toEqual(['1', '2', 1]);
});

test('a query for something missing is refused as not found, and a failure as internal', async () => {
  const { past, workers } = bench();
  const absent = past.ask(order('a'));
  workers[0]?.answer({ problem: 'there is no order a', isAbsence: true });
  await expect(absent).rejects.toMatchObject({ code: 'NOT_FOUND', message: 'there is no order a' });
  const failed = past.ask(order('b'));
  workers[0]?.answer({ problem: 'the disk is gone', isAbsence: false });
  await expect(failed).rejects.toMatchObject({
    code: 'INTERNAL',
    message: expect.stringContaining('the disk is gone') as string,
  });
});

test('a query that takes too long ends its thread, and the next one gets a new thread', async () => {
  const { past, workers, pass } = bench();
  const [slow, next] = [past.ask(order('a')), past.ask(order('b'))];
  pass();
  await expect(slow).rejects.toMatchObject({ code: 'TIMEOUT' });
  expect(workers[0]?.ended).toBe(true);
  workers[0]?.answer({ json: 'too late' });
  workers[1]?.answer({ json: '2' });
  expect(await next).toBe('2');
});

test('a thread that dies fails its query, and the next query starts another thread', async () => {
  const { past, workers } = bench();
  const asked = past.ask(order('a'));
  workers[0]?.fail('out of memory');
  await expect(asked).rejects.toMatchObject({
    code: 'INTERNAL',
    message: expect.stringContaining('out of memory') as string,
  });
  const next = past.ask(order('b'));
  workers[1]?.answer({ json: '2' });
  expect(await next).toBe('2');
});

test('a history thread without a query for a minute ends', async () => {
  const { past, workers, pass } = bench();
  const asked = past.ask(order('a'));
  workers[0]?.answer({ json: '1' });
  await asked;
  expect(workers[0]?.ended).toBe(false);
  pass();
  expect(workers[0]?.ended).toBe(true);
});

test('at most nine queries are pending, and close refuses them all', async () => {
  const { past } = bench();
  const asked = Array.from({ length: 9 }, (_, index) => past.ask(order(String(index))));
  expect(() => past.ask(order('more'))).toThrow(/too many requests about the past/);
  past.close();
  const ends = await Promise.allSettled(asked);
  expect(ends.every(({ status }) => status === 'rejected')).toBe(true);
});

test.each(['2026-13-45', '2026-02-30', 'today'])('orders of %s, which is no date, are refused', (date) => {
  expect(orderQuery.safeParse({ date }).error?.issues[0]?.message).toBe('must be a date: YYYY-MM-DD');
});
