import { request } from 'undici';
import { z } from 'zod';
import { epochMs, type EpochMs } from '../../core/brand.ts';
import { machine, sleepOn, type Cancel, type Clock, type Host } from '../../core/clock.ts';
import { messageOf, UnreachableError } from '../../core/errors.ts';
import { TimerQueue } from '../../core/virtualClock.ts';

/** What an emulator's control port says of its time. */
export type ClockReading = Readonly<{ now: EpochMs; speed: number }>;

/** Longest real time, in ms, between two looks at the followed clock while a timer waits. */
const LOOK_MS = 50;

const reading = z.object({ now: z.iso.datetime({ offset: true }), speed: z.number().min(0) });

/** Reads the clock of an emulator. @throws {UnreachableError} */
export async function readClock(controlUrl: string): Promise<ClockReading> {
  const url = `${controlUrl}/clock`;
  try {
    const { body } = await request(url, { headersTimeout: 5_000, bodyTimeout: 5_000 });
    const { now, speed } = reading.parse(await body.json());
    return { now: epochMs(Date.parse(now)), speed };
  } catch (error) {
    throw new UnreachableError(
      `no clock to follow at ${url}: ${messageOf(error)}. Start \`drover emulator\`, and set venue.controlUrl as it says`,
      {},
      { cause: error },
    );
  }
}

/**
 * The clock of an emulator in another process. Between two readings time is taken to go on at the emulator's speed; a
 * timer runs only when a reading shows its time, because the emulator stands still while it works.
 */
export class FollowedClock implements Clock {
  readonly #read: () => Promise<ClockReading>;
  readonly #host: Host;
  readonly #timers = new TimerQueue();
  #anchor: ClockReading & { readonly real: number };
  #latest = 0;
  #looking = false;

  private constructor(first: ClockReading, read: () => Promise<ClockReading>, host: Host) {
    this.#read = read;
    this.#host = host;
    this.#anchor = { ...first, real: host.monotonic() };
  }

  /** @throws {UnreachableError} when there is no clock */
  static async start(read: () => Promise<ClockReading>, host: Host = machine): Promise<FollowedClock> {
    return new FollowedClock(await read(), read, host);
  }

  now(): EpochMs {
    return epochMs(Math.floor(this.monotonic()));
  }

  monotonic(): number {
    const { now, speed, real } = this.#anchor;
    this.#latest = Math.max(this.#latest, now + (this.#host.monotonic() - real) * speed);
    return this.#latest;
  }

  at(when: EpochMs, run: () => void): Cancel {
    const cancel = this.#timers.add(when, run);
    if (!this.#looking) void this.#look();
    return cancel;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return sleepOn(this, ms, signal);
  }

  /** The emulator stands still by itself; nothing here can ask it to. */
  hold(): Cancel {
    return () => undefined;
  }

  /** Looks at the emulator's time again and again while a timer waits. */
  async #look(): Promise<void> {
    this.#looking = true;
    for (let next = this.#timers.next(); next !== undefined; next = this.#timers.next()) {
      await new Promise<void>((resolve) => this.#host.after(this.#realMsUntil(next), resolve));
      const seen = await this.#read().catch(() => this.#extrapolated());
      this.#anchor = { ...seen, real: this.#host.monotonic() };
      while ((this.#timers.next() ?? Infinity) <= seen.now) this.#timers.fireNext();
    }
    this.#looking = false;
  }

  /** Without an answer time goes on as it did: what waits for a dead emulator must still run out of time. */
  #extrapolated(): ClockReading {
    return { now: this.now(), speed: this.#anchor.speed };
  }

  #realMsUntil(due: EpochMs): number {
    const { speed } = this.#anchor;
    return speed === 0 ? LOOK_MS : Math.min(LOOK_MS, Math.max(0, (due - this.monotonic()) / speed));
  }
}
