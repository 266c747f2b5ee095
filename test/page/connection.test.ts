import { describe, expect, test } from 'vitest';
import { VERSION } from '../../src/core/version.ts';
import { Connection } from '../../src/page/connection/connection.ts';
import { SignIn } from '../../src/page/connection/signIn.ts';
import type { Cancel, Surroundings } from '../../src/page/connection/surroundings.ts';

type Stream = Readonly<{ address: string; send: (text: string) => void; end: () => void }>;

/** A browser and a daemon whose time the test sets. */
class Scene implements Surroundings {
  readonly asked: string[] = [];
  readonly streams: Stream[] = [];
  isDown = false;
  role: 'operate' | null = 'operate';
  version = VERSION;
  journalLength = 100;
  isAway = false;
  #at = 1_800_000_000_000;
  #timers: { at: number; run: () => void }[] = [];
  #wakes = new Set<() => void>();

  readonly now = () => this.#at;
  readonly isHidden = () => this.isAway;
  readonly after = (ms: number, run: () => void): Cancel => {
    const timer = { at: this.#at + ms, run };
    this.#timers.push(timer);
    return () => (this.#timers = this.#timers.filter((each) => each !== timer));
  };
  readonly onWake = (run: () => void): Cancel => {
    this.#wakes.add(run);
    return () => void this.#wakes.delete(run);
  };

  readonly fetch = async (address: string, init?: RequestInit): Promise<Response> => {
    this.asked.push(address);
    if (this.isDown) throw new TypeError('refused');
    const json = (value: unknown, status = 200) => new Response(JSON.stringify(value), { status });
    if (address === 'v1/session') return json({ role: this.role, version: this.version });
    if (this.role === null) return json({ error: { code: 'UNAUTHORIZED', message: 'no' } }, 401);
    if (address === 'v1/status') return json({ reads: this.reads });
    if (Number(/after=(\d+)/.exec(address)?.[1] ?? 0) > this.journalLength)
      return json({ error: { code: 'USAGE', message: 'the journal ends before' } }, 400);
    return new Response(this.#stream(address, init?.signal ?? null));
  };

  #stream(address: string, signal: AbortSignal | null): ReadableStream<Uint8Array> {
    return new ReadableStream({
      start: (controller) => {
        const send = (text: string) => controller.enqueue(new TextEncoder().encode(text));
        this.streams.push({ address, send, end: () => controller.close() });
        signal?.addEventListener('abort', () => controller.error(new Error('aborted')));
      },
    });
  }

  get reads(): number {
    return this.asked.filter((address) => address === 'v1/status').length;
  }

  /** Lets time pass; timers fire in order, with promises after each. */
  async pass(ms: number): Promise<void> {
    const end = this.#at + ms;
    await settle();
    for (;;) {
      const [next] = this.#timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
      if (!next) break;
      this.#timers = this.#timers.filter((each) => each !== next);
      this.#at = Math.max(this.#at, next.at);
      next.run();
      await settle();
    }
    this.#at = end;
  }

  /** Time of a machine that sleeps: nothing runs. */
  async sleep(ms: number): Promise<void> {
    this.#at += ms;
    for (const wake of this.#wakes) wake();
    await settle();
  }
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}

async function connected() {
  const scene = new Scene();
  const signIn = new SignIn(scene);
  const connection = new Connection({ name: 'one', base: '' }, signIn, scene);
  const seen: number[] = [];
  connection.onEntry(({ seq }) => seen.push(seq));
  connection.open();
  await scene.pass(0);
  return { scene, signIn, connection, seen };
}

const entry = (seq: number) => `id: ${seq}\nevent: entry\ndata: {"seq":${seq},"kind":"x","at":""}\n\n`;

describe('the connection of the page', () => {
  test('shows status and events', async () => {
    const { scene, connection, seen } = await connected();
    expect(connection.link.value).toEqual({ kind: 'connected' });
    expect(connection.status.value).toEqual({ reads: 1 });
    scene.streams[0]?.send(`${entry(7)}event: price\ndata: {"symbol":"SPY","price":"1","at":""}\n\n`);
    await scene.pass(1_000);
    expect([seen, connection.prices.value.get('SPY')?.price, scene.reads]).toEqual([[7], '1', 2]);
    connection.close();
  });

  test('misses no entry when it breaks before the first', async () => {
    const { scene, connection } = await connected();
    scene.streams[0]?.send(': ping\n\nid: 41\n\n');
    await scene.pass(0);
    scene.streams[0]?.end();
    await scene.pass(2_000);
    expect(scene.streams[1]?.address).toBe('v1/events?after=41');
    connection.close();
  });

  test('survives an error of a view', async () => {
    const { scene, connection, seen } = await connected();
    const uncaught: unknown[] = [];
    const take = (error: unknown) => uncaught.push(error);
    process.once('uncaughtException', take);
    const forget = connection.onEntry(() => {
      throw new Error('a view');
    });
    scene.streams[0]?.send(entry(7));
    await scene.pass(0);
    forget();
    scene.streams[0]?.send(entry(8));
    await scene.pass(0);
    expect([seen, scene.streams.length, connection.link.value.kind]).toEqual([[7, 8], 1, 'connected']);
    expect(uncaught).toEqual([new Error('a view')]);
    connection.close();
  });

  test('reads the status at most once a second, and regularly without events', async () => {
    const { scene, connection } = await connected();
    for (let seq = 1; seq <= 100; seq++) {
      scene.streams[0]?.send(entry(seq));
      await scene.pass(50);
    }
    expect(scene.reads).toBeLessThanOrEqual(7);
    const before = scene.reads;
    await scene.pass(15_000);
    expect(scene.reads - before).toBe(3);
    connection.close();
  });

  test('resumes after the last entry, waits longer each time, and shows since when', async () => {
    const { scene, connection, seen } = await connected();
    scene.streams[0]?.send(entry(7));
    await scene.pass(0);
    const from = scene.now();
    scene.isDown = true;
    scene.streams[0]?.end();
    await scene.pass(60_000);
    expect(connection.link.value).toMatchObject({ kind: 'reconnecting', since: from });
    const attempts = scene.asked.filter((address) => address === 'v1/session').length;
    expect(attempts).toBeGreaterThan(5);
    expect(attempts).toBeLessThan(12);
    scene.isDown = false;
    await scene.pass(15_000);
    expect(connection.link.value.kind).toBe('connected');
    expect(scene.streams[1]?.address).toBe('v1/events?after=7');
    scene.streams[1]?.send(entry(8));
    await scene.pass(0);
    expect(seen).toEqual([7, 8]);
    connection.close();
  });

  test('starts again if the journal is another one', async () => {
    const { scene, connection } = await connected();
    scene.streams[0]?.send(entry(100));
    await scene.pass(0);
    scene.journalLength = 3;
    scene.streams[0]?.end();
    await scene.pass(1_000);
    expect(scene.streams[1]?.address).toBe('v1/events');
    expect(connection.link.value.kind).toBe('connected');
    connection.close();
  });

  test('reconnects after a silent stream, at once after a sleep', async () => {
    const { scene, connection } = await connected();
    for (let ping = 0; ping < 8; ping++) {
      await scene.pass(15_000);
      scene.streams[0]?.send(': ping\n\n');
    }
    await scene.pass(0);
    expect(scene.streams).toHaveLength(1);
    await scene.pass(41_000);
    expect(scene.streams).toHaveLength(2);
    await scene.sleep(3_600_000);
    await scene.pass(1_000);
    expect(scene.streams).toHaveLength(3);
    expect(connection.link.value.kind).toBe('connected');
    connection.close();
  });

  test('ends with the session, and resumes after the next sign-in', async () => {
    const { scene, signIn, connection } = await connected();
    scene.role = null;
    await scene.pass(5_000);
    expect(signIn.session.value?.role).toBeNull();
    expect(connection.link.value.kind).toBe('signedOut');
    const { length } = scene.asked;
    await scene.pass(60_000);
    expect(scene.asked).toHaveLength(length);
    scene.role = 'operate';
    connection.open();
    await scene.pass(0);
    expect(connection.link.value.kind).toBe('connected');
    connection.close();
  });

  test('stops when the daemon has another version', async () => {
    const { scene, signIn, connection } = await connected();
    scene.version = '99.0.0';
    scene.streams[0]?.end();
    await scene.pass(1_000);
    expect([connection.link.value.kind, signIn.otherVersion.value]).toEqual(['outdated', '99.0.0']);
  });

  test('reads seldom while the page is hidden', async () => {
    const { scene, connection } = await connected();
    scene.isAway = true;
    await scene.pass(30_000);
    const before = scene.reads;
    for (let seq = 1; seq <= 300; seq++) {
      scene.streams[0]?.send(entry(seq));
      await scene.pass(100);
    }
    expect(scene.reads - before).toBeLessThanOrEqual(4);
    connection.close();
  });
});
