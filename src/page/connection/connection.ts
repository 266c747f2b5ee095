import { computed, signal } from '@preact/signals';
import type { NoticeView, Status } from '../../ops/model/status.ts';
import { ApiError, ask, request } from './api.ts';
import type { Command } from '../steering/command.ts';
import type { SignIn } from './signIn.ts';
import type { Cancel, Surroundings } from './surroundings.ts';

/** State of a connection. `since`: epoch ms. */
export type Link = Readonly<
  | { kind: 'connecting' | 'connected' | 'signedOut' | 'outdated' }
  | { kind: 'reconnecting'; since: number; why: string }
>;

/** Entry of the journal, with the fields of its kind. */
export type EntryView = Readonly<{ seq: number; at: string; kind: string } & Record<string, unknown>>;
export type PriceView = Readonly<{ symbol: string; price: string; at: string }>;
export type NoticeEvent = Pick<NoticeView, 'at' | 'kind' | 'strategy' | 'text'>;

/** Minimum time in ms between two reads of the status: while the page is seen, and while it is not. */
const STATUS_MS = 1_000;
const HIDDEN_STATUS_MS = 10_000;
/** Time in ms after which the status is read again though nothing has happened: ages and limits continue. */
const IDLE_STATUS_MS = 5_000;
/** Time in ms between two reads of the clock. */
const TICK_MS = 1_000;
/** Silence in ms after which a stream counts as dead: the daemon gives a sign of life every 15 s. */
const SILENCE_MS = 40_000;
/** The same for a page that has just been shown again, perhaps after a sleep. */
const AWAKE_SILENCE_MS = 20_000;
/** Longest wait in ms for the answer to a command: the daemon gives one within 20 s. */
const ANSWER_MS = 30_000;
/** Waits in ms before the next attempts to connect. */
const WAITS_MS = [1_000, 2_000, 4_000, 8_000, 15_000];
/** Maximum number of notices kept. */
const NOTICES_MAX = 200;

/**
 * Connection to one daemon: its status, and everything that happens there. It comes back by itself after a break or a sleep: it reads
 * the status again, and resumes the events after the last entry that it has seen.
 */
export class Connection {
  readonly name: string;
  /** Prefix of its API, relative to the page, such as `d/two/`. */
  readonly base: string;
  readonly link = signal<Link>({ kind: 'connecting' });
  readonly status = signal<Status | null>(null);
  /** Time of the daemon now, epoch ms: its clock as of its last status, which continues by that of this browser. */
  readonly now = signal(0);
  /** Time in ms since its last status was read; null before the first. */
  readonly silenceMs = computed(() =>
    this.status.value === null ? null : this.now.value - Date.parse(this.status.value.now),
  );
  readonly prices = signal<ReadonlyMap<string, PriceView>>(new Map());
  /** Notices since the page was opened, oldest first. */
  readonly notices = signal<readonly NoticeEvent[]>([]);
  /** Commands that this page has given, oldest first. */
  readonly commands = signal<readonly Command[]>([]);
  readonly #surroundings: Surroundings;
  readonly #signIn: SignIn;
  readonly #listeners = new Set<(entry: EntryView) => void>();
  #stream: AbortController | null = null;
  #unwake: Cancel | null = null;
  #wake: () => void = () => undefined;
  /** Number of the last entry that was seen. */
  #seq: number | null = null;
  #heard = 0;
  #statusTimer: Cancel = () => undefined;
  #statusAt = 0;
  /** Time of the daemon less that of this browser, in ms. */
  #offsetMs = 0;
  #tickTimer: Cancel = () => undefined;
  #statusReads = 0;
  #checkSilence: (mostMs: number) => void = () => undefined;

  constructor(member: Readonly<{ name: string; base: string }>, signIn: SignIn, surroundings: Surroundings) {
    this.name = member.name;
    this.base = member.base;
    this.#signIn = signIn;
    this.#surroundings = surroundings;
  }

  /** True while whoever has signed in may steer. */
  get maySteer(): boolean {
    return this.#signIn.session.value?.role === 'operate';
  }

  /** Value of an endpoint of this daemon, such as `v1/orders?count=50`. @throws {ApiError} */
  async get<T>(path: string): Promise<T> {
    return this.#watched(ask<T>(this.#surroundings, `${this.base}${path}`));
  }

  /**
   * Answer of this daemon to a command, given once. `meant`: mode and account of the run that it is for; any other refuses it.
   * @throws {ApiError} without an answer, too: the command may have arrived
   */
  async post<T>(
    path: string,
    body: unknown,
    meant?: Readonly<{ mode: string; account: string }>,
  ): Promise<T> {
    const patience = new AbortController();
    const cancel = this.#surroundings.after(ANSWER_MS, () => patience.abort());
    const headers: Record<string, string> = meant
      ? { 'x-drover-mode': meant.mode, 'x-drover-account': meant.account }
      : {};
    const { signal } = patience;
    try {
      return await this.#watched(
        ask<T>(this.#surroundings, `${this.base}${path}`, { method: 'POST', body, headers, signal }),
      );
    } finally {
      cancel();
    }
  }

  /** Calls `listener` with every entry of the journal from now on, in order. */
  onEntry(listener: (entry: EntryView) => void): Cancel {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Connects, and stays connected until `close` or the end of the session. */
  open(): void {
    if (this.#stream) return;
    const stream = new AbortController();
    this.#stream = stream;
    this.link.value = { kind: 'connecting' };
    this.#unwake = this.#surroundings.onWake(() => this.#awake());
    void this.#keep(stream.signal);
  }

  close(): void {
    const stream = this.#stream;
    this.#stream = null;
    stream?.abort();
    this.#unwake?.();
    this.#statusTimer();
    this.#tickTimer();
    this.#wake();
  }

  #end(kind: 'signedOut' | 'outdated'): void {
    this.close();
    this.link.value = { kind };
  }

  /** Comes back again and again until it is closed, the session is over, or another version answers. */
  async #keep(closed: AbortSignal): Promise<void> {
    const isOpen = () => !closed.aborted;
    for (let attempt = 0; isOpen(); attempt++) {
      const why = await this.#follow(closed, () => (attempt = 0));
      if (!isOpen()) return;
      if (why === 'signedOut' || why === 'outdated') {
        this.#end(why);
        return;
      }
      const { value } = this.link;
      const since = value.kind === 'reconnecting' ? value.since : this.#surroundings.now();
      this.link.value = { kind: 'reconnecting', since, why: why.message };
      await this.#wait(WAITS_MS[Math.min(attempt, WAITS_MS.length - 1)] ?? 0);
    }
  }

  /** Follows the daemon until the stream ends. Returns why it did. */
  async #follow(closed: AbortSignal, connected: () => void): Promise<Error | 'signedOut' | 'outdated'> {
    const attempt = new AbortController();
    const abort = () => attempt.abort();
    closed.addEventListener('abort', abort);
    const unwatch = this.#watchSilence(abort);
    try {
      const { role } = await this.#signIn.check();
      if (role === null) return 'signedOut';
      if (this.#signIn.otherVersion.value !== null) return 'outdated';
      const response = await this.#events(attempt.signal);
      await this.#readStatus();
      this.link.value = { kind: 'connected' };
      connected();
      await this.#read(response);
      return new Error('The connection was closed.');
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) return 'signedOut';
      return error instanceof Error ? error : new Error('The connection broke.');
    } finally {
      unwatch();
      attempt.abort();
      closed.removeEventListener('abort', abort);
    }
  }

  /** Stream of the events after the last entry that was seen; from now on where the journal is another one. */
  async #events(signal: AbortSignal): Promise<Response> {
    const address = `${this.base}v1/events`;
    if (this.#seq === null) return request(this.#surroundings, address, { signal });
    try {
      return await request(this.#surroundings, `${address}?after=${this.#seq}`, { signal });
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 400) throw error;
      this.#seq = null;
      return request(this.#surroundings, address, { signal });
    }
  }

  async #read({ body }: Response): Promise<void> {
    if (body === null) return;
    const parser = new EventParser();
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      this.#heard = this.#surroundings.now();
      const events = parser.take(value);
      for (const event of events) this.#take(event);
      if (events.length > 0) this.#planStatus(this.#leastMs());
    }
  }

  #take({ event, data, id }: ServerEvent): void {
    if (id !== null) this.#seq = Number(id);
    switch (event) {
      case 'entry': {
        const entry = JSON.parse(data) as EntryView;
        for (const listener of this.#listeners) this.#give(entry, listener);
        return;
      }
      case 'price': {
        const price = JSON.parse(data) as PriceView;
        this.prices.value = new Map(this.prices.value).set(price.symbol, price);
        return;
      }
      case 'notice':
        this.notices.value = [...this.notices.value, JSON.parse(data) as NoticeEvent].slice(-NOTICES_MAX);
    }
  }

  /** Gives an entry to a listener. One that fails is reported by the browser, and breaks nothing else. */
  #give(entry: EntryView, listener: (entry: EntryView) => void): void {
    try {
      listener(entry);
    } catch (error) {
      queueMicrotask(() => {
        throw error;
      });
    }
  }

  #leastMs(): number {
    return this.#surroundings.isHidden() ? HIDDEN_STATUS_MS : STATUS_MS;
  }

  /** Sets the time of the daemon, and again every second while somebody looks. */
  #tick(): void {
    this.#tickTimer();
    if (this.#stream === null) return;
    this.now.value = this.#surroundings.now() + this.#offsetMs;
    if (!this.#surroundings.isHidden())
      this.#tickTimer = this.#surroundings.after(TICK_MS, () => this.#tick());
  }

  /** Reads the status again, `leastMs` after the last time at the earliest. */
  #planStatus(leastMs: number): void {
    this.#statusTimer();
    if (this.#stream === null) return;
    const wait = Math.max(this.#statusAt + leastMs - this.#surroundings.now(), 0);
    this.#statusTimer = this.#surroundings.after(wait, () => {
      this.#readStatus().catch(() => this.#planStatus(IDLE_STATUS_MS));
    });
  }

  /** Reads the status. An answer that a later one has overtaken is dropped. */
  async #readStatus(): Promise<void> {
    this.#statusAt = this.#surroundings.now();
    const number = ++this.#statusReads;
    const status = await this.get<Status>('v1/status');
    if (number !== this.#statusReads || this.#stream === null) return;
    this.#offsetMs = Date.parse(status.now) - this.#surroundings.now();
    this.#tick();
    this.status.value = status;
    this.#planStatus(Math.max(IDLE_STATUS_MS, this.#leastMs()));
  }

  /** Calls `abort` when nothing has been heard for too long. */
  #watchSilence(abort: () => void): Cancel {
    const { now, after } = this.#surroundings;
    this.#heard = now();
    let cancel: Cancel = () => undefined;
    this.#checkSilence = (mostMs) => {
      cancel();
      const left = this.#heard + mostMs - now();
      if (left <= 0) abort();
      else cancel = after(left, () => this.#checkSilence(SILENCE_MS));
    };
    this.#checkSilence(SILENCE_MS);
    return () => {
      this.#checkSilence = () => undefined;
      cancel();
    };
  }

  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#surroundings.after(ms, resolve);
      this.#wake = () => {
        cancel();
        resolve();
      };
    });
  }

  /** Looks again at once: after a sleep, nothing on the page is as it was. */
  #awake(): void {
    this.#wake();
    this.#tick();
    this.#checkSilence(AWAKE_SILENCE_MS);
    if (this.link.value.kind === 'connected') this.#planStatus(STATUS_MS);
  }

  async #watched<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) {
        this.#signIn.expire();
        this.#end('signedOut');
      }
      throw error;
    }
  }
}

/** A server-sent event. `id`: null for one that cannot be resumed after. `position`: one that only says where the stream begins. */
export type ServerEvent = Readonly<{ event: string; data: string; id: string | null }>;

/** Parser of a stream of server-sent events, as the control API writes it: LF alone, one `data` line an event. */
export class EventParser {
  #rest = '';

  /** Takes a piece of the stream. Returns the events that are complete with it. */
  take(text: string): readonly ServerEvent[] {
    const blocks = (this.#rest + text).split('\n\n');
    this.#rest = blocks.pop() ?? '';
    return blocks.flatMap((block) => eventIn(block) ?? []);
  }
}

/** Event of a block; null for a sign of life. */
function eventIn(block: string): ServerEvent | null {
  const fields = new Map<string, string>();
  for (const line of block.split('\n')) {
    const [, name, value] = /^(\w+): ?(.*)$/.exec(line) ?? [];
    if (name !== undefined && value !== undefined) fields.set(name, value);
  }
  const [data, id = null] = [fields.get('data'), fields.get('id')];
  if (data !== undefined) return { event: fields.get('event') ?? 'message', data, id };
  return id === null ? null : { event: 'position', data: '', id };
}
