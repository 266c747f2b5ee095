import { expect, test } from 'vitest';
import { Secrets } from '../../../src/core/secrets.ts';
import { parseConfig } from '../../../src/app/config/load.ts';

const parse = (source: string) =>
  parseConfig(`strategies:\n  - { id: a, use: dca, capital: 10, fetch: { mood: ${source} } }\n`, {
    file: 'my.yaml',
    cwd: '/',
    secrets: new Secrets(),
  }).config.strategies[0]?.fetch;

test.each([
  'https://example.com/mood.json?of=AAPL',
  'https://1.1.1.1/',
  'http://127.0.0.1:8080/a',
  'http://localhost/',
  'http://[::1]:80/',
])('%s is a valid address to fetch', (url) => {
  expect(parse(`{ url: '${url}' }`)).toMatchObject({ mood: { everySeconds: 300, maxKb: 64 } });
});

test.each([
  ["{ url: 'http://example.com/' }", 'url: must start with https://'],
  ["{ url: 'ftp://example.com/' }", 'url: must start with https://'],
  ["{ url: 'file:///etc/passwd' }", 'url: must start with https://'],
  ["{ url: 'https://me:word@example.com/' }", 'url: must not carry a user name or password'],
  ["{ url: 'https://example.com/#a' }", 'url: must not have a fragment'],
  ["{ url: 'https://192.168.1.1/' }", 'url: must not lead into a private network'],
  ["{ url: 'https://0xa.1/' }", 'url: must not lead into a private network'],
  ["{ url: 'https://[fd00::1]/' }", 'url: must not lead into a private network'],
  ["{ url: 'https://169.254.169.254/latest' }", 'url: must not lead into a private network'],
  ["{ url: 'https://example.com/', everySeconds: 9 }", 'everySeconds: must be'],
  ["{ url: 'https://example.com/', maxKb: 1025 }", 'maxKb: must be'],
  ["{ url: 'https://example.com/', headers: {} }", 'headers: unknown key'],
  ['{}', 'url: is missing'],
])('fetch %s is refused', (source, problem) => {
  expect(() => parse(source)).toThrow(`strategies[0].fetch.mood.${problem}`);
});
