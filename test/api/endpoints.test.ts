import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Endpoint } from '../../src/api/endpoint.ts';
import * as endpoints from '../../src/api/endpoints/index.ts';
import { specified } from './specified.ts';

const table = Object.entries<Endpoint>(endpoints);
const told = ({ method, path, access }: Pick<Endpoint, 'method' | 'path' | 'access'>) =>
  `${method} ${path} ${access}`;

test('the client has exactly the endpoints of the specification', () => {
  expect(specified).toHaveLength(46);
  expect(table.map(([, endpoint]) => told(endpoint)).sort()).toEqual(
    specified.map(({ method, path, access }) => `${method} /api/v1${path} ${access}`).sort(),
  );
});

test.each(specified)('$method $path is repeated and queued as its kind allows', ({ method, path }) => {
  const [, endpoint] =
    table.find(([, each]) => each.method === method && each.path === `/api/v1${path}`) ?? [];
  const moves = /\/send$|\/1ct\/(enable|disable)$/.test(path);
  expect(endpoint?.repeat).toBe(moves ? 'never' : 'always');
  if (method === 'DELETE') expect(endpoint?.lane).toBe('cancel');
  else if (method === 'POST') expect(endpoint?.lane).toBe('send');
  else expect(['reconcile', 'data']).toContain(endpoint?.lane);
});

test('every path parameter has a schema, and only a POST has a body', () => {
  for (const [, { method, path, params, body }] of table) {
    expect(params !== undefined, path).toBe(path.includes('{'));
    if (method !== 'POST') expect(body, path).toBeUndefined();
  }
});

test('all calldata endpoints share one response schema, and so do all sends and all links', () => {
  const answers = (end: string) =>
    new Set(table.filter(([, { path }]) => path.endsWith(end)).map(([, { response }]) => response));
  expect([answers('/calldata').size, answers('/send').size, answers('/tx').size]).toEqual([1, 1, 1]);
});

const text = readdirSync('src/api/endpoints')
  .map((file) => readFileSync(`src/api/endpoints/${file}`, 'utf8'))
  .join('\n');

test.each(table)('%s has an example and exports its request and response types', (name, endpoint) => {
  const type = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  const asks = endpoint.params ?? endpoint.query ?? endpoint.body;
  expect(text).toMatch(new RegExp(` \\* @example\\n \\* .*client\\.${name}\\(`));
  expect(text).toContain(`export type ${type}Response = ResponseOf<typeof ${name}>;`);
  expect(text.includes(`export type ${type}Request = RequestOf<typeof ${name}>;`)).toBe(asks !== undefined);
});
