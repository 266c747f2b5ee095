import { describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/core/clock.ts';
import { EXIT } from '../../../src/process/exitCodes.ts';
import type { CommandContext } from '../../../src/process/context.ts';
import { DOUBT_MS, handOver, type Carrier } from '../../../src/app/transfers/manualSends.ts';
import type { DaemonClient } from '../../../src/ops/client.ts';

type Sent = Readonly<Record<string, string>> | null;

/** A daemon that answers each request with the next of these rows. */
function daemonWith(rows: readonly Sent[]) {
  let asked = 0;
  const command = () => {
    const sent = rows[Math.min(asked++, rows.length - 1)];
    const answer = { kind: 'done', text: '', result: {} };
    return Promise.resolve({ id: 'one', answer, progress: { isDone: false }, sent, ended: null });
  };
  const get = () => Promise.resolve({ what: 'Place', facts: [], refusal: null, refused: null, body: {} });
  const steer = () => Promise.resolve({ id: 'one', text: 'under way' });
  return { client: { get, steer, command } as unknown as DaemonClient, asked: () => asked };
}

async function followed(rows: readonly Sent[]) {
  const printed: unknown[] = [];
  const daemon = daemonWith(rows);
  const context = {
    terminal: { err: () => undefined },
    stopSignal: () => new AbortController().signal,
  } as unknown as CommandContext;
  const send = {
    verb: 'orders',
    fields: {},
    print: (row: unknown) => printed.push(row),
    mayRest: true,
  } as const;
  const code = await handOver([send], { yes: true }, { client: daemon.client, context, manual: null });
  return { code, printed, asked: daemon.asked() };
}

describe('a limit order through a daemon', () => {
  test('that has not left yet is followed until there is a row to print', async () => {
    const rows = [null, { state: 'sent' }, { state: 'working' }];
    expect(await followed(rows)).toEqual({ code: EXIT.done, printed: [{ state: 'working' }], asked: 3 });
  });

  test('is printed as waiting while it waits for the open', async () => {
    expect(await followed([{ state: 'waiting' }])).toMatchObject({
      code: EXIT.done,
      printed: [{ state: 'waiting' }],
    });
  });
});

type Step = Readonly<{ sent?: Sent; isDone?: boolean; ended?: object | null }>;

/** Follows an order of a command's own run. Each wait lasts `waitMs`, and Ctrl-C comes after `stopAt` requests. */
async function followedAlone(steps: readonly Step[], { waitMs = 1, stopAt = Infinity } = {}) {
  let [asked, now] = [0, 0];
  const stopped = new AbortController();
  const given: unknown[] = [];
  const command = () => {
    const step = steps[Math.min(asked++, steps.length - 1)];
    if (asked >= stopAt) stopped.abort();
    const { sent = null, isDone = false, ended = null } = step ?? {};
    return Promise.resolve({ id: 'one', answer: { kind: 'done' }, progress: { isDone }, sent, ended });
  };
  const get = () => Promise.resolve({ what: 'Place', facts: [], refusal: null, refused: null, body: {} });
  const steer = (...request: unknown[]) => {
    given.push(request);
    return Promise.resolve({ id: 'one', text: 'waits', result: { intent: 'hand-1' } });
  };
  const clock = {
    monotonic: () => now,
    sleep: (_ms: number, signal?: AbortSignal) => {
      now += waitMs;
      return signal?.aborted ? Promise.reject(new Error('stopped')) : Promise.resolve();
    },
  };
  const said: string[] = [];
  const context = {
    terminal: { err: (text: string) => said.push(text) },
    stopSignal: () => stopped.signal,
  } as unknown as CommandContext;
  const manual = { clock: { ...systemClock, ...clock } } as unknown as NonNullable<Carrier['manual']>;
  const send = { verb: 'orders', fields: {}, print: () => undefined, mayRest: true } as const;
  const client = { get, steer, command } as unknown as DaemonClient;
  const code = await handOver([send], { yes: true }, { client, context, manual });
  return { code, given: given.slice(1), said: said.join('\n') };
}

describe('an order of a run of the command itself', () => {
  const withdrawn = (reason: string) => [['cancel', { reason, orders: ['hand-1'] }]];
  const dropped = { isDone: true, ended: { how: 'cancelled', why: 'taken back' } };

  test('that is not sent in time is taken back, and the command fails', async () => {
    const ran = await followedAlone([{}, {}, dropped], { waitMs: DOUBT_MS + 1 });
    expect(ran).toMatchObject({ code: EXIT.failed, given: withdrawn('not sent in 300 s') });
    expect(ran.said).toContain('not done: taken back');
  });

  test('that is not sent yet at Ctrl-C is taken back, and the command is interrupted', async () => {
    const ran = await followedAlone([{}, {}, dropped], { stopAt: 2 });
    expect(ran).toMatchObject({ code: EXIT.interrupted, given: withdrawn('nobody waits for it') });
  });

  test('that leaves just before it is taken back goes on, and is shown', async () => {
    const ran = await followedAlone(
      [{}, {}, { sent: { state: 'sent', txHash: '0xa' } }, { sent: { state: 'working', txHash: '0xa' } }],
      {
        stopAt: 2,
      },
    );
    expect(ran).toMatchObject({ code: EXIT.interrupted, given: withdrawn('nobody waits for it') });
    expect(ran.said).toMatch(/sent: 0xa[^]*still under way/);
  });

  test.each([
    [{ state: 'refused', status: 'refused' }, EXIT.venue],
    [{ state: 'abandoned', status: 'abandoned' }, EXIT.safety],
    [{ state: 'closed', status: 'Rejected' }, EXIT.failed],
    [{ state: 'closed', status: 'Filled' }, EXIT.done],
  ])('that ends as %o has the exit code %i', async (sent, exit) => {
    expect((await followedAlone([{ sent, isDone: true }])).code).toBe(exit);
  });

  test('that is dropped before it is planned has the exit code of a safety rule', async () => {
    const ended = { how: 'dropped', why: 'it has been kept back for 10 minutes' };
    expect((await followedAlone([{ isDone: true, ended }])).code).toBe(EXIT.safety);
  });
});
