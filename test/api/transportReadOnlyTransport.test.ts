import { createServer, type AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as endpoints from '../../src/api/endpoints/index.ts';
import type { Endpoint } from '../../src/api/endpoint.ts';
import { readOnly, type TransportRequest } from '../../src/api/transport.ts';
import { createUndiciTransport } from '../../src/api/undiciTransport.ts';
import { systemClock } from '../../src/core/clock.ts';
import { SafetyError } from '../../src/core/errors.ts';

/** Counts every connection and every byte, and answers each request with an empty object. */
const heard = { connections: 0, bytes: 0 };
const server = createServer((socket) => {
  heard.connections++;
  socket.on('error', () => undefined);
  socket.on('data', (chunk) => {
    heard.bytes += chunk.length;
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}');
  });
});

beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => new Promise((resolve) => server.close(resolve)));

const open = () => {
  const { port } = server.address() as AddressInfo;
  return readOnly(createUndiciTransport({ baseUrl: `http://127.0.0.1:${port}`, clock: systemClock }));
};

const request = (method: string, fresh = false): TransportRequest => ({
  method: method as TransportRequest['method'],
  uri: '/api/v1/orders/send?a=1',
  headers: {},
  body: '',
  nonce: 'n',
  fresh,
  limitMs: 5_000,
  maxBytes: 1_000,
});

describe('a transport for reads alone', () => {
  test.each(['POST', 'DELETE', 'PUT', 'PATCH', 'HEAD', 'get', ''])(
    'throws for %s before a byte leaves',
    async (method) => {
      const transport = open();
      await transport.ready?.();
      const before = { ...heard };
      for (const fresh of [true, false]) {
        const sending = transport.send(request(method, fresh));
        await expect(sending).rejects.toThrow(SafetyError);
        await expect(sending).rejects.toThrow(`${method} /api/v1/orders/send was not sent`);
      }
      await transport.close?.();
      expect(heard).toEqual(before);
    },
  );

  test('sends a read', async () => {
    const transport = open();
    const before = { ...heard };
    expect((await transport.send(request('GET'))).body).toBe('{}');
    await transport.close?.();
    expect(heard.connections).toBe(before.connections + 1);
    expect(heard.bytes).toBeGreaterThan(before.bytes);
  });

  test('needs no exception, because no endpoint that writes is a GET', () => {
    for (const [name, { method, access }] of Object.entries<Endpoint>(endpoints))
      expect(access === 'WRITABLE' && method === 'GET', name).toBe(false);
  });
});
