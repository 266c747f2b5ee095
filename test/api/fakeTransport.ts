import { createVenueClient, type VenueClientOptions } from '../../src/api/client.ts';
import type { RawResponse, Transport, TransportRequest } from '../../src/api/transport.ts';
import { epochMs } from '../../src/core/brand.ts';
import { seededRandom } from '../../src/core/seededRandom.ts';
import { VirtualClock } from '../../src/core/virtualClock.ts';

export const start = epochMs(1_700_000_000_000);
export const apiKey = 'key-of-the-test';
export const secret = 'test-secret';

export const reply = (data: unknown, rest: object = {}): RawResponse => ({
  status: 200,
  headers: {},
  body: JSON.stringify({ code: 200, errMsg: '', uuid: 'u', t: null, data, ...rest }),
});
export const refuse = (errMsg: string, code = 10_002): RawResponse => ({
  ...reply(null, { code, errMsg }),
  status: 400,
});

export type Answering = (request: TransportRequest) => RawResponse | Error;

/** A client over a responding function, on a clock that stands still until moved. */
export function clientOver(answering: Answering, options: Partial<VenueClientOptions> = {}) {
  const sent: TransportRequest[] = [];
  const clock = new VirtualClock({ start });
  const transport: Transport = {
    send(request) {
      sent.push(request);
      const response = answering(request);
      return response instanceof Error ? Promise.reject(response) : Promise.resolve(response);
    },
  };
  const client = createVenueClient({
    baseUrl: 'https://venue.example/rwa',
    chainId: 143,
    product: 'ProductA',
    apiKey,
    secret,
    clock,
    random: seededRandom(7),
    transport,
    ...options,
  });
  return { client, sent, clock };
}
