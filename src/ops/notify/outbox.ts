import type { Clock } from '../../core/clock.ts';
import { codeOf } from '../../core/errors.ts';
import type { Message } from './message.ts';
import {
  isDamagedOutbox,
  type Change,
  type OutboxStore,
  type PendingMessage,
  type OutboxState,
} from './outboxFile.ts';

/** Maximum number of queued messages per channel. */
const PENDING_MAX = 5_000;
/** Delay in ms before a failed write is retried. */
const AGAIN_MS = 10_000;

/**
 * Problem with a queue's file. `setAside`: new name of a damaged one. `trouble`: reason why nothing is stored at the moment; null
 * when it works again. `found`: a file that was unreadable at first was read: its values apply again.
 */
export type OutboxReport = Readonly<{ setAside: string } | { trouble: string | null } | { found: true }>;

export type OutboxOptions = Readonly<{
  channels: readonly string[];
  store: OutboxStore;
  clock: Pick<Clock, 'monotonic'>;
  report: (report: OutboxReport) => void;
}>;

/**
 * Queue of messages by channel, in memory and in a file. `flush` writes the changes; while the disk fails, messages are still
 * delivered from memory. If a channel has too many, the oldest ones that are not alarms are dropped and counted.
 */
export class Outbox {
  readonly #options: OutboxOptions;
  readonly #pending = new Map<string, PendingMessage[]>();
  readonly #values = new Map<string, string>();
  readonly #dropped = new Map<string, number>();
  #changes: Change[] = [];
  #seq = 0;
  /** True if the file lacks changes that are no longer pending. */
  #isStale = false;
  /** True once the file was read: until then it is not written, as it may contain messages of an earlier process. */
  #isLoaded = false;
  #trouble: string | null = null;
  #triedAt = -Infinity;

  constructor(options: OutboxOptions) {
    this.#options = options;
    for (const channel of options.channels) this.#pending.set(channel, []);
    try {
      this.#load();
    } catch (error) {
      this.#failed(error);
    }
  }

  /** Queued messages of a channel, oldest first. */
  pending(channel: string): readonly PendingMessage[] {
    return this.#pending.get(channel) ?? [];
  }

  /** Number of messages that a channel never gets, without those already reported in one of its messages. */
  dropped(channel: string): number {
    return this.#dropped.get(channel) ?? 0;
  }

  value(name: string): string | null {
    return this.#values.get(name) ?? null;
  }

  /** Stores a value at the next `flush`. */
  setValue(name: string, value: string): void {
    if (this.#values.get(name) === value) return;
    this.#values.set(name, value);
    this.#change({ kind: 'value', name, value });
  }

  /** Adds a message for some channels. */
  add(message: Message, channels: readonly string[]): void {
    const pending = { seq: ++this.#seq, message };
    for (const channel of channels) this.#pending.get(channel)?.push(pending);
    this.#change({ kind: 'added', pending, channels });
    for (const channel of channels) this.#bound(channel);
  }

  /** Removes delivered messages, and subtracts the dropped ones they reported. Stored immediately. */
  delivered(channel: string, messages: readonly Message[], dropped: number): void {
    this.#remove(channel, new Set(messages));
    if (dropped > 0) this.#setDropped(channel, this.dropped(channel) - dropped);
    this.flush();
  }

  /** Writes the changes. Never throws: a problem is reported once, and so is its end. */
  flush(): void {
    const now = this.#options.clock.monotonic();
    if (this.#isStale ? now - this.#triedAt < AGAIN_MS : this.#changes.length === 0) return;
    this.#triedAt = now;
    try {
      if (!this.#isLoaded) {
        this.#load();
        this.#options.report({ found: true });
      }
      if (this.#isStale) this.#options.store.replace({ pending: this.#pending, values: this.#values });
      else this.#options.store.append(this.#changes);
      this.#changes = [];
      this.#isStale = false;
      this.#say(null);
    } catch (error) {
      this.#failed(error);
    }
  }

  close(): void {
    this.#triedAt = -Infinity;
    this.flush();
    this.#options.store.close();
  }

  #load(): void {
    this.#take(this.#options.store.load());
    this.#isLoaded = true;
  }

  /** Takes over the file's content. Messages of this process, if the file was unreadable before, come after it. */
  #take({ pending, values }: OutboxState): void {
    const last = [...pending.values()].flat().reduce((most, { seq }) => Math.max(most, seq), 0);
    this.#seq += last;
    for (const [channel, own] of this.#pending) {
      const later = own.map((each) => ({ ...each, seq: each.seq + last }));
      this.#pending.set(channel, [...(pending.get(channel) ?? []), ...later]);
    }
    for (const [channel, waiting] of pending)
      if (!this.#pending.has(channel))
        this.#change({ kind: 'removed', channel, seqs: waiting.map(({ seq }) => seq) });
    for (const [name, value] of values) {
      this.#values.set(name, value);
      if (name.startsWith(DROPPED)) this.#dropped.set(name.slice(DROPPED.length), Number(value));
    }
  }

  #failed(error: unknown): void {
    this.#isStale = true;
    this.#changes = [];
    if (!isDamagedOutbox(error)) return this.#say(codeOf(error) ?? 'it cannot be written');
    try {
      this.#options.report({ setAside: this.#options.store.setAside() });
      this.#isLoaded = true;
      this.#triedAt = -Infinity;
    } catch (cause) {
      this.#say(codeOf(cause) ?? 'it is damaged, and cannot be put aside');
    }
  }

  #say(trouble: string | null): void {
    if (trouble === this.#trouble) return;
    this.#trouble = trouble;
    this.#options.report({ trouble });
  }

  #change(change: Change): void {
    if (!this.#isStale) this.#changes.push(change);
  }

  #bound(channel: string): void {
    const waiting = this.#pending.get(channel) ?? [];
    if (waiting.length <= PENDING_MAX) return;
    const oldest = waiting.find(({ message }) => message.kind !== 'alarm') ?? waiting[0];
    if (oldest === undefined) return;
    this.#remove(channel, new Set([oldest.message]));
    this.#setDropped(channel, this.dropped(channel) + 1);
  }

  #remove(channel: string, messages: ReadonlySet<Message>): void {
    const waiting = this.#pending.get(channel) ?? [];
    const seqs = waiting.filter(({ message }) => messages.has(message)).map(({ seq }) => seq);
    this.#pending.set(
      channel,
      waiting.filter(({ message }) => !messages.has(message)),
    );
    this.#change({ kind: 'removed', channel, seqs });
  }

  #setDropped(channel: string, count: number): void {
    this.#dropped.set(channel, count);
    this.setValue(`${DROPPED}${channel}`, String(count));
  }
}

const DROPPED = 'dropped ';
