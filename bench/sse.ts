import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { machine } from '../src/core/clock.ts';
import { Secrets } from '../src/core/secrets.ts';
import type { JournalEntry } from '../src/domain/journalEvent.ts';
import { EventStream } from '../src/ops/control/events.ts';
import type { DaemonEvent } from '../src/ops/daemon.ts';
import { median, timed, type Result } from './result.ts';
import { withPoll, type Poll } from './tracking.ts';
import { MORNING, startKernel } from './trading.ts';

const READERS = 10;
const OPEN = 100;
/** Events per burst, and the time between two bursts, in ms: 1,000 events a second. */
const BURST = 10;
const BURST_MS = 10;
/** Polls per round, with readers and without. */
const POLLS = 40;
const ROUNDS = 5;

/** Measures a poll of the order list while readers follow a stream of 1,000 events a second, against one without readers. */
export const sse = (): Promise<Result[]> =>
  withPoll(OPEN, async (poll) => {
    const [values, ratios] = [[] as number[], [] as number[]];
    await round(poll);
    for (let count = 0; count < ROUNDS; count++) {
      const alone = await round(poll);
      const read = await withReaders(() => round(poll));
      values.push(read);
      ratios.push(read / alone);
    }
    const ratio = { vs: 'a poll without readers', x: median(ratios) };
    return [{ name: 'sse', value: median(values), unit: `ms a poll with ${READERS} readers`, ratio }];
  });

async function round(poll: Poll): Promise<number> {
  const times: number[] = [];
  for (let count = 0; count < POLLS; count++) times.push(await timed(poll));
  return median(times);
}

const ENTRY: JournalEntry = {
  at: MORNING,
  fact: { kind: 'denied', method: 'POST', path: `/api/v1/orders/${'x'.repeat(200)}`, group: null },
};

/** Runs `work` while the readers receive their events. */
async function withReaders<T>(work: () => Promise<T>): Promise<T> {
  const listeners = new Set<(event: DaemonEvent) => void>();
  const { context } = startKernel({});
  const subscribe = (listener: (event: DaemonEvent) => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  const daemon = { context, subscribe };
  const pages = { after: () => ({ lines: [], isEnd: true }), turn: () => Promise.resolve() };
  const stream = new EventStream({ daemon, pages, host: machine, secrets: new Secrets() });
  const server = createServer((_request, response) => stream.add(response, 0, { door: 'tcp' })).listen(
    0,
    '127.0.0.1',
  );
  await once(server, 'listening');
  const child = fork(new URL('./eventReaders.js', import.meta.url), { execArgv: [] });
  child.send({ port: (server.address() as AddressInfo).port, readers: READERS });
  while (stream.readers < READERS) await new Promise((resolve) => setTimeout(resolve, BURST_MS));
  let first = 1;
  const timer = setInterval(() => {
    const entries = Array.from({ length: BURST }, () => ENTRY);
    for (const listener of listeners) listener({ kind: 'committed', first, entries });
    first += BURST;
  }, BURST_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    if (stream.readers < READERS) throw new Error('readers were dropped: the rounds cannot be compared');
    child.disconnect();
    stream.close();
    server.close();
  }
}
