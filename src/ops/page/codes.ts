import { createHash, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../core/clock.ts';
import type { Role } from './sessions.ts';

/** Length of a code in bytes: 128 bits cannot be guessed in two minutes. */
const CODE_BYTES = 16;
/** Validity of a code, in ms. */
export const CODE_MS = 120_000;
/** Maximum number of unused codes: the oldest is discarded. */
const WAITING_MAX = 8;

type PendingCode = Readonly<{ digest: Buffer; role: Role; until: number }>;

type Parts = Readonly<{ clock: Pick<Clock, 'monotonic'>; bytes: (length: number) => Uint8Array }>;

/** One-time codes that sign a browser in. Only their digests are kept. */
export class Codes {
  readonly #parts: Parts;
  #waiting: readonly PendingCode[] = [];

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Creates a code for a role, which can be used once, within two minutes. */
  make(role: Role): string {
    const code = Buffer.from(this.#parts.bytes(CODE_BYTES)).toString('base64url');
    const until = this.#parts.clock.monotonic() + CODE_MS;
    const earlier = this.#current().slice(1 - WAITING_MAX);
    this.#waiting = [...earlier, { digest: digestOf(code), role, until }];
    return code;
  }

  /** Uses a code. Returns its role; null for one that is wrong, used or expired. Compares with every code in constant time. */
  take(code: string): Role | null {
    const given = digestOf(code);
    const waiting = this.#current();
    const isGiven = waiting.map(({ digest }) => timingSafeEqual(given, digest));
    this.#waiting = waiting.filter((_, index) => isGiven[index] !== true);
    return waiting.find((_, index) => isGiven[index] === true)?.role ?? null;
  }

  /** Discards all unused codes. */
  clear(): void {
    this.#waiting = [];
  }

  #current(): readonly PendingCode[] {
    const now = this.#parts.clock.monotonic();
    return this.#waiting.filter(({ until }) => now < until);
  }
}

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();
