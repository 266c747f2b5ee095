import type { Clock } from '../../core/clock.ts';

type Allowance = Readonly<{ perSecond: number; burst: number }>;

/** Allowances of a listener, for each of its roles. Failed authentications of all callers count together. */
const ALLOWANCES = {
  read: { perSecond: 50, burst: 100 },
  steer: { perSecond: 10, burst: 20 },
  failed: { perSecond: 1, burst: 5 },
} as const satisfies Record<string, Allowance>;

export type RateKind = keyof typeof ALLOWANCES;

type Bucket = { left: number; at: number };

/** Rates of requests by kind and caller, as token buckets on the machine's monotonic clock. */
export class Rates {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #buckets = new Map<string, Bucket>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** Takes one request of a kind; false when the caller has no more of them now. */
  take(kind: RateKind, caller: string): boolean {
    const { perSecond, burst } = ALLOWANCES[kind];
    const now = this.#clock.monotonic();
    const key = `${kind} ${caller}`;
    const { left, at } = this.#buckets.get(key) ?? { left: burst, at: now };
    const filled = Math.min(burst, left + ((now - at) * perSecond) / 1_000);
    const isAllowed = filled >= 1;
    this.#buckets.set(key, { left: isAllowed ? filled - 1 : filled, at: now });
    return isAllowed;
  }
}
