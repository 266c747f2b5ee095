import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask } from './asking.ts';
import { until } from './bareServer.ts';
import { startDaemon, type DaemonRun } from './daemonRun.ts';

let run: DaemonRun;
beforeAll(async () => {
  run = await startDaemon();
});
afterAll(async () => {
  await run.stop();
});

const opened = (count: number): Socket[] =>
  Array.from({ length: count }, () =>
    connect({ path: run.socket })
      .on('error', () => undefined)
      .resume(),
  );
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test('connections beyond a hundred are closed at once, and the run still responds', async () => {
  const flood = opened(500);
  try {
    await until(() => flood.filter((socket) => socket.destroyed || socket.readableEnded).length >= 400);
    expect(await run.client.status()).toMatchObject({ running: true });
  } finally {
    for (const socket of flood) socket.destroy();
  }
});

test('a body beyond its limit is refused before it is read', async () => {
  const headers = { host: 'localhost', 'content-type': 'application/json' };
  const body = JSON.stringify({ id: 'command-0001', reason: 'x'.repeat(100_000) });
  const answer = await ask({ socket: run.socket, method: 'POST', path: '/v1/stop', headers, body });
  expect([answer.status, answer.text]).toEqual([413, expect.stringContaining('TOO_LARGE')]);
  expect(await run.client.status()).toMatchObject({ running: true });
});

test('commands beyond the rate limit are refused and not carried out', async () => {
  const headers = { host: 'localhost', 'content-type': 'application/json' };
  const commands = Array.from({ length: 40 }, (_, index) =>
    ask({
      socket: run.socket,
      method: 'POST',
      path: '/v1/trade',
      headers,
      body: { id: `command-rate-${index}`, state: 'reducing' },
    }),
  );
  const answers = await Promise.all(commands);
  expect(answers.filter(({ status }) => status === 429).length).toBeGreaterThan(0);
  for (const [index, { status }] of answers.entries())
    if (status === 429)
      await expect(run.client.command(`command-rate-${index}`)).rejects.toThrow('there is no command');
});

test('a command sent twice at the same moment is carried out once', async () => {
  await pause(1_500);
  const twice = [0, 1].map(() => run.client.steer('freeze', { symbol: 'AAPL' }, { id: 'command-twice' }));
  const [first, second] = await Promise.all(twice);
  expect(second).toEqual(first);
  const { entries } = (await ask({ socket: run.socket, path: '/v1/journal' })).json() as {
    entries: readonly Readonly<{ kind: string; id?: string }>[];
  };
  expect(entries.filter(({ kind, id }) => kind === 'operator' && id === 'command-twice').length).toBe(1);
});
