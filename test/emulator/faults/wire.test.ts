import { afterEach, describe, expect, test } from 'vitest';
import { createUndiciTransport } from '../../../src/api/undiciTransport.ts';
import { OutcomeUnknownError } from '../../../src/core/errors.ts';
import { VirtualClock } from '../../../src/core/virtualClock.ts';
import { startEmulator, type Emulator } from '../../../src/emulator/index.ts';
import { sign } from '../client.ts';
import { START } from '../harness.ts';

const started: Emulator[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map((emulator) => emulator.close()));
});

const PATH = '/api/v1/config';

/** The client's own transport against a venue under one rule, both on one virtual clock. */
async function under(plan: Record<string, unknown>) {
  const clock = new VirtualClock({ start: START, pace: 'max' });
  const emulator = await startEmulator({ clock });
  started.push(emulator);
  const { controlUrl, baseUrl, accounts } = emulator.info;
  const set = await fetch(`${controlUrl}/faults`, {
    method: 'POST',
    body: JSON.stringify(plan),
    headers: { 'content-type': 'application/json' },
  });
  expect(set.status).toBe(200);
  const transport = createUndiciTransport({ baseUrl, clock });
  await transport.ready?.();
  const key = accounts[0]?.keys[0];
  if (!key) throw new Error('no key');
  const ask = (limitMs: number) => {
    const signed = sign(key, { method: 'GET', path: PATH, ts: clock.now() });
    const nonce = signed.headers['x-api-nonce'] ?? '';
    return transport.send({ ...signed, method: 'GET', nonce, fresh: true, limitMs, maxBytes: 100_000 });
  };
  const running = clock.run();
  const close = async () => {
    clock.stop();
    await running;
    await transport.close?.();
  };
  return { clock, ask, close, emulator };
}

const rule = (fields: Record<string, unknown>) => ({
  rules: [{ endpoint: `GET ${PATH}`, times: 1, ...fields }],
});

describe('a fault over a socket', () => {
  test('slow-body delivers the whole body in its time', async () => {
    const { ask, clock, close } = await under(rule({ kind: 'slow-body', ms: 15_000 }));
    const answer = await ask(20_000);
    expect(JSON.parse(answer.body)).toMatchObject({ code: 200 });
    expect(clock.now() - START).toBeGreaterThanOrEqual(15_000);
    expect(clock.now() - START).toBeLessThan(15_200);
    await close();
  });

  test("slow-body beyond the client's limit gives no response, counted to the last byte", async () => {
    const { ask, clock, close } = await under(rule({ kind: 'slow-body', ms: 60_000 }));
    await expect(ask(20_000)).rejects.toThrow(OutcomeUnknownError);
    expect(clock.now() - START).toBe(20_000);
    expect((await ask(20_000)).status).toBe(200);
    await close();
  });

  test('interim sends 1xx responses that the client skips', async () => {
    const { ask, close } = await under(rule({ kind: 'interim' }));
    const answer = await ask(20_000);
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.body)).toMatchObject({ code: 200 });
    await close();
  });

  test('redirect is returned as it is, and not followed', async () => {
    const location = 'http://127.0.0.1:9/elsewhere';
    const { ask, close } = await under(rule({ kind: 'redirect', location, status: 302 }));
    expect(await ask(20_000)).toMatchObject({ status: 302, headers: { location } });
    await close();
  });

  test.each<[rule: Record<string, unknown>, body: string]>([
    [{ kind: 'body', text: '' }, ''],
    [{ kind: 'truncate', bytes: 7 }, '{"code"'],
  ])('%j is delivered as it is', async (fields, body) => {
    const { ask, close } = await under(rule(fields));
    expect(await ask(20_000)).toMatchObject({ status: 200, body });
    await close();
  });

  test("clockOffsetMs moves the Date header with the venue's time", async () => {
    const { ask, close, clock } = await under({ clockOffsetMs: 30_000 });
    const { headers, body } = await ask(20_000);
    const told = Date.parse(String(headers['date']));
    expect(told).toBe(Math.floor((clock.now() + 30_000) / 1000) * 1000);
    expect((JSON.parse(body) as { t: number }).t).toBeGreaterThanOrEqual(START + 30_000);
    await close();
  });
});

describe('the fault plan of a starting emulator', () => {
  test('is in force at once', async () => {
    const emulator = await startEmulator({ faults: { indexerLagMs: 300_000 } });
    started.push(emulator);
    const plan = await fetch(`${emulator.info.controlUrl}/faults`);
    expect(await plan.json()).toMatchObject({ indexerLagMs: 300_000 });
  });

  test.each([
    [{ rules: [{ kind: 'nonsense' }] }, /faults: .*Expected .lost-request.*rules\[0\]\.kind/s],
    [
      { rules: [{ kind: 'html', endpoint: 'GET /nowhere' }] },
      /faults: rules\[0\] \(html\): there is no endpoint/,
    ],
  ])('is refused when it is invalid', async (faults, text) => {
    await expect(startEmulator({ faults })).rejects.toThrow(text);
  });
});
