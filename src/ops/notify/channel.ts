import { SECOND_MS } from '../../core/brand.ts';
import type { Random } from '../../core/random.ts';
import { attempt, ATTEMPT_MS, type Delivery, type Sender, Outage, type OutageParts } from './delivery.ts';
import { parcelOf, type Message, type MessageKind, fitting } from './message.ts';
import type { Outbox } from './outbox.ts';
import { isQuiet, type QuietHours } from './quietHours.ts';

/** Settings of a channel, without its address. */
export type ChannelSettings = Readonly<{
  id: string;
  hears: readonly MessageKind[];
  quiet: QuietHours | null;
  digest: Pace;
}>;

export type ChannelParts = OutageParts &
  Readonly<{
    settings: ChannelSettings;
    sender: Sender;
    outbox: Outbox;
    random: Random;
    /** Name of the run, such as `live`. */
    name: string;
    /** Receives the reason why a message is dropped: the channel refuses it, but accepts others. */
    onRefused: (reason: string) => void;
  }>;

/** Maximum delay after a failure, in ms. */
const BACKOFF_MAX_MS = 300_000;
/** Maximum wait until quiet hours and clock are checked again, in ms. */
const LOOK_MS = 60_000;
/** Number of refusals of a message, after which a short text of ours is tried instead. */
const REFUSALS_MAX = 3;
/** Number of latest deliveries kept for the pace. */
const RECENT_MAX = 200;

/** Counts of a channel for metrics. `oldestAt`: time of its oldest queued message, in epoch ms. */
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
 * Delivers the messages of one channel, one parcel at a time, retrying each until it arrives. Waits by the monotonic clock, which
 * cannot be set.
 */
export class Channel {
  readonly settings: ChannelSettings;
  readonly #parts: ChannelParts;
  #recent: number[] = [];
  #notBefore = -Infinity;
  readonly #outage: Outage;
  /** The most recently refused message, and how often in a row. */
  #refused: Readonly<{ id: string; times: number }> | null = null;
  #delivered = 0;
  #failures = 0;
  /** Messages that the channel never gets, not counting the queue's. */
  #lost = 0;
  #isFarewell = false;
  #sleep = new AbortController();
  readonly #end = new AbortController();

  constructor(parts: ChannelParts) {
    this.#parts = parts;
    this.#outage = new Outage(parts, BACKOFF_MAX_MS);
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
      dropped: outbox.dropped(this.settings.id) + this.#lost,
      isDown: this.#outage.isDown,
    };
  }

  /** True while messages are queued that the channel would deliver now, and it is not failing. */
  get isDelivering(): boolean {
    return !this.#outage.isFailing && this.#choice().kind === 'send';
  }

  /** True for a message that the channel subscribes to, and that is not about the channel's own failure. */
  hears({ kind, about }: Pick<Message, 'kind' | 'about'>): boolean {
    return this.settings.hears.includes(kind) && about !== this.settings.id;
  }

  /** Makes the channel check the queue again. */
  wake(): void {
    this.#sleep.abort();
  }

  /** Ignores the pace from now on, and delivers several messages together, because the run ends. */
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

  async #deliver(all: readonly Message[]): Promise<void> {
    const { id = '' } = all[0] ?? {};
    const times = this.#refused?.id === id ? this.#refused.times : 0;
    const messages = times === 0 ? all : all.slice(0, 1);
    const delivery = await this.#send(messages, { isPlain: times === 1 });
    if (delivery.ok) this.#delivered += messages.length;
    if (delivery.ok || this.#end.signal.aborted) return;
    this.#refused = delivery.isRefused === true ? { id, times: times + 1 } : null;
    if (times + 1 >= REFUSALS_MAX && this.#refused) await this.#replace(messages, delivery);
    else this.#failed(delivery);
  }

  /** Sends some messages, or a replacement, and removes them from the queue once it has arrived. */
  async #send(
    messages: readonly Message[],
    { isPlain, instead }: Readonly<{ isPlain: boolean; instead?: Message }>,
  ): Promise<Delivery> {
    const { outbox, sender, name: run, clock } = this.#parts;
    const { id } = this.settings;
    const dropped = outbox.dropped(id);
    const parcel = parcelOf(instead ? [instead] : messages, { run, limit: sender.limit, dropped, isPlain });
    const limits = { clock, ms: ATTEMPT_MS, stop: this.#end.signal };
    const delivery = await attempt((signal) => sender.send(parcel, signal), limits);
    if (!delivery.ok) return delivery;
    this.#recent = [...this.#recent, clock.monotonic()].slice(-RECENT_MAX);
    this.#lost += dropped;
    outbox.delivered(id, messages, dropped);
    this.#refused = null;
    this.#outage.end();
    return delivery;
  }

  /**
   * Tries a few words in place of a refused message. If they arrive, the message is dropped; if they are refused too, the
   * address is at fault, and the message is kept until it works.
   */
  async #replace(messages: readonly Message[], refusal: Failure): Promise<void> {
    const [message] = messages;
    if (message === undefined) return;
    const { reason } = refusal;
    const text = `a message was refused ${REFUSALS_MAX} times (${reason}) and is dropped here; drover status and the log have it`;
    const instead = { ...message, id: `${message.id}-refused`, title: 'Message refused', text };
    const delivery = await this.#send(messages, { isPlain: true, instead });
    if (delivery.ok) {
      this.#lost += messages.length;
      this.#parts.onRefused(reason);
    } else if (!this.#end.signal.aborted) {
      this.#refused = null;
      this.#failed(refusal);
      if (delivery.isRefused === true) this.#outage.setDown(reason);
    }
  }

  #failed({ reason, retryAfterMs = 0 }: Failure): void {
    const { clock, random } = this.#parts;
    this.#failures++;
    const backoff = this.#outage.add(reason, retryAfterMs) * (1 + random.next() / 2);
    this.#notBefore = clock.monotonic() + Math.max(backoff, retryAfterMs);
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

/** Pace of a channel: after `over` messages within `seconds`, further ones are combined. */
type Pace = Readonly<{ over: number; seconds: number }>;

/** Next step of a channel: nothing, a wait of at most `ms`, or these messages in one parcel. */
type Choice = Readonly<
  { kind: 'none' } | { kind: 'wait'; ms: number } | { kind: 'send'; messages: readonly Message[] }
>;

type PaceState = Readonly<{
  /** Queued messages, oldest first, except those held back by quiet hours. */
  waiting: readonly Message[];
  /** Monotonic times in ms of the latest deliveries. */
  recent: readonly number[];
  now: number;
  pace: Pace;
  /** Maximum text length of the channel, in characters. */
  limit: number;
  /** True at the end of a run: the pace is ignored, because the next start may be far away. */
  isFarewell?: boolean;
}>;

/** Alarms are sent at up to this multiple of the pace before they have to wait. */
const ALARM_SHARE = 2;

/** Chooses what to send: alarms first, one by one while there are few, otherwise as many as fit into one text. */
function choose({ waiting, recent, now, pace, limit, isFarewell = false }: PaceState): Choice {
  if (waiting.length === 0) return { kind: 'none' };
  const alarms = waiting.filter(({ kind }) => kind === 'alarm');
  const most = alarms.length > 0 ? ALARM_SHARE * pace.over : pace.over;
  const since = now - pace.seconds * SECOND_MS;
  const sent = recent.filter((at) => at > since);
  const room = most - sent.length;
  const first = alarms.length > 0 ? alarms : waiting;
  if (isFarewell) return { kind: 'send', messages: first.slice(0, fitting(first, limit)) };
  if (room <= 0) return { kind: 'wait', ms: Math.max((sent[sent.length - most] ?? now) - since, 1) };
  return { kind: 'send', messages: first.slice(0, first.length <= room ? 1 : fitting(first, limit)) };
}
