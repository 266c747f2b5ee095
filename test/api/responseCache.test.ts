import { describe, expect, test } from 'vitest';
import { parseEnvelope } from '../../src/api/envelope.ts';
import { Reread } from '../../src/api/responseCache.ts';
import { seededRandom } from '../../src/core/seededRandom.ts';
import { clientOver } from './fakeTransport.ts';

const URI = '/api/v1/orders?limit=50&page=1';
const random = seededRandom('reread');
let t = 1_700_000_000_000;
const answer = (data: unknown, errMsg = ''): string =>
  JSON.stringify({ code: 200, errMsg, data, uuid: random.uuid(), t: t++ });

function reader() {
  const reread = new Reread();
  return (body: string, uri = URI) => reread.read(uri, body, parseEnvelope);
}

describe('a response with unchanged data', () => {
  test('returns the previously parsed data, with its own id and time', () => {
    const read = reader();
    const [first, second] = [answer({ rows: [1] }), answer({ rows: [1] })];
    const [before, after] = [read(first), read(second)];
    expect(after).toEqual(JSON.parse(second));
    expect(before).toEqual(JSON.parse(first));
    expect(after?.data).toBe(before?.data);
  });

  test.each<[string, string]>([
    ['other data', answer({ rows: [2] })],
    ['more data', answer({ rows: [1], more: 1 })],
    ['an extra message', answer({ rows: [1] }, 'beware')],
    ['fields in another order', JSON.stringify({ uuid: random.uuid(), t, code: 200, data: { rows: [1] } })],
    ['an extra last field', answer({ rows: [1] }).replace(/\}$/, ',"more":1}')],
    ['id and time only within the data', `{"code":200,"data":{"rows":[1],"uuid":"${random.uuid()}","t":1}}`],
  ])('is not assumed with %s', (_, body) => {
    const read = reader();
    const before = read(answer({ rows: [1] }));
    const after = read(body);
    expect(after).toEqual(parseEnvelope(body));
    expect(after?.data).not.toBe(before?.data);
  });

  test('is not assumed for another request or a truncated response', () => {
    const read = reader();
    const body = answer({ rows: [1] });
    const before = read(body);
    expect(read(body, `${URI}0`)?.data).not.toBe(before?.data);
    expect(read(body.slice(0, -1))).toBeNull();
    expect(read('')).toBeNull();
    expect(read(body)?.data).toBe(before?.data);
  });

  test('is parsed again after many other responses were read', () => {
    const read = reader();
    const before = read(answer({ rows: [1] }));
    for (let page = 2; page < 20; page++) read(answer({ rows: [page] }), `${URI}&page=${page}`);
    expect(read(answer({ rows: [1] }))?.data).not.toBe(before?.data);
  });
});

test("the client returns the same frozen page of orders until the venue's response changes", async () => {
  const row = { txHash: `0x${'ab'.repeat(32)}`, status: 'Open' };
  let rows = [row];
  const body = () => answer({ total: rows.length, rows });
  const { client } = clientOver(() => ({ status: 200, headers: {}, body: body() }));
  const page = await client.orders({ query: { page: 1 } });
  expect(page.rows).toMatchObject([{ mapping: row }]);
  expect(await client.orders({ query: { page: 1 } })).toBe(page);
  expect(() => page.rows.pop()).toThrow(TypeError);
  rows = [];
  expect((await client.orders({ query: { page: 1 } })).rows).toEqual([]);
});
