import type { EpochMs } from '../../core/brand.ts';
import type { EngineContext } from './engineContext.ts';

/** What is asked again and again. */
export type Question = 'quotes' | 'orders' | 'account' | 'bars' | 'corporate actions' | 'terms';

export type FreshnessEvent = Readonly<
  /** A question has found no answer, so many times in a row. `unauthorized`: the venue did not take the key. */
  | { kind: 'unread'; question: Question; failures: number; unauthorized: boolean; why: string }
  /** A question that had found none has been answered. */
  | { kind: 'answered'; question: Question }
  /** How far the venue's clock is ahead of ours. */
  | { kind: 'skew'; offsetMs: number }
>;

/** Questions in a row without an answer after which nothing is sent. */
const FAILURES_MAX = 3;
/** Of the clocks: a person is told; nothing is sent, for a timestamp is refused at 45 s. */
const SKEW_WARN_MS = 5_000;
const SKEW_STOP_MS = 20_000;

/**
 * Whether the venue can be seen. Without a fresh look at orders and account nothing is sent, and questions go on; sends
 * go on once the order list has been read whole and the account after it.
 */
export class Freshness {
  readonly #context: EngineContext;
  #blindSince: EpochMs | null = null;
  /** A send was refused like a wrong key is: the next read tells which it was. */
  #sendRefused = false;
  /** Questions whose silence was reported. */
  readonly #silent = new Set<Question>();
  #told: 'near' | 'off' | 'too far' = 'near';

  constructor(context: EngineContext) {
    this.#context = context;
  }

  get isBlind(): boolean {
    return this.#blindSince !== null;
  }

  take(event: FreshnessEvent): void {
    if (event.kind === 'skew') return this.#skew(event.offsetMs);
    if (event.kind === 'answered') return this.#answered(event.question);
    if (event.unauthorized) return this.#locked(event.why);
    if (event.failures !== FAILURES_MAX) return;
    const silence = `the venue does not answer (${event.why})`;
    if (event.question === 'orders' || event.question === 'account') return this.#blind(silence);
    this.#silent.add(event.question);
    this.#context.notify(
      'alarm',
      event.question === 'terms'
        ? `${silence}: fees and cash tokens count as last stated, and the questions go on`
        : `${silence}: nothing is decided on old ${event.question}, and the questions go on`,
    );
  }

  /** Reported only where the silence was: that of orders and account ends when both have been read. */
  #answered(question: Question): void {
    if (this.#silent.delete(question))
      this.#context.notify('clear', `the venue answers again: ${question} are read as before`);
  }

  /** A send was refused without a reason that is documented for it. What reads say next tells key from permission. */
  sendUnauthorized(): void {
    this.#sendRefused = true;
    this.#blind('the venue refused a send as unauthorized');
  }

  /** Looks at what is known now: it may have become too old, or whole again. */
  check(): void {
    const { account, sweptAt, now, rules } = this.#context;
    if (!account || sweptAt === null) return;
    const age = now - Math.min(account.at, sweptAt);
    if (age > (rules.stateAgeMs ?? Infinity))
      this.#blind(`orders and account were last read ${Math.round(age / 1000)} s ago`);
    else if (this.#blindSince !== null && sweptAt > this.#blindSince && account.at >= sweptAt) this.#seen();
  }

  #locked(why: string): void {
    if (this.#sendRefused) {
      this.#sendRefused = false;
      this.#context.notify(
        'alarm',
        'reads are refused as well: key, secret, address or clock are not what they were',
      );
    }
    this.#blind(`the venue does not take the key (${why})`);
  }

  #blind(why: string): void {
    const isNew = this.#context.holds.put('blind', `${why}, and orders and account have not been read since`);
    this.#blindSince = this.#context.now;
    if (isNew)
      this.#context.notify('alarm', `${why}: nothing is sent until orders and account have been read again`);
  }

  #seen(): void {
    this.#blindSince = null;
    this.#context.holds.lift('blind');
    this.#context.notify('clear', 'orders and account have been read again: sends go on');
    if (!this.#sendRefused) return;
    this.#sendRefused = false;
    this.#context.notify('alarm', 'reads are not refused: the key may not send, or not for this wallet');
  }

  #skew(offsetMs: number): void {
    const off = Math.abs(offsetMs);
    const now = off >= SKEW_STOP_MS ? 'too far' : off >= SKEW_WARN_MS ? 'off' : 'near';
    const before = this.#told;
    if (now === before) return;
    this.#told = now;
    const text = `this clock is ${Math.round(off / 100) / 10} s ${offsetMs > 0 ? 'behind' : 'ahead of'} the venue's`;
    if (now === 'too far') this.#context.holds.put('skew', `${text}: requests would soon be refused`);
    else this.#context.holds.lift('skew');
    if (now === 'near') this.#context.notify('clear', "this clock and the venue's agree again");
    else this.#context.notify('alarm', `${text}${now === 'too far' ? ': nothing is sent' : ''}`);
  }
}
