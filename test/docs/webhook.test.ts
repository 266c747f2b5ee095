import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { signatureOf } from '../../src/ops/notify/senders.ts';

const SECRET = 'a-signing-key-of-this-test';

test('the webhook example accepts a signed, fresh message once, and refuses all others', async () => {
  const example = spawn(process.execPath, ['docs/examples/webhook.mjs'], {
    env: { PATH: process.env['PATH'], SECRET, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  example.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
  while (!/listening on \d+/.test(said)) await once(example.stdout, 'data');
  const url = `http://127.0.0.1:${/listening on (\d+)/.exec(said)?.[1] ?? ''}/`;
  const body = JSON.stringify({ id: 'j1', messages: [{ id: 'j1', title: 'Fill', text: 'bought' }] });
  const post = async (key: string, age: number): Promise<number> => {
    const at = Math.floor(Date.now() / 1_000) - age;
    const signature = signatureOf(key, { id: 'j1', at, body });
    const headers = { 'webhook-id': 'j1', 'webhook-timestamp': String(at), 'webhook-signature': signature };
    return (await fetch(url, { method: 'POST', headers, body })).status;
  };
  const answers = [
    await post(SECRET, 0),
    await post(SECRET, 0),
    await post('another-key-for-this', 0),
    await post(SECRET, 600),
  ];
  example.kill('SIGTERM');
  await once(example, 'close');
  expect([answers, said.match(/Fill: bought/g)]).toEqual([[204, 204, 401, 401], ['Fill: bought']]);
});
