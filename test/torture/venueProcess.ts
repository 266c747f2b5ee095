import { join } from 'node:path';
import { toIso, type EpochMs } from '../../src/core/brand.ts';
import type { EmulatorInfo, Truth } from '../../src/emulator/index.ts';
import { start, type Running } from '../e2e/cli.ts';

export type Place = Readonly<{ dir: string; start: EpochMs; seed: number; speed: number }>;

/** The emulated venue in its own process. It outlives every daemon, and is the judge. */
export class VenueProcess {
  readonly #place: Place;
  #running: Running;
  info: EmulatorInfo;

  private constructor(place: Place, begun: Begun) {
    this.#place = place;
    this.#running = begun.running;
    this.info = begun.info;
  }

  static async open(place: Place): Promise<VenueProcess> {
    return new VenueProcess(place, await begin(place, place.speed));
  }

  truth(): Promise<Truth> {
    return this.#ask<Truth>('/truth', 'GET');
  }

  async now(): Promise<EpochMs> {
    const { now } = await this.#ask<{ now: string }>('/clock', 'GET');
    return Date.parse(now) as EpochMs;
  }

  async faults(plan: object): Promise<void> {
    await this.#ask('/faults', 'POST', plan);
  }

  async calm(): Promise<void> {
    await this.#ask('/faults', 'DELETE');
  }

  /** Moves the price of a stock, in mUSD; it moves on from there. */
  async price(symbol: string, price: string): Promise<void> {
    await this.#ask('/market', 'POST', { symbol, price });
  }

  /**
   * Skips the time until `to`: stops the venue, and starts it at that instant with the given speed. On a busy machine the
   * venue may be past it when it has stopped; it then continues from where it is.
   */
  async leap(to: EpochMs, speed = this.#place.speed): Promise<void> {
    await this.close();
    const still = await begin(this.#place, 0);
    const clock = `${still.info.controlUrl}/clock`;
    const { now } = await ask<{ now: string }>(clock, 'GET');
    if (Date.parse(now) < to) await ask<unknown>(clock, 'POST', { to: toIso(to) });
    await end(still.running);
    const { running, info } = await begin(this.#place, speed);
    this.#running = running;
    this.info = info;
  }

  close(): Promise<void> {
    return end(this.#running);
  }

  kill(): void {
    this.#running.child.kill('SIGKILL');
  }

  #ask<Answer>(path: string, method: string, body?: object): Promise<Answer> {
    return ask<Answer>(`${this.info.controlUrl}${path}`, method, body);
  }
}

type Begun = Readonly<{ running: Running; info: EmulatorInfo }>;

async function begin({ dir, start: at, seed }: Place, speed: number): Promise<Begun> {
  const args = ['emulator', '--json', '--speed', String(speed), '--start', toIso(at), '--seed', String(seed)];
  const running = start([...args, '--state', join(dir, 'venue')]);
  return { running, info: JSON.parse(await running.line(/^\{/)) as EmulatorInfo };
}

async function end({ child, done }: Running): Promise<void> {
  child.kill('SIGTERM');
  await done;
}

async function ask<Answer>(url: string, method: string, body?: object): Promise<Answer> {
  const sent = body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
  const response = await fetch(url, { method, ...sent });
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Answer;
}
