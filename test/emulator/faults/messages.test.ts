import { describe, expect, test } from 'vitest';
import { epochMs } from '../../../src/core/brand.ts';
import { sign } from '../client.ts';
import { Bench, stock } from '../harness.ts';
import { parsedPlan, strikes } from './plans.ts';

const SEND = 'POST /api/v1/orders/send';
const BUY = { side: 'Buy', type: 'Market', notional: '25' };

/** Outcome of a send under one rule: its response, and the number of orders a minute later. */
function sendUnder(rule: Record<string, unknown>, before = 0) {
  const bench = new Bench();
  const earlier = Array.from({ length: before }, () => bench.place(BUY));
  bench.command(parsedPlan({ ...rule, endpoint: SEND, times: 1 }));
  const deadline = bench.deadline();
  const { reply, delayMs } = bench.outcome({
    method: 'POST',
    path: '/api/v1/orders/send',
    body: { stockAddress: stock('AAPL'), deadline, ...BUY },
  });
  bench.wait(60_000);
  const placed = bench.machine.state.orders.length - before;
  return { bench, reply, delayMs, placed, earlier };
}

describe('a faulty send', () => {
  test.each<
    [what: string, rule: Record<string, unknown>, status: number | null, body: unknown, placed: number]
  >([
    ['lost before it arrives', { kind: 'lost-request' }, null, null, 0],
    ['whose response is lost', { kind: 'lost-response' }, null, null, 1],
    ['that arrives after its caller has disconnected', { kind: 'late-request', ms: 30_000 }, null, null, 1],
    ['that arrives after its timestamp is too old', { kind: 'late-request', ms: 50_000 }, null, null, 0],
    ['with a gateway error in response', { kind: 'status', status: 504 }, 504, null, 1],
    ['redirected to another host', { kind: 'redirect', location: 'https://evil.example/' }, 307, null, 0],
    ['with an empty response', { kind: 'body', text: '' }, 200, '', 1],
    ['with half an object in response', { kind: 'body', text: '{"code":200' }, 200, '{"code":200', 1],
    ['with a response without an envelope', { kind: 'body', text: '[]', processed: false }, 200, '[]', 0],
    ['that returns no hash', { kind: 'no-hash' }, 200, { code: 200, data: { txHash: null } }, 1],
    [
      'that returns a hash of a wrong length',
      { kind: 'edit', path: 'data.txHash', value: '0x12' },
      200,
      { code: 200, data: { txHash: '0x12' } },
      1,
    ],
    [
      'with an unknown code in response',
      { kind: 'edit', path: 'code', value: 10_777 },
      200,
      { code: 10_777 },
      1,
    ],
    ['refused with 429', { kind: '429', retryAfter: 'soon' }, 429, null, 0],
    ['refused with 429, and still placed', { kind: '429', processed: true }, 429, null, 1],
    ['refused without a reason', { kind: 'unauthorized' }, 400, { code: 401 }, 0],
  ])(
    'gives the caller the response of its fault, and places its orders: %s',
    (...[, rule, status, body, placed]) => {
      const outcome = sendUnder(rule);
      expect({ status: outcome.reply?.status ?? null, placed: outcome.placed }).toEqual({ status, placed });
      if (typeof body === 'string') expect(outcome.reply?.body).toBe(body);
      else if (body !== null) expect(JSON.parse(outcome.reply?.body ?? '')).toMatchObject(body as object);
      expect(strikes(outcome.bench)).toEqual([1]);
    },
  );

  test('with other-hash responds with the hash of the previous send', () => {
    const { reply, earlier, placed } = sendUnder({ kind: 'other-hash' }, 2);
    expect(JSON.parse(reply?.body ?? '')).toMatchObject({ data: { txHash: earlier[1] } });
    expect(placed).toBe(1);
  });

  test.each([
    ['first', 200, 0],
    ['second', 400, 70],
  ])(
    'delivered twice is refused by its nonce once: the caller gets the %s response',
    (heard, status, delayMs) => {
      const { bench, reply, placed, ...rest } = sendUnder({ kind: 'duplicate', heard, ms: 70 });
      expect({ status: reply?.status, placed, delayMs: rest.delayMs }).toEqual({
        status,
        placed: 1,
        delayMs,
      });
      expect(bench.machine.truth(bench.now).requests[SEND]).toEqual({
        received: 2,
        accepted: 1,
        answered: 1,
      });
    },
  );

  test('with echo responds with its headers in the text of an error', () => {
    const { reply, bench } = sendUnder({ kind: 'echo' });
    const { errMsg } = JSON.parse(reply?.body ?? '') as { errMsg: string };
    expect(errMsg).toContain(bench.key().apiKey);
    expect(errMsg).toMatch(/x-api-sign\W+[0-9a-f]{64}/);
    expect(errMsg).not.toContain(bench.key().secret);
  });
});

describe('an edit rule', () => {
  const path = '/api/v1/orders';
  const rowsUnder = (rule: Record<string, unknown>) => {
    const bench = new Bench();
    for (const notional of ['10', '20']) bench.place({ ...BUY, notional });
    bench.wait(20_000);
    bench.command(parsedPlan({ kind: 'edit', endpoint: `GET ${path}`, ...rule }));
    return bench.get('/orders') as { rows: { status?: unknown; historyOrder: Record<string, unknown> }[] };
  };

  test.each<[path: string, value: unknown]>([
    ['data.rows.*.historyOrder.settleReceive', 1.5],
    ['data.rows.*.historyOrder.settleReceive', '1e-7'],
    ['data.rows.*.historyOrder.settleReceive', ''],
    ['data.rows.*.historyOrder.settleReceive', null],
    ['data.rows.*.historyOrder.surprise', { deep: [1] }],
  ])('turns %s into %j', (where, value) => {
    const name = where.split('.').at(-1) ?? '';
    for (const { historyOrder } of rowsUnder({ path: where, value }).rows)
      expect(historyOrder[name]).toEqual(value);
  });

  test('of one row leaves the other rows unchanged', () => {
    const { rows } = rowsUnder({ path: 'data.rows.0.status', value: 'Levitating' });
    expect(rows.map(({ status }) => status)).toEqual(['Levitating', 'Filled']);
  });

  test('removes fields and rows', () => {
    expect('status' in (rowsUnder({ path: 'data.rows.1.status', remove: true }).rows[1] ?? {})).toBe(false);
    expect(rowsUnder({ path: 'data.rows.0', remove: true }).rows).toHaveLength(1);
  });

  test('sets a price to 0', () => {
    const bench = new Bench();
    const endpoint = 'GET /api/v1/underlying/{symbol}/price';
    bench.command(parsedPlan({ kind: 'edit', endpoint, path: 'data.price', value: 0 }));
    expect(bench.price()).toBe(0);
  });
});

describe('a list rule', () => {
  const hashesUnder = (rule: Record<string, unknown>, page = 1) => {
    const bench = new Bench();
    const hashes = Array.from({ length: 12 }, () => {
      bench.wait(1_000);
      return bench.place(BUY);
    }).reverse();
    bench.command(parsedPlan({ kind: 'list', ...rule }));
    const { rows } = bench.get('/orders', { page, limit: 5 }) as { rows: { txHash: string }[] };
    return { hashes, shown: rows.map(({ txHash }) => txHash), bench };
  };

  test('shuffle changes the order of rows, and changes it again a second later', () => {
    const { hashes, shown, bench } = hashesUnder({ how: 'shuffle' });
    expect(shown).not.toEqual(hashes.slice(0, 5));
    expect(hashes).toEqual(expect.arrayContaining(shown));
    bench.wait(1_000);
    const { rows } = bench.get('/orders', { limit: 5 }) as { rows: { txHash: string }[] };
    expect(rows.map(({ txHash }) => txHash)).not.toEqual(shown);
  });

  test.each([
    [2, 3],
    [-2, 7],
  ])('shift by %d begins the second page at row %d', (rows, from) => {
    const { hashes, shown } = hashesUnder({ how: 'shift', rows }, 2);
    expect(shown).toEqual(hashes.slice(from, from + 5));
  });

  test('repeat shows a row twice', () => {
    const { hashes, shown } = hashesUnder({ how: 'repeat' });
    expect(shown).toEqual([hashes[0], ...hashes.slice(0, 4)]);
  });

  test('vanish hides the newest rows', () => {
    const { hashes, shown } = hashesUnder({ how: 'vanish', rows: 3 });
    expect(shown).toEqual(hashes.slice(3, 8));
  });

  test('vanish with a hash hides that row', () => {
    const bench = new Bench();
    const [first, second] = [bench.place(BUY), bench.place(BUY)];
    bench.command(parsedPlan({ kind: 'list', how: 'vanish', txHash: first }));
    expect(bench.get('/orders')).toMatchObject({ total: 1, rows: [{ txHash: second }] });
  });
});

describe('a rate limit', () => {
  const statusesUnder = (rateLimit: Record<string, unknown>, count: number) => {
    const bench = new Bench();
    bench.command(parsedPlan([], { rateLimit }));
    const ask = () => bench.outcome({ method: 'GET', path: '/api/v1/config' }).reply;
    return { bench, ask, replies: Array.from({ length: count }, ask) };
  };

  test('lets a burst through, and then one request for each token', () => {
    const { bench, ask, replies } = statusesUnder({ perMinute: 60, burst: 3 }, 4);
    expect(replies.map((reply) => reply?.status)).toEqual([200, 200, 200, 429]);
    expect(replies[3]?.headers['retry-after']).toBe('1');
    bench.wait(1_000);
    expect([ask()?.status, ask()?.status]).toEqual([200, 429]);
  });

  test('can leave out retry-after', () => {
    const { replies } = statusesUnder({ perMinute: 1, retryAfter: false }, 2);
    expect(replies[1]).toMatchObject({ status: 429 });
    expect(replies[1]?.headers).not.toHaveProperty('retry-after');
  });
});

test.each([
  [40_000, 200],
  [50_000, 400],
  [-50_000, 400],
])('a venue clock that is %d ms ahead responds %d and states its own time', (clockOffsetMs, status) => {
  const bench = new Bench();
  bench.command(parsedPlan([], { clockOffsetMs }));
  const answer = bench.ask({ method: 'GET', path: '/api/v1/config' });
  expect({ status: answer.status, t: answer.body.t }).toEqual({ status, t: bench.now + clockOffsetMs });
});

test('a pending duplicate of a request is a task of the state', () => {
  const bench = new Bench();
  bench.command(parsedPlan({ kind: 'duplicate', ms: 5_000 }));
  const signed = sign(bench.key(), {
    method: 'GET',
    path: '/api/v1/config',
    ts: bench.now,
    nonce: bench.nonce(),
  });
  bench.machine.handle({ request: { ...signed, ip: '127.0.0.1' }, recovered: null }, bench.now);
  expect(bench.machine.state.tasks).toMatchObject([{ kind: 'arrival', due: epochMs(bench.now + 5_000) }]);
});
