import { describe, expect, test } from 'vitest';
import type { Exchange } from '../../src/api/requester.ts';
import { OutcomeUnknownError, UnreachableError } from '../../src/core/errors.ts';
import { clientOver, refuse, reply, type Answering } from './fakeTransport.ts';

/** Exchanges of one call, which may fail. */
async function exchangesOf(answering: Answering): Promise<readonly Exchange[]> {
  const { client, clock } = clientOver(answering);
  const seen: Exchange[] = [];
  client.watch((exchange) => void seen.push(exchange));
  const asking = client.config().catch(() => null);
  await clock.advanceBy(60_000);
  await asking;
  return seen;
}

describe('an observer of a client', () => {
  test('receives the endpoint and outcome of each request', async () => {
    const seen = await exchangesOf(() => reply({}));
    expect(seen).toEqual([{ endpoint: 'GET /api/v1/config', outcome: 'success', ms: 0 }]);
  });

  test.each([
    ['declined', refuse('no')],
    ['limited', { ...reply(null), status: 429 }],
    ['unusable', { ...reply(null), status: 502 }],
    ['unreachable', new UnreachableError('no route')],
    ['unknown', new OutcomeUnknownError('cut off')],
  ] as const)('receives the outcome %s', async (outcome, answer) => {
    const seen = await exchangesOf(() => answer);
    expect(new Set(seen.map((each) => each.outcome))).toEqual(new Set([outcome]));
  });

  test('receives nothing after it has stopped watching', async () => {
    const { client } = clientOver(() => reply({}));
    const seen: Exchange[] = [];
    client.watch((exchange) => void seen.push(exchange))();
    await client.config().catch(() => null);
    expect(seen).toEqual([]);
  });
});
