import type { EpochMs } from '../core/brand.ts';
import { NotSentError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { Assumptions } from './assumptions/assumptions.ts';
import type { Answer } from './envelope.ts';

const WARN_MS = 5_000;
/** Maximum clock offset for sends in ms: less than half of the 45 s for which the venue accepts a timestamp. */
const STOP_MS = 20_000;
/** A `t` between the years 2000 and 2106 is a time in ms. */
const TIME_MIN = 946_684_800_000;
const TIME_MAX = 4_294_967_296_000;
/** Average amount truncated in a `Date` header, which has whole seconds. */
const DATE_HALF_MS = 500;

/** Offset of the venue's clock from ours, from its latest response. Requests are still signed with our own time. */
export class ClockOffset {
  readonly #log: Log;
  readonly #unit: Assumptions['units']['t'];
  #offsetMs: number | null = null;
  #warned = false;

  /** `unit`: unit of the time in an envelope. */
  constructor(log: Log, unit: Assumptions['units']['t'] = 'ms') {
    this.#log = log;
    this.#unit = unit;
  }

  get offsetMs(): number | null {
    return this.#offsetMs;
  }

  /** Measures the offset, assuming that the venue responded halfway between the two instants. */
  observe(answer: Answer, sentAt: EpochMs, receivedAt: EpochMs): void {
    const venueTime = answer.envelope && timeOf(answer, this.#unit);
    if (venueTime === null) return;
    this.#offsetMs = Math.round(venueTime - (sentAt + receivedAt) / 2);
    const off = Math.abs(this.#offsetMs) >= WARN_MS;
    if (off && !this.#warned)
      this.#log.warn(
        { offsetMs: this.#offsetMs },
        'this clock and the venue disagree; requests fail at 45 s',
      );
    this.#warned = off;
  }

  /** @throws {NotSentError} while the clocks are too far apart for a request that must not be repeated */
  check(): void {
    requireNear(this.#offsetMs);
  }
}

/** @throws {NotSentError} while the clocks are too far apart for a send: the venue would apply another deadline */
export function requireNear(offsetMs: number | null): void {
  if (offsetMs !== null && Math.abs(offsetMs) >= STOP_MS)
    throw new NotSentError(
      `this clock is ${Math.abs(offsetMs) / 1000} s off the venue's: nothing is sent until an answer shows less`,
      { offsetMs },
    );
}

/** Milliseconds per unit of time. */
const MS_IN = { ms: 1, s: 1000, none: 0 };

/** The venue's time from an envelope, otherwise from the `Date` header. */
function timeOf({ envelope, headers }: Answer, unit: Assumptions['units']['t']): number | null {
  const t = (envelope?.t ?? 0) * MS_IN[unit];
  if (t >= TIME_MIN && t < TIME_MAX) return t;
  const { date } = headers;
  const parsed = typeof date === 'string' ? Date.parse(date) + DATE_HALF_MS : NaN;
  return Number.isNaN(parsed) ? null : parsed;
}
