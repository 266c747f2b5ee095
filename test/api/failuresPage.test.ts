import { expect, test } from 'vitest';
import { ASSUMED } from '../../src/api/assumptions/assumptions.ts';
import { readAnswer } from '../../src/api/envelope.ts';
import { failureOf } from '../../src/api/failures.ts';

const route = { method: 'GET', path: '/api/v1/orders', repeat: 'always' } as never;
const messageOf = (status: number, body: string): string =>
  failureOf(readAnswer({ status, headers: {}, body }), route, {
    redact: (text) => text,
    refusals: ASSUMED.refusals,
  }).message;

test.each([
  [
    'a page of a proxy',
    '<html>\r\n<head><title>503 Service Temporarily Unavailable</title><style>p { color: red }</style></head>\r\n<body>\r\n<hr><center>nginx</center></body></html>',
    '"503 Service Temporarily Unavailable nginx"',
  ],
  [
    'a page whose heading is its title',
    '<html><head><title>503 Unavailable</title></head><body><h1>503 Unavailable</h1><hr>nginx/1.18.0</body></html>',
    '"503 Unavailable nginx/1.18.0"',
  ],
  [
    'a page with nothing but a title',
    '<html><head><title>Sorry</title></head><body></body></html>',
    '"Sorry"',
  ],
  ['a page without a text', '<html><body><img src="a.png"></body></html>', 'without a text'],
  ['nothing', '', 'without a text'],
  ['half a tag', 'gone <a hre', '"gone"'],
  ['a long text', 'x '.repeat(100), `"${'x '.repeat(40)}… (119 more characters)"`],
])('the error for %s has its status and first words without markup', (_, body, words) => {
  expect(messageOf(503, body)).toBe(`GET /api/v1/orders: HTTP 503: ${words}`);
});
