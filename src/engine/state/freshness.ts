import type { EpochMs } from '../../core/brand.ts';
import type { EngineContext } from './engineContext.ts';
import type { FreshnessEvent, Question } from './kernelEvent.ts';

/** Consecutive failed reads after which nothing is sent. */
const FAILURES_MAX = 3;
/** Clock differences in ms that raise an alarm and that stop sending: the venue refuses timestamps 45 s off. */
const SKEW_WARN_MS = 5_000;
const SKEW_STOP_MS = 20_000;
/** Fraction of a bound that the difference must fall below to end its alarm, so that a clock near the bound raises only one. */
const SKEW_OVER = 0.8;

const offsetText = (offsetMs: number): string =>
  `this clock is ${Math.round(Math.abs(offsetMs) / 100) / 10} s ${offsetMs > 0 ? 'behind' : 'ahead of'} the venue's`;

/** Clock difference in words if it stops sending; null if it does not, or is unknown. */
export const clocksApart = (offsetMs: number | null): string | null =>
  offsetMs !== null && Math.abs(offsetMs) >= SKEW_STOP_MS ? offsetText(offsetMs) : null;

/** Subjects of alarms. */
const STALE = 'stale';
const REFUSED = 'reads refused';
const CLOCK = 'clock';

/**
 * Freshness of orders and account. While they are stale nothing is sent and reads continue; sending resumes once the
 * complete order list has been read, and the account after it.
 */
export class Freshness {
  readonly #context: EngineContext;
  #staleSince: EpochMs | null = null;
  /** Request time of the first complete order list since then: only an account requested later includes what it shows. */
  #listedAt: EpochMs | null = null;
  /** True when a send was refused as unauthorized: the next read shows whether the key is wrong or merely may not send. */
  #sendRefused = false;
  /** True when reads were refused after a send had been. */
  #readsRefused = false;
  /** Reads whose failure has been reported. */
  readonly #silent = new Set<Question>();
  #reported: 'near' | 'off' | 'too far' = 'near';

  constructor(context: EngineContext) {
    this.#context = context;
  }

  get isStale(): boolean {
    return this.#staleSince !== null;
  }

  take(event: FreshnessEvent): void {
    if (event.kind === 'skew') return this.#compareClocks(event.offsetMs);
    if (event.kind === 'answered') return this.#answered(event.question);
    if (event.unauthorized) return this.#unauthorized(event.why);
    if (event.failures !== FAILURES_MAX) return;
    const silence = `the venue does not answer (${event.why})`;
    if (event.question === 'orders' || event.question === 'account') return this.#markStale(silence);
    this.#silent.add(event.question);
    this.#context.alarm(
      `read ${event.question}`,
      event.question === 'terms'
        ? `${silence}: fees and cash tokens count as last stated, and reads continue`
        : `${silence}: no decisions are made on old ${event.question}, and reads continue`,
      { code: 'STALE_READS' },
    );
  }

  /** Reports the recovery of a read that was reported as failed. Orders and account turn fresh only together. */
  #answered(question: Question): void {
    if (this.#silent.delete(question))
      this.#context.allClear(`read ${question}`, `the venue answers again: ${question} are up to date`);
  }

  /** Marks data stale after a send refused as unauthorized. The next read shows if the key is wrong or lacks the permission. */
  sendUnauthorized(): void {
    this.#sendRefused = true;
    this.#markStale('the venue refused a send as unauthorized');
  }

  /** Marks orders and account stale when their last read is too old, and fresh again once both have been read since. */
  check(): void {
    const { now, rules } = this.#context;
    const { account, sweptAt } = this.#context.reads;
    if (!account || sweptAt === null) return;
    const age = now - Math.min(account.at, sweptAt);
    if (age > (rules.stateAgeMs ?? Infinity))
      return this.#markStale(`orders and account were last read ${Math.round(age / 1000)} s ago`);
    if (this.#staleSince === null) return;
    if (this.#listedAt === null && sweptAt > this.#staleSince) this.#listedAt = sweptAt;
    if (this.#listedAt !== null && account.at >= this.#listedAt) this.#markFresh();
  }

  #unauthorized(why: string): void {
    if (this.#sendRefused) {
      this.#sendRefused = false;
      this.#readsRefused = true;
      this.#context.alarm(REFUSED, 'reads are refused as well: check key, secret, IP address and clock', {
        code: 'KEY_REFUSED',
      });
    }
    this.#markStale(`the venue refuses the key (${why})`);
  }

  #markStale(why: string): void {
    const isNew = this.#context.holds.put('blind', `${why}, and orders and account have not been read since`);
    this.#staleSince = this.#context.now;
    this.#listedAt = null;
    if (isNew)
      this.#context.alarm(STALE, `${why}: nothing is sent until orders and account have been read again`, {
        code: 'STALE',
      });
  }

  #markFresh(): void {
    this.#staleSince = null;
    this.#listedAt = null;
    this.#context.holds.lift('blind');
    this.#context.allClear(STALE, 'orders and account have been read again: sending continues');
    if (this.#readsRefused) this.#context.allClear(REFUSED, 'reads are accepted again');
    this.#readsRefused = false;
    if (!this.#sendRefused) return;
    this.#sendRefused = false;
    this.#context.notify('alarm', 'reads are accepted: the key may not send, or not for this wallet', {
      code: 'KEY_REFUSED',
    });
  }

  #compareClocks(offsetMs: number): void {
    const off = Math.abs(offsetMs);
    const before = this.#reported;
    const isBeyond = (bound: number, isKnown: boolean) => off >= (isKnown ? bound * SKEW_OVER : bound);
    const isOff = isBeyond(SKEW_WARN_MS, before !== 'near');
    const now = isBeyond(SKEW_STOP_MS, before === 'too far') ? 'too far' : isOff ? 'off' : 'near';
    if (now === before) return;
    this.#reported = now;
    const text = offsetText(offsetMs);
    if (now === 'too far') this.#context.holds.put('skew', `${text}: requests would soon be refused`);
    else this.#context.holds.lift('skew');
    if (now === 'near') this.#context.allClear(CLOCK, "this clock and the venue's agree again");
    else
      this.#context.alarm(CLOCK, `${text}${now === 'too far' ? ': nothing is sent' : ''}`, {
        code: 'CLOCK_APART',
      });
  }
}
