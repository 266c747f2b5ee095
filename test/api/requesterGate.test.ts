import { describe, expect, test } from 'vitest';
import { createVenueClient } from '../../src/api/client.ts';
import { epochSeconds } from '../../src/core/brand.ts';
import { NotSentError, OutcomeUnknownError, UnreachableError } from '../../src/core/errors.ts';
import type { SendGate, SignedSend } from '../../src/domain/venue.ts';
import { apiKey, clientOver, reply, secret, start, type Answering } from './fakeTransport.ts';
import { loopback } from './loopback.ts';

const orderId = 'cd'.repeat(32);
const body = { stockAddress: `0x${'1'.repeat(40)}`, side: 'Buy', type: 'Market', notional: '10' } as const;
const deadline = epochSeconds(1_700_000_060);
const accept: Answering = () => reply({ uuid: 'u', txHash: `0x${'ab'.repeat(32)}` });

/** A gate that records what is committed. */
function gateWith(overrides: Partial<SendGate> = {}) {
  const committed: SignedSend[] = [];
  const gate: SendGate = {
    open: () => ({ deadline }),
    commit: (request) => void committed.push(request),
    ...overrides,
  };
  return { gate, committed };
}

describe('the gate of a send', () => {
  test('opens when the send gets its slot, and commits the very request that leaves', async () => {
    const { client, sent } = clientOver(accept);
    const { gate, committed } = gateWith();

    await client.orderSend({ body }, gate);
    await client.orderCancelSend({ path: { orderId } }, gate);

    expect(
      sent.map(({ method, uri, nonce, body }) => ({ method, uri, timestamp: start, nonce, body })),
    ).toEqual(committed);
    expect(committed).toMatchObject([
      { method: 'POST', body: JSON.stringify({ ...body, deadline }) },
      { method: 'DELETE', uri: `/api/v1/orders/${orderId}/send?deadline=${deadline}`, body: '' },
    ]);
  });

  test('stops the send when the commit fails, and passes its error on', async () => {
    const server = await loopback((response) => response.end('{}'));
    const client = createVenueClient({ baseUrl: server.baseUrl, chainId: 143, product: 'P', apiKey, secret });
    const full = new Error('disk full');
    const { gate } = gateWith({
      commit() {
        throw full;
      },
    });

    await expect(client.orderSend({ body }, gate)).rejects.toBe(full);
    await client.close();
    expect(server.connections).toBe(0);
  });

  test.each<[string, Answering]>([
    ['a lost answer', () => new OutcomeUnknownError('reset')],
    ['no connection', () => new UnreachableError('refused')],
    ['503', () => ({ status: 503, headers: {}, body: '' })],
    ['429', () => ({ status: 429, headers: { 'retry-after': '1' }, body: '' })],
  ])('opens once for a request that leaves once, whatever the outcome: %s', async (_name, answering) => {
    const { client, sent, clock } = clientOver(answering);
    const { gate, committed } = gateWith();

    const failed = expect(client.orderSend({ body }, gate)).rejects.toThrow();
    await clock.advanceBy(600_000);
    await failed;

    expect([sent, committed]).toMatchObject([{ length: 1 }, { length: 1 }]);
  });

  test('commits and sends nothing when it is closed', async () => {
    const { client, sent } = clientOver(accept);
    const { gate, committed } = gateWith({ open: () => ({ stop: 'kill file' }) });

    await expect(client.orderSend({ body }, gate)).rejects.toThrow(new NotSentError('kill file'));
    expect([sent, committed]).toEqual([[], []]);
  });

  test('leaves no pause between its opening, the commit and the first byte', async () => {
    const steps: string[] = [];
    const { client } = clientOver((request) => {
      steps.push('first byte');
      return accept(request);
    });
    const { gate } = gateWith({
      open() {
        void Promise.resolve().then(() => steps.push('next step'));
        steps.push('open');
        return { deadline };
      },
      commit: () => void steps.push('commit'),
    });

    await client.orderSend({ body }, gate);
    expect(steps).toEqual(['open', 'commit', 'first byte', 'next step']);
  });
});
