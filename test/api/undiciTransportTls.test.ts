import { createServer } from 'node:https';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { createVenueClient } from '../../src/api/client.ts';
import { systemClock } from '../../src/core/clock.ts';
import { NoAnswerError, UnreachableError } from '../../src/core/errors.ts';
import { createNodeRpc } from '../../src/venue/nodeRpc.ts';
import { SELF_SIGNED } from './selfSigned.ts';

const NAME = 'NODE_TLS_REJECT_UNAUTHORIZED';
const before = process.env[NAME];
beforeEach(() => {
  process.env[NAME] = '0';
});
afterEach(() => {
  if (before === undefined) Reflect.deleteProperty(process.env, NAME);
  else process.env[NAME] = before;
});

/** Responds to every connection like an attacker between us and the venue, and counts them. */
async function stranger() {
  let heard = 0;
  const server = createServer(SELF_SIGNED, (request, response) => {
    heard++;
    request.resume();
    response.end('{"code":200,"errMsg":"","data":{},"uuid":"","t":0}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const url = `https://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  return { url, heard: () => heard };
}

test('a client refuses an unverified TLS certificate even if the environment turns verification off', async () => {
  const { url, heard } = await stranger();
  const keys = { chainId: 143, product: 'ProductA', apiKey: 'key-of-mine', secret: 'secret-of-mine' };
  const client = createVenueClient({ baseUrl: url, ...keys });
  onTestFinished(() => client.close());
  await expect(client.call('GET', '/api/v1/balance')).rejects.toThrow(UnreachableError);
  await expect(client.call('POST', '/api/v1/orders/send', { body: '{}' })).rejects.toThrow(UnreachableError);
  expect(heard()).toBe(0);
});

test('an RPC client refuses an unverified TLS certificate even if the environment turns verification off', async () => {
  const { url, heard } = await stranger();
  const rpc = createNodeRpc({ url, clock: systemClock });
  onTestFinished(() => rpc.close());
  await expect(rpc.ask('eth_chainId', [], z.string())).rejects.toThrow(NoAnswerError);
  await expect(rpc.askOnce('eth_sendRawTransaction', ['0x'], z.string())).rejects.toThrow(UnreachableError);
  expect(heard()).toBe(0);
});
