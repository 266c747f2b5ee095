import { request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask } from './asking.ts';
import { startDaemon, type DaemonRun } from './daemonRun.ts';

let run: DaemonRun;
beforeAll(async () => {
  run = await startDaemon();
});
afterAll(async () => {
  await run.stop();
});

type Events = Readonly<{ ids: () => number[]; text: () => string; close: () => void; ended: Promise<void> }>;

/** Reads the stream of events. */
function follow(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Events> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ socketPath: run.socket, path, headers: { host: 'localhost', ...headers } });
    outgoing.on('error', reject);
    outgoing.on('response', (incoming) => {
      let read = '';
      incoming.setEncoding('utf8');
      const ended = new Promise<void>((end) => incoming.on('close', end));
      incoming.on('data', (chunk: string) => (read += chunk));
      incoming.on('error', () => undefined);
      resolve({
        ids: () => [...read.matchAll(/^id: (\d+)\nevent/gm)].map(([, id]) => Number(id)),
        text: () => read,
        close: () => outgoing.destroy(),
        ended,
      });
    });
    outgoing.end();
  });
}

const until = async (isDone: () => boolean) => {
  for (let tries = 0; !isDone(); tries++)
    if (tries > 500) throw new Error('it never came');
    else await new Promise((resolve) => setTimeout(resolve, 10));
};
const lastOf = async () => {
  const { entries } = (await ask({ socket: run.socket, path: '/v1/journal' })).json() as {
    entries: readonly { seq: number }[];
  };
  return entries.at(-1)?.seq ?? 0;
};
const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);

test('an event stream has every journal entry once and in order, past and new', async () => {
  const events = await follow('/v1/events?after=0');
  await run.client.steer('trade', { state: 'reducing', reason: 'seen' });
  await until(() => events.text().includes('"reason":"seen"'));
  const last = await lastOf();
  await until(() => (events.ids().at(-1) ?? 0) >= last);
  events.close();
  expect(events.ids()).toEqual(upTo(events.ids().length));
  expect(events.text()).toMatch(/event: entry\ndata: \{"seq":1,/);
});

test('an event stream resumes after its Last-Event-ID', async () => {
  const last = await lastOf();
  const events = await follow('/v1/events', { 'last-event-id': String(last - 2) });
  await until(() => events.ids().length >= 2);
  events.close();
  expect(events.ids().slice(0, 2)).toEqual([last - 1, last]);
});

test('an event stream without a number begins now', async () => {
  const last = await lastOf();
  const events = await follow('/v1/events');
  await run.client.steer('trade', { state: 'halted', reason: 'later' });
  await until(() => events.ids().length > 0);
  events.close();
  expect(events.ids()[0]).toBeGreaterThan(last);
});

test('an event stream first sends the number where it begins', async () => {
  const last = await lastOf();
  const events = await follow('/v1/events');
  await until(() => events.text().includes('id: '));
  events.close();
  expect(events.text()).toContain(`: ping\n\nid: ${last}\n\n`);
});

test('an event stream after a number beyond the journal is refused', async () => {
  const answer = await ask({ socket: run.socket, path: '/v1/events?after=999999' });
  expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('the journal ends at')]);
});

test.each(['-1', 'abc', '1, 2', '9999999999999999999'])(
  'an invalid Last-Event-ID is refused: %s',
  async (id) => {
    const headers = { host: 'localhost', 'last-event-id': id };
    const answer = await ask({ socket: run.socket, path: '/v1/events', headers });
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('Last-Event-ID')]);
  },
);

test('event streams end with the run', async () => {
  const other = await startDaemon();
  const [mine, theirs] = [run.socket, other.socket];
  run = { ...run, socket: theirs };
  const events = await follow('/v1/events');
  run = { ...run, socket: mine };
  await other.stop();
  await events.ended;
});
