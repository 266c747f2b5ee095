import { describe, expect, test } from 'vitest';
import * as endpoints from '../../src/api/endpoints/index.ts';
import { ALLOWED_GROUPS } from '../../src/api/allowList.ts';
import { createVenueClient, type VenueClient } from '../../src/api/client.ts';
import { signRequest } from '../../src/api/signing.ts';
import { epochSeconds } from '../../src/core/brand.ts';
import { ConfigError, NotSentError, OutcomeUnknownError, UnreachableError } from '../../src/core/errors.ts';
import { MASK } from '../../src/core/secrets.ts';
import type { Transport } from '../../src/api/transport.ts';
import { clockOf, turns } from '../core/fakeHost.ts';
import { apiKey, clientOver, refuse, reply, secret, start, type Answering } from './fakeTransport.ts';
import { loopback } from './loopback.ts';

const hash = `0x${'ab'.repeat(32)}`;
const orderId = 'cd'.repeat(32);
const body = { stockAddress: `0x${'1'.repeat(40)}`, side: 'Buy', type: 'Market', notional: '10' } as const;
const deadline = epochSeconds(1_700_000_060);
const dated = { body: { ...body, deadline } };
const accept: Answering = () => reply({ uuid: 'u', txHash: hash });

test('a signature carries the time its bytes leave, also on a slow machine with a fast clock', async () => {
  const { clock, host, running } = clockOf(300);
  const lateMs: number[] = [];
  const transport: Transport = {
    send({ nonce, headers }) {
      clock.hold(nonce);
      lateMs.push(clock.now() - Number(headers['x-api-ts']));
      return Promise.resolve(reply({ uuid: 'u', txHash: hash }));
    },
  };
  for (const ask of [
    (client: VenueClient) => client.symbols(),
    (client: VenueClient) => client.orderSend(dated),
  ]) {
    const { client } = clientOver(accept, { clock, transport, allow: ALLOWED_GROUPS });
    const { done } = running();
    await turns();
    host.now += 500;
    await ask(client).catch(() => null);
    clock.stop();
    await done;
  }
  expect(lateMs).toEqual([0, 0]);
});

describe('a read by the client', () => {
  test('fills the path, sorts the query and parses the data by its schema', async () => {
    const bar = { open: 1, high: 2, low: 0.5, close: 1.5, volume: 9, timestamp: 1_699_999_200 };
    const { client, sent } = clientOver(() => reply([{ ...bar, extra: true }]));

    const bars = await client.history({
      path: { symbol: 'BRK.B' },
      query: { interval: '1m', endTime: 1_700_000_000, limit: 5 },
    });

    expect(bars).toEqual([bar]);
    expect(sent).toMatchObject([
      {
        method: 'GET',
        uri: '/api/v1/prices/BRK.B/history?endTime=1700000000&interval=1m&limit=5',
        fresh: false,
      },
    ]);
  });

  test('is tried at most three times, with a new signature each time', async () => {
    const { client, sent, clock } = clientOver(() => ({ status: 503, headers: {}, body: '' }));

    const failed = expect(client.symbols()).rejects.toMatchObject({ code: 'NO_ANSWER', effect: 'none' });
    await clock.advanceBy(60_000);
    await failed;

    expect(new Set(sent.map(({ nonce }) => nonce)).size).toBe(3);
    expect(new Set(sent.map(({ headers }) => headers['x-api-ts'])).size).toBe(3);
    expect(client.requests).toEqual({ total: 3, byEndpoint: { 'GET /api/v1/symbols': 3 } });
  });

  test.each([
    ['no answer', new OutcomeUnknownError('no complete answer within 10 s')],
    ['no connection', new UnreachableError('nothing was sent')],
    ['429', { status: 429, headers: { 'retry-after': '2' }, body: '' }],
  ])('is retried after %s', async (_name, first) => {
    let asked = 0;
    const { client, clock } = clientOver(() => (++asked === 1 ? first : reply([])));

    const symbols = client.symbols();
    await clock.advanceBy(10_000);

    expect(await symbols).toEqual([]);
  });

  test.each([
    ['a refusal', refuse('no such symbol')],
    ['an opaque 401', refuse('unauthorized', 401)],
    ['data of another shape', reply('nothing')],
  ])('is not repeated after %s', async (_name, response) => {
    const { client, sent } = clientOver(() => response);

    await expect(client.symbols()).rejects.toThrow();
    expect(sent).toHaveLength(1);
  });
});

describe('a send by the client', () => {
  test('has a connection of its own and a signature of exactly its bytes', async () => {
    const { client, sent } = clientOver(accept);

    await expect(client.orderSend(dated)).resolves.toEqual({ uuid: 'u', txHash: hash });

    const [request] = sent;
    expect(request).toMatchObject({
      method: 'POST',
      uri: '/api/v1/orders/send',
      fresh: true,
      limitMs: 20_000,
      maxBytes: 1_048_576,
    });
    expect(request?.body).toBe(JSON.stringify(dated.body));
    const { method = '', uri = '', nonce = '', body = '', headers } = request ?? {};
    const timestamp = headers?.['x-api-ts'] ?? '';
    expect(timestamp).toBe(String(start));
    expect(headers?.['x-api-sign']).toBe(signRequest({ method, uri, timestamp, nonce, body, secret }));
  });

  test.each<[string, Answering]>([
    ['a lost answer', () => new OutcomeUnknownError('reset')],
    ['no connection', () => new UnreachableError('refused')],
    ['503', () => ({ status: 503, headers: {}, body: '' })],
    ['429', () => ({ status: 429, headers: { 'retry-after': '1' }, body: '' })],
    ['a 200 without a hash', () => reply({ uuid: 'u', txHash: null })],
  ])('leaves once, whatever the outcome: %s', async (_name, answering) => {
    const { client, sent, clock } = clientOver(answering);

    const failed = expect(client.orderSend(dated)).rejects.toThrow();
    await clock.advanceBy(600_000);
    await failed;

    expect(sent).toHaveLength(1);
  });

  test.each([
    ['a field that is not known', { ...dated.body, clientId: 'x' }],
    ['an amount with an exponent', { ...dated.body, notional: '1e-7' }],
    ['a number whose digits are not certain', { ...dated.body, notional: 0.1 + 0.2 }],
    ['a limit order without its price', { ...dated.body, type: 'Limit' as const, quantity: '1' }],
    ['a deadline beyond 32 bits', { ...dated.body, deadline: 2 ** 32 }],
  ])('with %s never leaves', async (_name, wrong) => {
    const { client, sent } = clientOver(accept);

    await expect(client.orderSend({ body: wrong })).rejects.toThrow(NotSentError);
    expect(sent).toEqual([]);
  });

  test('is refused locally with a READ_ONLY key', async () => {
    const { client, sent } = clientOver(accept, { access: 'READ_ONLY' });

    await expect(client.orderSend(dated)).rejects.toThrow(NotSentError);
    await expect(client.oneClickPrepare({ body: { deadline } })).rejects.toThrow(NotSentError);
    await expect(client.call('DELETE', `/api/v1/orders/${orderId}/send`)).rejects.toThrow(NotSentError);
    expect(sent).toEqual([]);
  });

  test("is refused while the venue's clock is too far off", async () => {
    let t: number = start + 25_000;
    const { client, sent } = clientOver(({ method }) =>
      method === 'GET' ? reply([], { t }) : reply({ txHash: hash }, { t }),
    );

    await client.symbols();
    expect(client.offsetMs).toBe(25_000);
    await expect(client.orderSend(dated)).rejects.toThrow(/25 s off/);
    expect(sent).toHaveLength(1);
    t = start;
    await client.symbols();
    await client.orderSend(dated);
    expect(sent).toHaveLength(3);
  });
});

describe('a raw call of the client', () => {
  test('returns the envelope whatever its code, and is counted under its path template', async () => {
    const { client, sent } = clientOver(() => refuse('no such order', 10_001));

    const path = `/api/v1/orders/${orderId}`;
    await expect(client.call('GET', path, { query: { b: 2, a: 'x' } })).resolves.toMatchObject({
      code: 10_001,
    });

    expect(sent[0]?.uri).toBe(`${path}?a=x&b=2`);
    expect(client.requests.byEndpoint).toEqual({ 'GET /api/v1/orders/{orderId}': 1 });
  });

  test('sends a text body unchanged', async () => {
    const { client, sent } = clientOver(() => reply(null));

    await client.call('POST', '/api/v1/orders/send', { body: '{ "side" : "Buy" }' });
    expect(sent[0]).toMatchObject({ body: '{ "side" : "Buy" }', fresh: true });
  });

  test.each(['/api/v1', '/orders', '/api/v1/orders?page=1', '/api/v1/a b', 'https://x/api/v1/orders'])(
    'to the path %s is refused',
    async (path) => {
      const { client, sent } = clientOver(accept);

      await expect(client.call('GET', path)).rejects.toThrow(NotSentError);
      expect(sent).toEqual([]);
    },
  );

  test('shows in a dry run what would be sent, with the key masked', () => {
    const { client, sent } = clientOver(accept);

    const shown = client.dryRun('POST', '/api/v1/orders/send', { body: { a: 1 } });

    expect(shown).toMatchObject({
      method: 'POST',
      url: 'https://venue.example/rwa/api/v1/orders/send',
      body: '{"a":1}',
      headers: { 'x-api-key': MASK, 'x-api-p': 'ProductA', 'content-type': 'application/json' },
    });
    const { 'x-api-ts': timestamp = '', 'x-api-nonce': nonce = '', 'x-api-sign': signature } = shown.headers;
    expect(signature).toBe(
      signRequest({ method: 'POST', uri: '/api/v1/orders/send', timestamp, nonce, body: shown.body, secret }),
    );
    expect(sent).toEqual([]);
  });
});

test('the client sends exactly the bytes that it signed', async () => {
  const server = await loopback((response) => response.end(reply({ txHash: hash }).body));
  const client = createVenueClient({
    baseUrl: `${server.baseUrl}/rwa`,
    chainId: 143,
    product: 'P',
    apiKey,
    secret,
  });

  await client.orderSend(dated);
  await client.close();

  const { method = '', url = '', headers = {}, body: arrived = '' } = server.received[0] ?? {};
  const header = (name: string) => String(headers[name]);
  expect(header('x-api-sign')).toBe(
    signRequest({
      method,
      uri: url.replace('/rwa', ''),
      timestamp: header('x-api-ts'),
      nonce: header('x-api-nonce'),
      body: arrived,
      secret,
    }),
  );
});

test.each([
  ['http beyond loopback', { baseUrl: 'http://venue.example' }],
  ['no URL', { baseUrl: 'venue' }],
  ['a URL with a query', { baseUrl: 'https://venue.example?x=1' }],
  ['a URL that already holds /api/v1', { baseUrl: 'https://venue.example/api/v1' }],
  ['a key that fits no header', { apiKey: 'a b' }],
  ['no secret', { secret: '' }],
  ['a fractional chain id', { chainId: 0.5 }],
  ['a budget of 0', { requestsPerMinute: 0 }],
])('a client with %s is refused at its creation', (_name, wrong) => {
  expect(() => clientOver(accept, wrong)).toThrow(ConfigError);
});

test.each(['http://127.0.0.1:8080', 'http://localhost/rwa', 'http://[::1]:1', 'https://venue.example/a/b/'])(
  '%s is accepted as a base URL',
  (baseUrl) => {
    expect(() => clientOver(accept, { baseUrl })).not.toThrow();
  },
);

test('every READ_ONLY endpoint is a GET, and every endpoint that is never repeated is a write', () => {
  for (const { method, access, repeat } of Object.values(endpoints)) {
    expect(access === 'READ_ONLY').toBe(method === 'GET');
    if (repeat === 'never') expect(access).toBe('WRITABLE');
  }
});
