import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { host, openListeners, type Listeners } from './listeners.ts';

let run: Listeners;
beforeAll(async () => {
  run = await openListeners();
});
afterAll(() => run.close());

const SCRIPT = '/assets/page-ABCDEFGH.js';

describe('the page', () => {
  test('is served to everybody with a strict content policy, and revalidated each time', async () => {
    const { status, headers, text } = await run.tcp({ path: '/', headers: host });
    expect([status, text]).toEqual([200, '<!doctype html>\n']);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    });
  });

  test('has files that are named by their contents and cached', async () => {
    const { status, headers } = await run.tcp({ path: SCRIPT, headers: host });
    expect([status, headers['content-type'], headers['cache-control']]).toEqual([
      200,
      'text/javascript; charset=utf-8',
      'public, max-age=31536000, immutable',
    ]);
  });

  test('is compressed for a browser that accepts it', async () => {
    const { headers } = await run.tcp({ path: SCRIPT, headers: { ...host, 'accept-encoding': 'gzip, br' } });
    expect([headers['content-encoding'], headers['vary']]).toEqual(['gzip', 'accept-encoding']);
    const plain = await run.tcp({ path: SCRIPT, headers: host });
    expect([plain.headers['content-encoding'], plain.text]).toEqual([undefined, 'export {};\n']);
  });

  test.each([
    '/assets/page-00000000.js',
    '/assets/secret.pem',
    '/assets/../index.html',
    '/assets/..%2Findex.html',
    '/assets/',
    '/assets/%2e%2e/%2e%2e/package.json',
  ])('has no file %s', async (path) => {
    const { status, headers, text } = await run.tcp({ path, headers: host });
    expect([status, text]).toEqual([404, 'There is no such file: load the page again.\n']);
    expect(headers['content-type']).toBe('text/plain; charset=utf-8');
  });

  test('may be opened by a link from another site, and is not fetched from there', async () => {
    const visit = {
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
    };
    const status = async (path: string, headers: object) =>
      (await run.tcp({ path, headers: { ...host, ...headers } })).status;
    expect(await status('/', visit)).toBe(200);
    expect(await status('/', { ...visit, host: 'evil.example' })).toBe(403);
    expect(await status('/', { ...visit, 'sec-fetch-dest': 'iframe' })).toBe(403);
    expect(await status('/', { ...visit, 'sec-fetch-mode': 'cors' })).toBe(403);
    expect(await status('/v1/session', visit)).toBe(403);
    expect(await status(SCRIPT, { ...visit, 'sec-fetch-dest': 'script' })).toBe(403);
  });

  test('refuses other methods', async () => {
    const { status } = await run.tcp({ method: 'DELETE', path: '/', headers: host });
    expect(status).toBe(401);
  });
});

test('a page that was not built is a problem in words', async () => {
  const bare = await openListeners({ folder: '/nowhere' });
  const { status, text } = await bare.tcp({ path: '/', headers: host });
  expect([status, text]).toEqual([404, 'The page is not built. In a clone of drover, run: npm run build\n']);
  await bare.close();
});
