import type { Clock } from '../../core/clock.ts';
import type { Random } from '../../core/random.ts';
import { attempt, ATTEMPT_MS, type Delivery, type Sender } from './delivery.ts';
import { parcelOf, type Message, type MessageKind } from './message.ts';
import type { Outbox } from './outbox.ts';
import { choose, type Choice, type Pace } from './pace.ts';
import { isQuiet, type QuietHours } from './quietHours.ts';

/** Settings of a channel, without its address. */
export type ChannelSettings = Readonly<{
  id: string;
  hears: readonly MessageKind[];
  quiet: QuietHours | null;
  digest: Pace;
}>;

export type ChannelParts = Readonly<{
  settings: ChannelSettings;
  sender: Sender;
  outbox: Outbox;
  /** Clock of the machine. */
  clock: Clock;
  random: Random;
  /** Name of the run, such as `live`. */
  run: string;
  /** Time in ms after which failures are reported as `down`. */
  downAfterMs: number;
  /** Takes the reason when the channel has failed for long; null when it works again. */
  onDown: (reason: string | null) => void;
}>;

/** Wait after the first failure, and the longest one, in ms. Each is twice the one before. */
const BACKOFF_MS = 1_000;
const BACKOFF_MAX_MS = 300_000;
/** Longest wait until the quiet hours and the clock are looked at again, in ms. */
const LOOK_MS = 60_000;
/** Attempts after which a message that the channel refuses is given up: it would keep all others from it. */
const REFUSALS_MAX = 5;
/** Latest deliveries that are kept for the pace. */
const RECENT_MAX = 200;

/** Numbers of a channel for metrics. `oldestAt`: time of its oldest waiting message, in epoch ms. */
export type ChannelCounts = Readonly<{
  id: string;
  waiting: number;
  oldestAt: number | null;
  delivered: number;
  failures: number;
  dropped: number;
  isDown: boolean;
}>;

/**
 * Delivers the messages of one channel, one parcel at a time, again and again until each has arrived. Waits by the monotonic clock,
 * which nobody can set.
 */
export class Channel {
  readonly settings: ChannelSettings;
  readonly #parts: ChannelParts;
  #recent: number[] = [];
  #notBefore = -Infinity;
  #failing: Readonly<{ since: number; attempts: number; refusals: number }> | null = null;
  #isDown = false;
  #delivered = 0;
  #failures = 0;
  #gaveUp = 0;
  #isFarewell = false;
  #sleep = new AbortController();
  readonly #end = new AbortController();

  constructor(parts: ChannelParts) {
    this.#parts = parts;
    this.settings = parts.settings;
  }

  get counts(): ChannelCounts {
    const { outbox } = this.#parts;
    const waiting = outbox.pending(this.settings.id);
    return {
      id: this.settings.id,
      waiting: waiting.length,
      oldestAt: waiting[0]?.message.at ?? null,
      delivered: this.#delivered,
      failures: this.#failures,
      dropped: outbox.dropped(this.settings.id) + this.#gaveUp,
      isDown: this.#isDown,
    };
  }

  /** True while messages wait that the channel would deliver now, and it is not failing. */
  get isDelivering(): boolean {
    return this.#failing === null && this.#choice().kind === 'send';
  }

  /** True for a message that the channel wants, and that is not about its own trouble. */
  hears({ kind, about }: Pick<Message, 'kind' | 'about'>): boolean {
    return this.settings.hears.includes(kind) && about !== this.settings.id;
  }

  /** Looks at the queue again. */
  wake(): void {
    this.#sleep.abort();
  }

  /** Delivers from now on whatever the pace holds back, several messages together: the run ends. */
  hurry(): void {
    this.#isFarewell = true;
    this.wake();
  }

  /** Delivers until `stop`. */
  async run(): Promise<void> {
    while (!this.#end.signal.aborted) {
      const choice = this.#choice();
      if (choice.kind === 'send') await this.#deliver(choice.messages);
      else await this.#wait(choice.kind === 'wait' ? choice.ms : LOOK_MS);
    }
  }

  stop(): void {
    this.#end.abort();
    this.#sleep.abort();
    this.#parts.sender.close();
  }

  #choice(): Choice {
    const { outbox, clock, sender } = this.#parts;
    const { id, quiet, digest } = this.settings;
    const now = clock.monotonic();
    if (now < this.#notBefore) return { kind: 'wait', ms: this.#notBefore - now };
    const all = outbox.pending(id).map(({ message }) => message);
    const isSilent = quiet !== null && all.length > 0 && isQuiet(quiet, clock.now());
    const waiting = isSilent ? all.filter(({ kind }) => quiet.exceptAlarms && kind === 'alarm') : all;
    return choose({
      waiting,
      recent: this.#recent,
      now,
      pace: digest,
      limit: sender.limit,
      isFarewell: this.#isFarewell,
    });
  }

  async #deliver(messages: readonly Message[]): Promise<void> {
    const { outbox, sender, run, clock } = this.#parts;
    const { id } = this.settings;
    const dropped = outbox.dropped(id);
    const isPlain = (this.#failing?.refusals ?? 0) > 0;
    const parcel = parcelOf(messages, { run, limit: sender.limit, dropped, isPlain });
    const limits = { clock, ms: ATTEMPT_MS, stop: this.#end.signal };
    const delivery = await attempt((signal) => sender.send(parcel, signal), limits);
    if (this.#end.signal.aborted && !delivery.ok) return;
    if (!delivery.ok) {
      this.#failed(delivery, messages);
      return;
    }
    this.#delivered += messages.length;
    this.#recent = [...this.#recent, clock.monotonic()].slice(-RECENT_MAX);
    outbox.delivered(id, messages, dropped);
    this.#failing = null;
    this.#setDown(null);
  }

  #failed({ reason, retryAfterMs = 0, isRefused = false }: Failure, messages: readonly Message[]): void {
    const { clock, random, downAfterMs, outbox } = this.#parts;
    const now = clock.monotonic();
    const { since, attempts, refusals } = this.#failing ?? { since: now, attempts: 0, refusals: 0 };
    this.#failures++;
    this.#failing = { since, attempts: attempts + 1, refusals: isRefused ? refusals + 1 : 0 };
    const backoff = Math.min(BACKOFF_MS * 2 ** attempts, BACKOFF_MAX_MS) * (1 + random.next() / 2);
    this.#notBefore = now + Math.max(backoff, retryAfterMs);
    if (this.#failing.refusals >= REFUSALS_MAX) {
      this.#gaveUp += messages.length;
      outbox.giveUp(this.settings.id, messages);
      this.#failing = { since, attempts: 0, refusals: 0 };
      this.#setDown(`it has refused a message ${REFUSALS_MAX} times, which is given up: ${reason}`);
    } else if (now - since >= downAfterMs) this.#setDown(reason);
  }

  #setDown(reason: string | null): void {
    if ((reason !== null) === this.#isDown) return;
    this.#isDown = reason !== null;
    this.#parts.onDown(reason);
  }

  async #wait(ms: number): Promise<void> {
    this.#sleep = new AbortController();
    if (this.#end.signal.aborted) return;
    await this.#parts.clock
      .sleep(Math.min(Math.max(ms, 1), LOOK_MS), this.#sleep.signal)
      .catch(() => undefined);
  }
}

type Failure = Extract<Delivery, { ok: false }>;
