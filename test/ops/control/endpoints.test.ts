import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { VERBS } from '../../../src/ops/control/steering.ts';
import { ask } from './asking.ts';
import { readyDaemon, type DaemonRun } from './daemonRun.ts';

type Schema = Parameters<typeof z.fromJSONSchema>[0];
type Operation = Readonly<{
  parameters: readonly Readonly<{ name: string; in: string; required: boolean }>[];
  responses: Readonly<Record<string, Readonly<{ content: Record<string, { schema?: Schema }> }>>>;
}>;
type Document = Readonly<{
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  components: Readonly<{ schemas: Readonly<Record<string, Schema>> }>;
}>;

let run: DaemonRun;
let document: Document;
beforeAll(async () => {
  run = await readyDaemon();
  document = (await ask({ socket: run.socket, path: '/v1/openapi.json' })).json() as Document;
});
afterAll(async () => {
  await run.stop();
});

const TOKEN = `0x${'1'.repeat(40)}`;
/** A body for each verb; the last ends the run. */
const BODIES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  trade: { state: 'reducing' },
  cancel: {},
  flatten: { strategy: 'steady' },
  freeze: { symbol: 'AAPL' },
  unfreeze: { subject: 'AAPL' },
  accept: { asset: 'AAPL' },
  'accept-order': { txHash: '0x1' },
  resolve: { subject: 'steady-1.1' },
  acknowledge: {},
  orders: { symbol: 'SPY', side: 'buy', notional: '50' },
  transfers: { kind: 'cashDeposit', token: TOKEN, amount: '1' },
  reload: {},
  stop: {},
};

/** Parameters of endpoints that require some. */
const QUERIES: Readonly<Record<string, string>> = {
  '/v1/candles': '?symbol=SPY&from=0',
  '/v1/compare': '?a=live&b=live:steady',
  '/v1/plots': '?strategy=steady&from=0',
};
/** Ids of endpoints that name one; a command of the test for the others. */
const IDS: Readonly<Record<string, string>> = { '/v1/runs/{id}': 'live' };

const operationsOf = (method: string) =>
  Object.entries(document.paths).flatMap(([path, operations]) => {
    const operation = operations[method];
    return operation ? [{ path, operation }] : [];
  });

/** Checks a response by the schema of the document for its status. */
function check(operation: Operation, { status, text }: Readonly<{ status: number; text: string }>): void {
  const described = operation.responses[String(status)];
  expect(described, `${status}: ${text}`).toBeDefined();
  const schema =
    status >= 400 ? document.components.schemas['Refusal'] : described?.content['application/json']?.schema;
  if (schema !== undefined) z.fromJSONSchema(schema).parse(JSON.parse(text));
}

test('every GET endpoint of the OpenAPI document responds by its schema', async () => {
  const looks = operationsOf('get').filter(
    ({ path }) => !['/v1/events', '/v1/orders/{id}'].includes(path) && !path.startsWith('/v1/plan/'),
  );
  expect(looks.map(({ path }) => path)).toEqual(
    expect.arrayContaining([
      '/v1/status',
      '/v1/journal',
      '/v1/orders',
      '/v1/record',
      '/v1/journal/search',
      '/v1/runs',
      '/v1/runs/{id}',
      '/v1/compare',
      '/v1/account',
      '/v1/openapi.json',
      '/livez',
      '/readyz',
      '/metrics',
    ]),
  );
  await run.client.steer('trade', { state: 'reducing' }, { id: 'command-look' });
  for (const { path, operation } of looks) {
    const answer = await ask({
      socket: run.socket,
      path: `${path.replace('{id}', IDS[path] ?? 'command-look')}${QUERIES[path] ?? ''}`,
    });
    expect([path, answer.status]).toEqual([path, 200]);
    check(operation, answer);
  }
});

test('the OpenAPI document names required parameters and the content type of each response', () => {
  const required = (path: string) =>
    document.paths[path]?.['get']?.parameters.filter((each) => each.required).map(({ name }) => name);
  expect(required('/v1/plan/orders')).toEqual(['symbol', 'side']);
  expect(required('/v1/plan/transfers')).toEqual(['kind', 'amount']);
  expect(required('/v1/journal')).toEqual([]);
  expect(required('/v1/commands/{id}')).toEqual(['id']);
  const types = (path: string) => Object.keys(document.paths[path]?.['get']?.responses['200']?.content ?? {});
  expect([types('/v1/events'), types('/metrics'), types('/v1/status')]).toEqual([
    ['text/event-stream'],
    ['text/plain'],
    ['application/json'],
  ]);
});

test('a missing or invalid parameter is named in plain words', async () => {
  const missing = await ask({ socket: run.socket, path: '/v1/plan/orders?side=buy&notional=5' });
  expect([missing.status, missing.text]).toEqual([
    400,
    expect.stringContaining('parameter \\"symbol\\" is missing (symbol of a stock, such as AAPL)'),
  ]);
  const wrong = await ask({ socket: run.socket, path: '/v1/fills?count=501' });
  expect([wrong.status, wrong.text]).toEqual([
    400,
    expect.stringContaining('parameter \\"count\\" must be at most 500'),
  ]);
});

test.each([
  ['/v1/runs/..%2F..%2Fetc%2Fpasswd', 404, 'there is no record'],
  ['/v1/runs/%2e%2e', 404, 'no'],
  [`/v1/runs/${'x'.repeat(500)}`, 404, 'there is no record a text of 500 characters'],
  [`/v1/orders/${'x'.repeat(500)}`, 404, 'there is no order'],
  [`/v1/runs/${encodeURIComponent('ü'.repeat(120))}.json`, 404, 'there is no record'],
  ['/v1/runs?kind=all', 400, 'kind'],
  ['/v1/journal/search?kind=planned,filled', 400, 'parameter \\"kind\\" names a kind that no entry has'],
  ['/v1/journal/search?kind=wished,intentCreated', 200, 'entries'],
  ['/v1/positions?symbol=SPY', 400, 'parameter \\"symbol\\" is not known here: this takes none'],
  ['/v1/orders/search?status=done', 400, 'parameter \\"status\\" is not a status of an order'],
  ['/v1/orders/search?status=filled', 200, 'orders'],
  [`/v1/compare?a=live&b=${'x'.repeat(500)}`, 400, '\\"b\\" must'],
  ['/v1/compare?a=live', 400, '\\"b\\" is missing'],
  ['/v1/compare?a=live&b=../run.json', 404, 'there is no record'],
])('a path that names no run, order or command is refused: %s', async (path, status, text) => {
  const answer = await ask({ socket: run.socket, path });
  expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(text)]);
});

test.each([
  ['an unknown field', { id: 'command-0001', more: 1 }, /more/],
  ['no id', {}, /id/],
  ['an id that is too short', { id: 'short' }, /8 to 64/],
])('a command with %s is refused with the field', async (_, body, problem) => {
  const headers = { host: 'localhost', 'content-type': 'application/json' };
  const answer = await ask({ socket: run.socket, method: 'POST', path: '/v1/stop', headers, body });
  expect([answer.status, answer.text]).toEqual([400, expect.stringMatching(problem)]);
});

test('every POST endpoint of the OpenAPI document responds by its schema, and has a body in this test', async () => {
  const headers = { host: 'localhost', 'content-type': 'application/json' };
  const steering = operationsOf('post')
    .map(({ path }) => path.replace('/v1/', ''))
    .filter((verb) => !verb.startsWith('session'));
  expect(steering.sort()).toEqual(Object.keys(VERBS).sort());
  expect(Object.keys(BODIES).sort()).toEqual(steering);
  for (const verb of Object.keys(BODIES)) {
    const path = `/v1/${verb}`;
    const operation = document.paths[path]?.['post'];
    if (operation === undefined) throw new Error(`there is no ${path}`);
    const body = { id: `command-${verb}`, reason: 'a test', ...BODIES[verb] };
    const answer = await ask({ socket: run.socket, method: 'POST', path, headers, body });
    expect([verb, answer.status]).toEqual([verb, expect.toBeOneOf([200, 202, 400, 409])]);
    check(operation, answer);
  }
});
