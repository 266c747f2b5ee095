import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { reasonOf } from '../../../src/ops/notify/delivery.ts';
import { openHttp } from '../../../src/ops/notify/http.ts';
import { service } from './services.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

test('an endless response is cut off, and its connection closed', async () => {
  const responses: ServerResponse[] = [];
  const web = await service((_, response) => {
    const more = () => {
      while (response.write('x'.repeat(10_000)));
    };
    responses.push(response.on('drain', more));
    more();
  });
  const { http, close } = openHttp();
  closing.push(close, web.close);
  const answer = await http({
    method: 'POST',
    url: web.url,
    body: '{}',
    signal: new AbortController().signal,
  });
  expect(answer).toMatchObject({ status: 200, retryAfter: null });
  expect(answer.body.length).toBeGreaterThan(256_000);
  expect(answer.body.length).toBeLessThan(4_000_000);
  for (const response of responses) if (!response.closed) await once(response, 'close');
  expect(responses).toHaveLength(1);
});

test('a response that stops midway ends with the attempt, and is reported without the address', async () => {
  const cut = new AbortController();
  const web = await service((_, response) => {
    response.write('{"ok":', () => cut.abort());
  });
  const { http, close } = openHttp();
  closing.push(close, web.close);
  const failure = await http({
    method: 'POST',
    url: `${web.url}/secret`,
    body: '{}',
    signal: cut.signal,
  }).catch((error: unknown) => error);
  expect(reasonOf(failure)).toBe('no answer in time');
});
