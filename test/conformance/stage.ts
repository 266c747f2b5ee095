import { expect } from 'vitest';
import { ALLOWED_GROUPS } from '../../src/api/allowList.ts';
import { createVenueClient, type VenueClient, type VenueClientOptions } from '../../src/api/client.ts';
import type { RawResponse, Transport } from '../../src/api/transport.ts';
import { createUndiciTransport } from '../../src/api/undiciTransport.ts';
import { epochMs } from '../../src/core/brand.ts';
import { DroverError } from '../../src/core/errors.ts';
import { VirtualClock } from '../../src/core/virtualClock.ts';
import type { Address } from '../../src/domain/instrument.ts';
import { startEmulator, type EmulatorInfo } from '../../src/emulator/index.ts';

/** Monday 2026-06-15, 10:00 in New York: the regular session. */
export const MONDAY = '2026-06-15T14:00:00Z';

type Access = 'WRITABLE' | 'READ_ONLY';

/** The emulator behind its sockets, with clients on its time. Time moves only when the test moves it. */
export async function startStage(start = MONDAY) {
  const { info, close } = await startEmulator({ speed: 0, start });
  return new Stage(info, close, Date.parse(start));
}

export class Stage {
  readonly info: EmulatorInfo;
  readonly #close: () => Promise<void>;
  readonly #clock: VirtualClock;
  readonly #clients: VenueClient[] = [];

  constructor(info: EmulatorInfo, close: () => Promise<void>, start: number) {
    this.info = info;
    this.#close = close;
    this.#clock = new VirtualClock({ start: epochMs(start) });
  }

  account(index: number) {
    const found = this.info.accounts[index];
    if (!found) throw new Error(`no account ${index}`);
    return found;
  }

  key(index: number, access: Access = 'WRITABLE') {
    const found = this.account(index).keys.find((key) => key.access === access);
    if (!found) throw new Error(`no ${access} key`);
    return { apiKey: found.apiKey, secret: found.secret };
  }

  get cash(): Address {
    return this.info.cashToken.address as Address;
  }

  stock(symbol: string): Address {
    const found = this.info.symbols.find((each) => each.symbol === symbol);
    if (!found) throw new Error(`no ${symbol}`);
    return found.contractAddress as Address;
  }

  /** A client with a key of an account, and the last response as received. */
  client(index: number, options: Partial<VenueClientOptions> & { key?: Access } = {}) {
    const { key = 'WRITABLE', ...more } = options;
    const { baseUrl, chainId, product } = this.info;
    const transport = recording(createUndiciTransport({ baseUrl, clock: this.#clock }));
    const client = createVenueClient({
      baseUrl,
      chainId,
      product,
      ...this.key(index, key),
      clock: this.#clock,
      transport,
      requestsPerMinute: Infinity,
      allow: ALLOWED_GROUPS,
      ...more,
    });
    this.#clients.push(client);
    return Object.assign(client, { last: () => transport.last });
  }

  now(): number {
    return this.#clock.now();
  }

  /** Instant in Unix seconds, counted from now. */
  deadline(seconds = 90): number {
    return Math.floor(this.now() / 1000) + seconds;
  }

  async wait(ms: number): Promise<void> {
    await this.control('clock', { advanceMs: ms });
    await this.#clock.advanceTo(epochMs(this.now() + ms));
  }

  /** Advances time until everything sent is mined, settled and indexed. */
  settled(): Promise<void> {
    return this.wait(20_000);
  }

  async control(path: string, body: object): Promise<void> {
    const answer = await fetch(`${this.info.controlUrl}/${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    });
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
  }

  async truth(): Promise<{
    orders: { txHash: string; status: string }[];
    requests: Record<string, { received: number }>;
  }> {
    return (await fetch(`${this.info.controlUrl}/truth`)).json() as never;
  }

  async close(): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.close()));
    await this.#close();
  }
}

function recording(inner: Transport): Transport & { last: RawResponse | null } {
  return {
    last: null,
    async send(request) {
      return (this.last = await inner.send(request));
    },
    close: () => inner.close?.() ?? Promise.resolve(),
  };
}

export type StageClient = ReturnType<Stage['client']>;

/** The envelope of the last response, with its HTTP status. */
export function lastAnswer(client: StageClient) {
  const last = client.last();
  if (!last) throw new Error('nothing was answered');
  const body = JSON.parse(last.body) as { code: number; errMsg: string; data: unknown };
  return { status: last.status, ...body };
}

/** Error of a failed call, as its caller sees it. */
export async function failure(work: Promise<unknown>): Promise<DroverError> {
  const thrown: unknown = await work.then(
    () => null,
    (error: unknown) => error,
  );
  expect(thrown).toBeInstanceOf(DroverError);
  return thrown as DroverError;
}
