import type { LookupAddress } from 'node:dns';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { fetchInTurn } from '../../../src/app/strategies/fetches.ts';
import { systemClock } from '../../../src/core/clock.ts';
import type { FetchedEvent } from '../../../src/engine/state/kernelEvent.ts';

const names = vi.hoisted(() => new Map<string, LookupAddress[]>());
vi.mock('node:dns', async (original) => ({
  ...(await original<object>()),
  lookup: (host: string, _: unknown, found: (error: null, addresses: LookupAddress[]) => void) =>
    found(null, names.get(host) ?? []),
}));

/** Response of a host whose name resolves to these addresses, and the number of connections to this machine. */
async function answerAt(addresses: LookupAddress[]) {
  const connected = vi.fn();
  const own = createServer((socket) => {
    connected();
    socket.destroy();
  });
  await new Promise<void>((resolve) => own.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void own.close());
  names.set('evil.example', addresses);
  const url = `https://evil.example:${(own.address() as AddressInfo).port}/`;
  const source = { url, everySeconds: 10, maxKb: 1, strategyId: 'solo', name: 'mood' };
  const answer = await new Promise<FetchedEvent['answer']>((resolve) => {
    const end = fetchInTurn([source], systemClock, (event) => {
      end();
      resolve(event.answer);
    });
  });
  return { answer, connected };
}

test.each([
  [[{ address: '127.0.0.1', family: 4 }]],
  [[{ address: '::1', family: 6 }]],
  [
    [
      { address: '192.168.1.1', family: 4 },
      { address: '::ffff:127.0.0.1', family: 6 },
    ],
  ],
  [[]],
])('a host name that resolves to %j is not fetched', async (addresses) => {
  const { answer, connected } = await answerAt(addresses);
  expect(answer).toEqual({ problem: 'its name leads into a private network' });
  expect(connected).not.toHaveBeenCalled();
});
