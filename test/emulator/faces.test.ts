import { afterEach, describe, expect, test } from 'vitest';
import { epochMs } from '../../src/core/brand.ts';
import type { Cancel, Host } from '../../src/core/clock.ts';
import { OutcomeUnknownError } from '../../src/core/errors.ts';
import { VirtualClock } from '../../src/core/virtualClock.ts';
import {
  openFront,
  openMachine,
  startEmulator,
  type Emulator,
  type Latency,
} from '../../src/emulator/index.ts';
import type { FaultRule } from '../../src/emulator/state/faultRules.ts';
import { createInProcessTransport } from './http/inProcess.ts';
import { call, sign, type Call, type Signed } from './client.ts';
import { START, stock } from './harness.ts';

const start = new Date(START).toISOString();
const INSTANT: Latency = { minMs: 0, maxMs: 0 };
const started: Emulator[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map((emulator) => emulator.close()));
});

/** A venue in this process with its own clock. */
function open(latency?: Latency, seed = 1) {
  const kept = openMachine({ start, seed });
  const clock = new VirtualClock({ start: START, pace: 'max' });
  const front = openFront(kept, { clock, ...(latency ? { latency } : {}) });
  const transport = createInProcessTransport({ front, clock });
  const [key] = kept.machine.state.keys;
  if (!key) throw new Error('no key');
  const send = (signed: Signed, limitMs = 20_000) =>
    transport.send({ ...signed, nonce: signed.headers['x-api-nonce'] ?? '', limitMs });
  return { ...kept, clock, key, send };
}

/** Runs the clock while the work takes. */
async function during<T>(clock: VirtualClock, work: () => Promise<T>): Promise<T> {
  const running = clock.run();
  try {
    return await work();
  } finally {
    clock.stop();
    await running;
  }
}

let count = 0;
const nonce = () => `00000000-0000-4000-9000-${String(count++).padStart(12, '0')}`;
const order = {
  side: 'Buy',
  type: 'Market',
  notional: '25',
  deadline: START / 1000 + 60,
  stockAddress: stock('SPY'),
};
const calls: Omit<Call, 'ts'>[] = [
  { method: 'GET', path: '/api/v1/config' },
  { method: 'GET', path: '/api/v1/symbols' },
  { method: 'GET', path: '/api/v1/prices/maapl' },
  {
    method: 'GET',
    path: '/api/v1/prices/AAPL/history',
    query: { endTime: START / 1000, interval: '1m', limit: 3 },
  },
  { method: 'GET', path: '/api/v1/prices/NOPE' },
  { method: 'POST', path: '/api/v1/orders/send', body: order },
  { method: 'POST', path: '/api/v1/orders/send', body: { ...order, side: 'buy' } },
  { method: 'GET', path: '/api/v1/orders' },
  { method: 'POST', path: '/api/v1/1ct/prepare', body: { deadline: order.deadline } },
  { method: 'PUT', path: '/api/v1/orders' },
];

describe('the in-process and the socket interfaces', () => {
  test('respond with the same bytes', async () => {
    const inside = open(INSTANT);
    const emulator = await startEmulator({ start, speed: 0 });
    started.push(emulator);
    for (const each of calls) {
      const signed = sign(inside.key, { ...each, ts: START, nonce: nonce() });
      const reply = await inside.send(signed);
      expect(await call(emulator.info.baseUrl, signed)).toEqual({ status: reply.status, text: reply.body });
    }
  });
});

describe('latency', () => {
  test('takes 15 to 60 ms of the clock, and depends only on the request and its instant', async () => {
    const trip = async (path: string, seed?: number) => {
      const venue = open(undefined, seed);
      await during(venue.clock, () =>
        venue.send(sign(venue.key, { method: 'GET', path, ts: START, nonce: nonce() })),
      );
      return venue.clock.monotonic() - START;
    };
    const first = await trip('/api/v1/symbols');
    expect(first).toBeGreaterThan(15);
    expect(first).toBeLessThan(60);
    expect(await trip('/api/v1/symbols')).toBe(first);
    expect(await trip('/api/v1/config')).not.toBe(first);
    expect(await trip('/api/v1/symbols', 2)).not.toBe(first);
  });

  test('delivers two requests sent together in one order, whichever was read first', async () => {
    const outcome = async (reversed: boolean) => {
      const venue = open();
      const orders = ['11', '12'].map((notional) => ({ ...order, notional }));
      if (reversed) orders.reverse();
      const send = (body: unknown) =>
        venue.send(
          sign(venue.key, { method: 'POST', path: '/api/v1/orders/send', body, ts: START, nonce: nonce() }),
        );
      await during(venue.clock, () => Promise.all(orders.map(send)));
      return venue.machine.truth(epochMs(START + 60_000)).orders;
    };
    expect(await outcome(true)).toEqual(await outcome(false));
  });
});

describe('a fault', () => {
  const rule = (fault: Record<string, unknown>) =>
    ({
      probability: 1,
      processed: true,
      times: 1,
      endpoint: 'POST /api/v1/orders/send',
      ...fault,
    }) as FaultRule;

  async function strike(fault: Record<string, unknown>, limitMs?: number) {
    const venue = open(INSTANT);
    venue.machine.command({ kind: 'faults', body: { rules: [rule(fault)] } }, START);
    const send = () =>
      venue.send(
        sign(venue.key, {
          method: 'POST',
          path: '/api/v1/orders/send',
          body: order,
          ts: START,
          nonce: nonce(),
        }),
        limitMs,
      );
    const result = await during(venue.clock, () => send().catch((error: unknown) => error));
    const { orders, requests } = venue.machine.truth(venue.clock.now());
    return { result, placed: orders.length, count: requests['POST /api/v1/orders/send'], venue, send };
  }

  test('lost-request loses the request before it arrives', async () => {
    const { result, placed, count: counted } = await strike({ kind: 'lost-request' });
    expect(result).toBeInstanceOf(OutcomeUnknownError);
    expect({ placed, counted }).toEqual({ placed: 0, counted: undefined });
  });

  test('lost-response leaves an order behind', async () => {
    const { result, placed, count: counted } = await strike({ kind: 'lost-response' });
    expect(result).toBeInstanceOf(OutcomeUnknownError);
    expect({ placed, counted }).toEqual({ placed: 1, counted: { received: 1, accepted: 1, answered: 0 } });
  });

  test("delay beyond the client's limit leaves the outcome unknown, and the clock continues", async () => {
    const { result, placed, venue } = await strike({ kind: 'delay', ms: 30_000 });
    expect(result).toBeInstanceOf(OutcomeUnknownError);
    expect(placed).toBe(1);
    expect(venue.clock.now()).toBe(START + 20_000);
    await during(venue.clock, () => venue.clock.sleep(60_000));
  });

  test.each([
    ['a gateway error after the venue has accepted it', { kind: 'status', status: 502 }, 502, 1],
    ['a gateway error before it arrives', { kind: 'status', status: 503, processed: false }, 503, 0],
    ['a page instead of JSON', { kind: 'html' }, 200, 1],
    ['a truncated body', { kind: 'truncate', bytes: 20 }, 200, 1],
    ['too many requests', { kind: '429', retryAfter: '7', processed: false }, 429, 0],
    ['too many requests, although placed', { kind: '429', retryAfter: '7' }, 429, 1],
    ['unauthorized without a reason', { kind: 'unauthorized' }, 400, 0],
    ['no hash', { kind: 'no-hash' }, 200, 1],
  ])('answers a send: %s', async (...[, fault, status, placed]) => {
    const struck = await strike(fault);
    expect({ status: (struck.result as { status: number }).status, placed: struck.placed }).toEqual({
      status,
      placed,
    });
    const { body, headers } = struck.result as { body: string; headers: Record<string, string> };
    if (fault.kind === 'no-hash')
      expect(JSON.parse(body)).toMatchObject({ code: 200, data: { txHash: null } });
    if (fault.kind === '429') expect(headers['retry-after']).toBe('7');
    if (fault.kind === 'truncate') expect(body).toHaveLength(20);
    const next = await during(struck.venue.clock, struck.send);
    expect(JSON.parse(next.body)).toMatchObject({
      code: 200,
      data: { txHash: expect.stringMatching(/^0x/) as string },
    });
  });

  test('applies only to its endpoint, as often as its count and probability say', async () => {
    const venue = open(INSTANT);
    const half = { kind: '429', probability: 0.5 } as const;
    venue.machine.command(
      { kind: 'faults', body: { rules: [{ ...half, endpoint: 'GET /api/v1/config' }] } },
      START,
    );
    const statuses = async (path: string) => {
      const replies = Array.from({ length: 200 }, (_, n) =>
        venue.send(sign(venue.key, { method: 'GET', path, query: { n }, ts: START, nonce: nonce() })),
      );
      return (await Promise.all(replies)).filter(({ status }) => status === 429).length;
    };
    expect(await statuses('/api/v1/1ct/status')).toBe(0);
    const struck = await statuses('/api/v1/config');
    expect(struck).toBeGreaterThan(70);
    expect(struck).toBeLessThan(130);
  });
});

describe('the pace of the emulator', () => {
  test('keeps an outside caller at the present time at 600 times real speed', async () => {
    let real = 0;
    const host: Host = {
      monotonic: () => real,
      after: (): Cancel => () => undefined,
      turn: () => new Promise((resolve) => setImmediate(resolve)),
    };
    const clock = new VirtualClock({ start: START, pace: 600, host });
    const kept = openMachine({ start });
    const front = openFront(kept, { clock, latency: INSTANT });
    void clock.run();
    await host.turn();
    real = 100;
    const [key] = kept.machine.state.keys;
    if (!key) throw new Error('no key');
    const ts = START + 60_000;
    const reply = await front({
      ...sign(key, { method: 'GET', path: '/api/v1/symbols', ts }),
      ip: '127.0.0.1',
    });
    expect(JSON.parse(reply?.body ?? '')).toMatchObject({ code: 200, t: ts });
    clock.stop();
  });
});
