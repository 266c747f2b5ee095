import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask } from './asking.ts';
import { readyDaemon, startDaemon, type DaemonRun } from './daemonRun.ts';

let run: DaemonRun;
beforeAll(async () => {
  run = await readyDaemon();
});
afterAll(async () => {
  await run.stop();
});

const get = (path: string) => ask({ socket: run.socket, path });

/** Value of a metric; NaN without one. */
const valueOf = (text: string, name: string): number =>
  Number(new RegExp(`^${name}(?:\\{[^}]*\\})? (.+)$`, 'm').exec(text)?.[1] ?? NaN);

describe('a healthy daemon', () => {
  test('is alive and ready', async () => {
    expect((await get('/livez')).json()).toEqual({ alive: true, why: null });
    const answer = await get('/readyz');
    expect(answer.status).toBe(200);
    expect(answer.json()).toMatchObject({ ready: true });
  });

  test('shows its use of the request budget among the limits', async () => {
    const { limits } = await run.client.status();
    expect(limits).toContainEqual(
      expect.objectContaining({ name: 'requestsPerMinute', scope: 'everything' }),
    );
  });

  test('serves metrics in the format of Prometheus, with counts from the first scrape on', async () => {
    const first = await get('/metrics');
    expect(first.headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(valueOf(first.text, 'drover_session_open')).toBe(1);
    expect(valueOf(first.text, 'drover_commit_duration_seconds_count')).toBe(0);
    await run.client.steer('trade', { state: 'halted', reason: 'a commit to be counted' });
    const { text } = await get('/metrics');
    expect(valueOf(text, 'drover_commit_duration_seconds_count')).toBeGreaterThan(0);
    expect(valueOf(text, 'drover_requests_last_minute')).toBeGreaterThan(0);
    expect(text).toMatch(/^drover_trading_state\{.*state="halted".*\} 1$/m);
    expect(text).toMatch(/^drover_event_loop_delay_seconds\{.*quantile="0\.99".*\} \d/m);
  });
});

test('serves health over TCP without a token, and metrics only with one', async () => {
  const token = 'r'.repeat(32);
  const listening = await startDaemon({
    env: { DROVER_CONTROL_READ_TOKEN: token },
    flags: ['--listen', '127.0.0.1:0'],
  });
  const port = Number(/^control: http:\/\/127\.0\.0\.1:(\d+)$/m.exec(listening.err())?.[1]);
  const statusOf = async (path: string, headers = {}) =>
    (await ask({ port, path, headers: { host: 'localhost', ...headers } })).status;
  try {
    expect(await statusOf('/livez')).toBe(200);
    expect(await statusOf('/readyz')).toBeOneOf([200, 503]);
    expect(await statusOf('/metrics')).toBe(401);
    expect(await statusOf('/metrics', { authorization: `Bearer ${token}` })).toBe(200);
    // A caller without a token cannot use up the requests of those who have one.
    const isRefused = async () =>
      (await Promise.all(Array.from({ length: 160 }, () => statusOf('/')))).includes(429);
    // On a busy machine one round may take so long that the allowance fills again meanwhile.
    let refused = false;
    for (let round = 0; round < 10 && !refused; round++) refused = await isRefused();
    expect(refused).toBe(true);
    for (const path of ['/livez', '/readyz', '/readyz?verbose'])
      expect(await statusOf(path)).toBeOneOf([200, 503]);
    const probes = Array.from({ length: 160 }, () => statusOf('/livez'));
    expect(new Set(await Promise.all(probes))).toEqual(new Set([200]));
    const scrapes = Array.from({ length: 110 }, () =>
      statusOf('/metrics', { authorization: `Bearer ${token}` }),
    );
    expect(new Set(await Promise.all(scrapes))).toEqual(new Set([200]));
    expect(await statusOf('/v1/status', { authorization: `Bearer ${token}` })).toBe(200);
  } finally {
    await listening.stop();
  }
});
