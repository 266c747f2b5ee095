import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { VenueClient } from '../../src/api/client.ts';
import { createUndiciTransport } from '../../src/api/undiciTransport.ts';
import { createVenue } from '../../src/api/venue.ts';
import { isUnreadable } from '../../src/core/nesting.ts';
import { NoAnswerError, OutcomeUnknownError } from '../../src/core/errors.ts';
import type { Address } from '../../src/domain/instrument.ts';
import { VirtualClock } from '../../src/core/virtualClock.ts';
import { clientOver, reply, start } from './fakeTransport.ts';
import { loopback } from './loopback.ts';

const txHash = `0x${'ab'.repeat(32)}`;
const userAddress: Address = `0x${'a'.repeat(40)}`;
const link = { txHash, operationType: 'trade', status: 'Init', orderId: null, createTime: 1_781_530_000 };

const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
/** A page of orders as text: `JSON.stringify` cannot write anything nested this deeply. */
const page = (rows: readonly string[]) => ({
  status: 200,
  headers: {},
  body: `{"code":200,"errMsg":"","data":{"total":${rows.length},"rows":[${rows.join(',')}]}}`,
});
const good = JSON.stringify({ ...link, txHash: `0x${'cd'.repeat(32)}` });

/** Lets a read go through all its tries. */
async function lastTry<T>(read: Promise<T>, clock: VirtualClock): Promise<unknown> {
  const outcome = read.catch((error: unknown) => error);
  await clock.advanceBy(60_000);
  return outcome;
}

describe('an oversized or deeply nested row', () => {
  test.each([
    ['a list in a list', nested(6_000)],
    ['a row with a deeply nested field', `{"txHash":"${txHash}","junk":${nested(6_000)}}`],
    ['a link with a deeply nested field', `{"mapping":{"txHash":"${txHash}","status":${nested(6_000)}}}`],
    ['objects in objects', '{"a":'.repeat(6_000) + '1' + '}'.repeat(6_000)],
    ['a megabyte of text', `{"txHash":"${txHash}","junk":"${'x'.repeat(800_000)}"}`],
    ['a hundred thousand fields', `{"txHash":"${txHash}","junk":[${'1,'.repeat(100_000)}1]}`],
  ])('is set aside while the others are read: %s', async (_name, row) => {
    const { client } = clientOver(() => page([row, good]));
    const { rows } = await client.orders();
    expect(rows.map((it) => isUnreadable(it))).toEqual([true, false]);

    const swept = await createVenue(client, { userAddress }).orders({ page: 1, limit: 10 });
    expect(swept.rows[0]).toHaveProperty('unreadable');
    expect(JSON.stringify(swept).length).toBeLessThan(4_000);
    expect(swept.rows[1]).toMatchObject({ txHash: `0x${'cd'.repeat(32)}` });
  });

  test('keeps its transaction hash, so that its order is not lost', async () => {
    const rows = [
      `{"txHash":"${txHash}","junk":${nested(6_000)}}`,
      `{"junk":${nested(6_000)},"mapping":{"txHash":"${txHash}"}}`,
    ];
    const swept = await createVenue(clientOver(() => page(rows)).client, { userAddress }).orders({
      page: 1,
      limit: 10,
    });
    expect(swept.rows.map((row) => row.txHash)).toEqual([txHash, txHash]);
  });
});

describe('a response nested beyond the limit', () => {
  const deep = { status: 200, headers: {}, body: `{"code":200,"data":${nested(1_000_000)}}` };

  test('is no response to a read', async () => {
    const { client, clock } = clientOver(() => deep);
    expect(await lastTry(client.orders(), clock)).toBeInstanceOf(NoAnswerError);
  });

  test('leaves the outcome of a send unknown', async () => {
    const { client } = clientOver(() => deep, { allow: ['delegation'] });
    await expect(client.oneClickDisable()).rejects.toThrow(OutcomeUnknownError);
  });

  test('to a raw call is refused when it is too deep to be serialised', async () => {
    const { client } = clientOver(() => ({ ...deep, body: `{"code":200,"data":${nested(6_000)}}` }));
    await expect(client.call('GET', '/api/v1/config')).rejects.toThrow(/nested deeper than/);
  });

  test('is refused within a field that is passed on unparsed', async () => {
    const basicInfo = { symbol: 'AAPL', name: 'Apple', price: 1, lastUpdateTimestamp: 1 };
    const whole = JSON.stringify({ basicInfo, onChain: { x: 0 } }).replace('0}', `${nested(6_000)}}`);
    const { client } = clientOver(() => ({ ...deep, body: `{"code":200,"data":${whole}}` }));
    await expect(client.prices({ path: { symbol: 'AAPL' } })).rejects.toThrow(NoAnswerError);
  });

  test('is measured by its brackets, not by brackets within its texts', async () => {
    const text = JSON.stringify({ ...link, junk: `${'['.repeat(40_000)}\\"` });
    const { rows } = await clientOver(() => page([text])).client.orders();
    expect(rows).toEqual([
      expect.objectContaining({ mapping: expect.objectContaining({ txHash }) as unknown }),
    ]);
  });
});

describe('an oversized response', () => {
  const over = async (bytes: Buffer, headers: Record<string, string> = {}) => {
    const server = await loopback((response) => response.writeHead(200, headers).end(bytes));
    const clock = new VirtualClock({ start });
    return createUndiciTransport({ baseUrl: server.baseUrl, clock });
  };
  const asked = { method: 'GET', uri: '/api/v1/config', headers: {}, body: '', nonce: 'n' } as const;

  test('is cut off at the limit of its endpoint while it is read', async () => {
    const transport = await over(Buffer.alloc(3_000, ' '));
    await expect(transport.send({ ...asked, fresh: false, limitMs: 1_000, maxBytes: 2_000 })).rejects.toThrow(
      /larger than 2000 bytes/,
    );
  });

  test('is one of many tiny pieces as well, each of which takes memory', async () => {
    const server = await loopback((response) => {
      for (let piece = 0; piece < 3_000; piece++) response.write(' ');
      response.end();
    });
    const transport = createUndiciTransport({
      baseUrl: server.baseUrl,
      clock: new VirtualClock({ start }),
    });
    const read = { ...asked, fresh: false, limitMs: 1_000, maxBytes: 100_000 };
    await expect(transport.send(read)).rejects.toThrow(/larger than 100000 bytes/);
  });

  test('is never decompressed', async () => {
    const packed = gzipSync(Buffer.alloc(50_000_000, ' '));
    const transport = await over(packed, { 'content-encoding': 'gzip' });
    const read = { ...asked, fresh: false, limitMs: 1_000, maxBytes: 100_000 };
    expect((await transport.send(read)).body.length).toBeLessThanOrEqual(packed.length);
  });

  test.each<[string, number, (client: VenueClient) => Promise<unknown>]>([
    ['orders', 2 ** 20, (client) => client.orders()],
    ['symbols', 16 * 2 ** 20, (client) => client.symbols()],
    ['balance', 4 * 2 ** 20, (client) => client.balance({ path: { userId: userAddress } })],
  ])('of %s is limited to %i bytes', async (_name, maxBytes, ask) => {
    const { client, sent, clock } = clientOver(() => reply([]));
    await lastTry(ask(client), clock);
    expect(sent[0]).toMatchObject({ maxBytes });
  });
});

test.each([
  ['a decimal of a hundred thousand digits', { placePrice: '9'.repeat(100_000) }],
  ['a status of a thousand letters', { status: 'x'.repeat(1_000) }],
  ['an id of a thousand letters', { orderId: 'x'.repeat(1_000) }],
])('%s makes its row unreadable, because the journal keeps what is read', async (_name, field) => {
  const order = { orderId: 'cd', side: 'Buy', type: 'Market', symbol: 'AAPL', status: 'placing', ...field };
  const { rows } = await clientOver(() =>
    page([JSON.stringify({ ...link, openOrder: order })]),
  ).client.orders();
  expect(rows.map((row) => isUnreadable(row))).toEqual([true]);
  expect(JSON.stringify((rows[0] as { unreadable: string }).unreadable).length).toBeLessThan(300);
});
