import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { fetchInTurn, requireSources, sourcesOf } from '../../../src/app/strategies/fetches.ts';
import { isPublic } from '../../../src/app/config/fetch.ts';
import { type Cancel, sleepOn, systemClock } from '../../../src/core/clock.ts';
import type { FetchedEvent } from '../../../src/engine/state/kernelEvent.ts';

async function server(answer: RequestListener): Promise<string> {
  const web = createServer(answer);
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    web.closeAllConnections();
    web.close();
  });
  return `http://127.0.0.1:${(web.address() as AddressInfo).port}`;
}

const sourceAt = (url: string, name = 'mood') =>
  ({ url, everySeconds: 10, maxKb: 1, strategyId: 'solo', name }) as const;

/** Waits that a test lets pass, by their length in ms. Waits of 0 are over at once. */
function patience() {
  const waits: { ms: number; over: () => void }[] = [];
  let now = 0;
  const after = (ms: number, run: () => void): Cancel => {
    const wait = { ms, over: run };
    waits.push(wait);
    return () => void (wait.over = () => undefined);
  };
  const sleep = (ms: number, signal?: AbortSignal) =>
    ms <= 0 ? Promise.resolve() : sleepOn({ after }, ms, signal);
  const clock = { monotonic: () => now, after, sleep };
  const pass = (ms: number) => {
    now += ms;
    for (const { over } of waits.splice(0)) over();
  };
  return { clock, pass, waits };
}

/** Response to the first request of an address. */
async function firstOf(url: string, clock: Parameters<typeof fetchInTurn>[1] = systemClock) {
  return new Promise<FetchedEvent['answer']>((resolve) => {
    const end = fetchInTurn([sourceAt(url)], clock, ({ answer }) => {
      end();
      resolve(answer);
    });
  });
}

describe('an address to fetch', () => {
  test('is requested by GET without headers of drover', async () => {
    const asked: IncomingMessage[] = [];
    const url = await server((request, response) => {
      asked.push(request);
      response.setHeader('set-cookie', 'id=1').end('{"level":2} é');
    });
    const { clock, pass } = patience();
    const answers: FetchedEvent[] = [];
    const end = fetchInTurn([sourceAt(`${url}/a?b=c`)], clock, (event) => answers.push(event));
    onTestFinished(end);
    await vi.waitFor(() => expect(answers).toHaveLength(1));
    pass(10_000);
    await vi.waitFor(() => expect(answers).toHaveLength(2));
    expect(answers[0]).toEqual({
      kind: 'fetched',
      strategyId: 'solo',
      name: 'mood',
      answer: { text: '{"level":2} é' },
    });
    for (const { method, url: path, headers } of asked) {
      expect([method, path]).toEqual(['GET', '/a?b=c']);
      expect(Object.keys(headers).sort()).toEqual(['connection', 'host']);
    }
  });

  test('that redirects to another host is not followed', async () => {
    const other = vi.fn();
    const elsewhere = await server(other);
    const url = await server((_, response) => void response.writeHead(302, { location: elsewhere }).end());
    expect(await firstOf(url)).toEqual({
      problem: 'it answers with a redirect (HTTP 302), which is not followed',
    });
    expect(other).not.toHaveBeenCalled();
  });

  test.each([204, 404, 500])('that answers %i gives no text', async (status) => {
    const url = await server((_, response) => void response.writeHead(status).end());
    expect(await firstOf(url)).toEqual({ problem: `it answers HTTP ${status}` });
  });

  test('gives a text of up to maxKb, and a problem beyond', async () => {
    const url = await server(
      (request, response) => void response.end('x'.repeat(Number(request.url?.slice(1)))),
    );
    expect(await firstOf(`${url}/1024`)).toEqual({ text: 'x'.repeat(1_024) });
    expect(await firstOf(`${url}/1025`)).toEqual({ problem: 'its answer is longer than 1 KB (maxKb)' });
    expect(await firstOf(`${url}/9000000`)).toEqual({ problem: 'its answer is longer than 1 KB (maxKb)' });
  });

  test('that never ends its response is given up after ten seconds, and the next one is fetched', async () => {
    const slow = await server((_, response) => void response.write('a'));
    const quick = await server((_, response) => void response.end('b'));
    const { clock, pass, waits } = patience();
    const answers: unknown[] = [];
    const sources = [sourceAt(slow, 'slow'), sourceAt(quick, 'quick')];
    const end = fetchInTurn(sources, clock, ({ name, answer }) => answers.push([name, answer]));
    onTestFinished(end);
    await vi.waitFor(() => expect(waits.map(({ ms }) => ms)).toEqual([10_000]));
    expect(answers, 'one at a time').toEqual([]);
    pass(10_000);
    await vi.waitFor(() => expect(answers).toHaveLength(2));
    expect(answers).toEqual([
      ['slow', { problem: 'no answer in time' }],
      ['quick', { text: 'b' }],
    ]);
  });

  test('is not fetched before its time, nor after the end', async () => {
    const asked = vi.fn();
    const url = await server((_, response) => {
      asked();
      response.end('a');
    });
    const { clock, pass, waits } = patience();
    const answers: unknown[] = [];
    const end = fetchInTurn([sourceAt(url)], clock, (event) => answers.push(event));
    await vi.waitFor(() => expect(answers).toHaveLength(1));
    expect(waits.at(-1)?.ms).toBe(10_000);
    end();
    pass(60_000);
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(asked).toHaveBeenCalledTimes(1);
  });
});

test.each([
  ['10.1.2.3', false],
  ['100.64.0.1', false],
  ['127.0.0.1', false],
  ['169.254.169.254', false],
  ['172.31.0.1', false],
  ['192.168.1.1', false],
  ['0.0.0.0', false],
  ['224.0.0.1', false],
  ['255.255.255.255', false],
  ['::1', false],
  ['::ffff:10.0.0.1', false],
  ['fd00::1', false],
  ['fe80::1', false],
  ['64:ff9b::a00:1', false],
  ['2002:a00:1::', false],
  ['2001:0:a00:1::', false],
  ['name', false],
  ['1.1.1.1', true],
  ['172.32.0.1', true],
  ['2606:4700::1111', true],
  ['2001:4860:4860::8888', true],
])('%s is a public address: %s', (address, is) => {
  expect(isPublic(address)).toBe(is);
});

test('the fetch names in config and strategy must match', () => {
  const given = { mood: { url: 'https://example.com/', everySeconds: 300, maxKb: 64 } };
  expect(() => requireSources('solo', { fetch: ['mood'] }, given)).not.toThrow();
  expect(() => requireSources('solo', {})).not.toThrow();
  expect(() => requireSources('solo', {}, given)).toThrow(
    'solo asks to fetch nothing, and its config gives mood. Write beside its params, for each that it asks for and no other, fetch: {',
  );
  expect(() => requireSources('solo', { fetch: ['mood', 'a'] }, given)).toThrow(
    'solo asks to fetch a, mood, and its config gives mood',
  );
  expect(sourcesOf([{ id: 'solo', fetch: given }, { id: 'other' }])).toEqual([
    { ...given.mood, strategyId: 'solo', name: 'mood' },
  ]);
});
