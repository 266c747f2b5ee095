import { expect, onTestFinished, test } from 'vitest';
import type { TransportRequest } from '../../src/api/transport.ts';
import { createUndiciTransport } from '../../src/api/undiciTransport.ts';
import { epochMs } from '../../src/core/brand.ts';
import { OutcomeUnknownError, UnreachableError } from '../../src/core/errors.ts';
import { VirtualClock } from '../../src/core/virtualClock.ts';
import { loopback, type Handler } from './loopback.ts';

const start = epochMs(1_700_000_000_000);
const send: TransportRequest = {
  method: 'POST',
  uri: '/api/v1/orders/send',
  headers: { 'x-api-nonce': 'n-1', 'content-type': 'application/json' },
  body: '{"side":"Buy"}',
  nonce: 'n-1',
  fresh: true,
  limitMs: 20_000,
  maxBytes: 16_777_216,
};
const read: TransportRequest = {
  ...send,
  method: 'GET',
  uri: '/api/v1/orders?limit=1',
  headers: { 'x-api-nonce': 'n-2' },
  body: '',
  nonce: 'n-2',
  fresh: false,
  limitMs: 10_000,
  maxBytes: 16_777_216,
};

async function over(handle: Handler, path = '') {
  const server = await loopback(handle);
  const clock = new VirtualClock({ start });
  const transport = createUndiciTransport({ baseUrl: server.baseUrl + path, clock });
  onTestFinished(() => transport.close?.());
  await transport.ready?.();
  return { server, clock, transport };
}

test('a request arrives byte for byte under the context path of the base URL', async () => {
  const { server, transport } = await over((response) => response.end('{"code":200}'), '/rwa/trading/');

  const answer = await transport.send(send);

  expect(answer).toMatchObject({ status: 200, body: '{"code":200}' });
  expect(server.received).toMatchObject([
    {
      method: 'POST',
      url: '/rwa/trading/api/v1/orders/send',
      body: send.body,
      headers: { 'x-api-nonce': 'n-1' },
    },
  ]);
});

test('a send whose connection is reset after it was read is transmitted once', async () => {
  const { server, transport } = await over((response) => response.destroy());

  await expect(transport.send(send)).rejects.toThrow(OutcomeUnknownError);
  expect(server.received).toHaveLength(1);
  expect(server.connections).toBe(1);
});

test('every send has a connection of its own, and reads share theirs', async () => {
  const { server, transport } = await over((response) => response.end('{}'));

  for (let reads = 0; reads < 10; reads++) await transport.send(read);
  const shared = server.connections;
  expect(shared).toBeLessThan(4);
  await transport.send(send);
  await transport.send(send);
  expect(server.connections).toBe(shared + 2);
  expect(server.received.at(-1)?.headers.connection).toBe('close');
});

test('a send never uses a kept connection that the server has closed', async () => {
  let answered = 0;
  const { server, transport } = await over((response) => {
    if (++answered === 1) response.end('{}', () => response.socket?.destroy());
    else response.end('{}');
  });

  await transport.send(read);
  await expect(transport.send(send)).resolves.toMatchObject({ status: 200 });
  expect(server.received.filter(({ method }) => method === 'POST')).toHaveLength(1);
});

test('a refused connection proves that nothing was sent', async () => {
  const { server, transport } = await over(() => undefined);
  server.close();

  await expect(transport.send(send)).rejects.toThrow(UnreachableError);
});

test('a name that does not resolve proves that nothing was sent', async () => {
  const transport = createUndiciTransport({
    baseUrl: 'https://venue.invalid',
    clock: new VirtualClock({ start }),
  });
  await expect(transport.send(send)).rejects.toThrow(UnreachableError);
});

test('a server that does not speak TLS proves that nothing was sent', async () => {
  const server = await loopback((response) => response.end('{}'));
  const baseUrl = server.baseUrl.replace('http:', 'https:');
  const transport = createUndiciTransport({ baseUrl, clock: new VirtualClock({ start }) });

  await expect(transport.send(send)).rejects.toThrow(UnreachableError);
  expect(server.received).toEqual([]);
});

test('a truncated body leaves the outcome of a send unknown', async () => {
  const { transport } = await over((response) => {
    response.writeHead(200, { 'content-length': '100' });
    response.write('{"code":200,', () => response.destroy());
  });

  await expect(transport.send(send)).rejects.toThrow(OutcomeUnknownError);
});

test('a redirect is returned as the response and not followed', async () => {
  const { server, transport } = await over((response) => {
    response.writeHead(307, { location: '/api/v1/elsewhere' }).end();
  });

  await expect(transport.send(send)).resolves.toMatchObject({ status: 307 });
  expect(server.received).toHaveLength(1);
});

test('an early hint is not taken as the response', async () => {
  const { transport } = await over((response) => {
    response.writeEarlyHints({ link: '</a>; rel=preload' });
    response.end('{"code":200}');
  });

  await expect(transport.send(read)).resolves.toMatchObject({ status: 200, body: '{"code":200}' });
});

test('an endless response is cut at 16 MiB', async () => {
  const { transport } = await over((response) => {
    const more = () => {
      while (!response.destroyed && response.write(Buffer.alloc(2 ** 20, 'x')));
    };
    response.on('drain', more);
    more();
  });

  await expect(transport.send(read)).rejects.toThrow(/larger than 16777216 bytes/);
});

test('a body that trickles in reaches the total time limit of the virtual clock', async () => {
  const at: number[] = [];
  const { clock, transport } = await over((response, { headers }) => {
    response.write('{"code"');
    void clock.suspend(String(headers['x-api-nonce']), () => clock.sleep(60_000));
  });

  const outcome = transport.send(send).catch((error: unknown) => {
    at.push(clock.now() - start);
    return error;
  });
  await clock.advanceBy(60_000);

  expect(await outcome).toEqual(new OutcomeUnknownError('no complete answer within 20 s'));
  expect(at).toEqual([20_000]);
});

test('virtual time continues after a time limit although the server responds later', async () => {
  const { clock, transport } = await over((response, { headers }) => {
    void clock
      .suspend(String(headers['x-api-nonce']), () => clock.sleep(30_000))
      .then(() => response.end('{}'));
  });

  const outcome = transport.send(read).catch(() => clock.now() - start);
  await clock.advanceBy(3_600_000);

  expect(await outcome).toBe(10_000);
  expect(clock.now() - start).toBe(3_600_000);
});

test('virtual time stands still while bytes are on their way', async () => {
  const { clock, transport } = await over((response) => setImmediate(() => response.end('{}')));

  const answeredAt = transport.send(read).then(() => clock.now());
  await clock.advanceBy(5_000);

  expect(await answeredAt).toBe(start);
});

const answeringAfter = (ms: number) =>
  over((response, { headers }) => {
    const { clock } = stage;
    void clock
      .suspend(String(headers['x-api-nonce']), () => clock.sleep(ms))
      .then(() => response.end('{"code":200}'));
  });
let stage: Awaited<ReturnType<typeof over>>;

test('a response after the time limit is still reported, and the request is not sent again', async () => {
  stage = await answeringAfter(30_000);
  const heard = new Promise<string>((resolve) => {
    const late = ({ body }: { body: string }) => resolve(body);
    stage.transport.send({ ...send, late }).catch(() => undefined);
  });
  await stage.clock.advanceBy(40_000);
  expect(await heard).toBe('{"code":200}');
  expect(stage.server.received).toHaveLength(1);
});

test('closing the transport ends the wait for late responses', async () => {
  stage = await answeringAfter(30_000);
  const heard: string[] = [];
  const late = ({ body }: { body: string }) => void heard.push(body);
  const outcome = stage.transport.send({ ...send, late }).catch((error: unknown) => error);
  await stage.clock.advanceBy(25_000);
  expect(await outcome).toBeInstanceOf(OutcomeUnknownError);
  await stage.transport.close?.();
  await stage.clock.advanceBy(40_000);
  expect(heard).toEqual([]);
});
