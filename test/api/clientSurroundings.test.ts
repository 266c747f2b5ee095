import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createVenueClient } from '../../src/api/client.ts';
import { NoAnswerError } from '../../src/core/errors.ts';
import { loopback, type Handler } from './loopback.ts';

const MIB = 2 ** 20;

async function clientOver(handle: Handler) {
  const server = await loopback(handle);
  const keys = { chainId: 143, product: 'ProductA', apiKey: 'key-of-mine', secret: 'secret-of-mine' };
  const client = createVenueClient({ baseUrl: server.baseUrl, ...keys });
  onTestFinished(() => client.close());
  return { server, client };
}

test('a proxy named in the environment receives neither key nor signature', async () => {
  const proxy = await loopback((response) => response.end('{"code":200,"data":"of a stranger"}'));
  for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy'])
    vi.stubEnv(name, proxy.baseUrl);
  vi.stubEnv('NODE_USE_ENV_PROXY', '1');
  onTestFinished(() => void vi.unstubAllEnvs());
  const { server, client } = await clientOver((response) =>
    response.end('{"code":200,"data":"of the venue"}'),
  );
  expect(await client.call('GET', '/api/v1/symbols')).toMatchObject({ data: 'of the venue' });
  expect([server.received.length, proxy.received.length]).toEqual([1, 0]);
});

test('a compressed response that would unpack to a huge size is not unpacked', async () => {
  const bomb = gzipSync(Buffer.from(`{"code":200,"data":"${' '.repeat(200 * MIB)}"}`));
  const { client } = await clientOver((response) => {
    response.setHeader('content-encoding', 'gzip');
    response.end(bomb);
  });
  const before = process.memoryUsage().rss;
  await expect(client.call('GET', '/api/v1/symbols')).rejects.toThrow(NoAnswerError);
  expect(process.memoryUsage().rss - before).toBeLessThan(100 * MIB);
});
