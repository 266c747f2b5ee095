import { createServer, type RequestListener } from 'node:http';
import { mkdtempSync } from 'node:fs';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { machine, systemClock } from '../../../src/core/clock.ts';
import { silentLog } from '../../../src/core/log.ts';
import { secureBytes } from '../../../src/core/random.ts';
import { Secrets } from '../../../src/core/secrets.ts';
import type { DaemonPlace } from '../../../src/ops/client.ts';
import { openGateway } from '../../../src/ops/page/gateway.ts';
import { ask } from '../control/asking.ts';
import { builtPage, host, own } from './listeners.ts';

const opened: (() => Promise<unknown>)[] = [];
afterEach(() => Promise.all(opened.splice(0).map((close) => close())));

/** A daemon for these tests, over TCP. */
async function daemon(listener: RequestListener): Promise<DaemonPlace> {
  const server = createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  opened.push(async () => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/bots`, token: 't'.repeat(32) };
}

/** A signed-in page in front of a daemon. */
async function gatewayTo(reach: () => DaemonPlace | null) {
  const gateway = await openGateway({
    upstreams: [{ name: 'one', base: 'd/one/', reach }],
    listen: { host: '127.0.0.1', port: 0 },
    stateDir: null,
    folder: builtPage(),
    bytes: secureBytes,
    clock: systemClock,
    host: machine,
    secrets: new Secrets(),
    log: silentLog,
  });
  opened.push(() => gateway.close());
  const { origin: url, hash } = new URL(gateway.invite('operate').url);
  const port = Number(new URL(url).port);
  const body = { code: hash.replace('#code=', '') };
  const answer = await ask({ port, method: 'POST', path: '/v1/session', headers: own, body });
  const [set = ''] = answer.headers['set-cookie'] as string[];
  const cookie = set.split(';')[0] ?? '';
  return {
    get: (path: string) => ask({ port, path: `/d/one${path}`, headers: { ...host, cookie } }),
    post: (path: string) =>
      ask({ port, method: 'POST', path: `/d/one${path}`, headers: { ...own, cookie }, body: { a: 1 } }),
  };
}

describe('the gateway to a daemon', () => {
  test('forwards path, query, body and token, and no cookie', async () => {
    const seen: unknown[] = [];
    const place = await daemon((request, response) => {
      let text = '';
      request.on('data', (chunk: Buffer) => (text += chunk.toString()));
      request.on('end', () => {
        const { authorization, cookie, 'x-drover-page': page } = request.headers;
        seen.push([request.method, request.url, text, authorization, cookie, page]);
        response.writeHead(202, { 'content-type': 'application/json', 'set-cookie': 'a=b' }).end('{}');
      });
    });
    const { get, post } = await gatewayTo(() => place);
    const answers = [await get('/v1/orders?count=5'), await post('/v1/trade')];
    const token = `Bearer ${'t'.repeat(32)}`;
    expect(seen).toEqual([
      ['GET', '/bots/v1/orders?count=5', '', token, undefined, '1'],
      ['POST', '/bots/v1/trade', '{"a":1}', token, undefined, '1'],
    ]);
    for (const { status, headers } of answers)
      expect([status, headers['set-cookie']]).toEqual([202, undefined]);
  });

  test('sends a command once, and says that it may have been carried out when its response is lost', async () => {
    let requests = 0;
    const place = await daemon((request) => {
      requests++;
      request.socket.destroy();
    });
    const { post } = await gatewayTo(() => place);
    const { status, text } = await post('/v1/trade');
    expect([status, JSON.parse(text), requests]).toMatchObject([
      503,
      { error: { code: 'UNKNOWN', message: expect.stringContaining('before you repeat it') as string } },
      1,
    ]);
  });

  test('says that nothing was sent when the daemon cannot be reached', async () => {
    const gone = { socket: join(mkdtempSync(join(tmpdir(), 'drover-')), 'control.sock') };
    const { post } = await gatewayTo(() => gone);
    const { status, text } = await post('/v1/trade');
    expect([status, text]).toEqual([502, expect.stringContaining('Nothing was sent')]);
  });

  test('does not report a refusal of its own token as the end of a session', async () => {
    const place = await daemon((_request, response) => response.writeHead(401).end('{}'));
    const { get } = await gatewayTo(() => place);
    const { status, text } = await get('/v1/status');
    expect([status, text]).toEqual([502, expect.stringContaining('does not take the token')]);
  });

  test('says why a daemon cannot be trusted', async () => {
    const { get } = await gatewayTo(() => {
      throw new Error('the control socket belongs to another user');
    });
    const { status, text } = await get('/v1/status');
    expect([status, text]).toEqual([502, expect.stringContaining('belongs to another user')]);
  });
});
