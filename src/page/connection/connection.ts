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

/** Minimum time in ms between two reads of the status: while the page is visible, and while it is not. */
const STATUS_MS = 1_000;
const HIDDEN_STATUS_MS = 10_000;
/** Time in ms after which the status is reread even without events, because ages and limits change. */
const IDLE_STATUS_MS = 5_000;
/** Interval in ms between two reads of the clock. */
const TICK_MS = 1_000;
/** Silence in ms after which a stream counts as dead: the daemon sends a keep-alive every 15 s. */
const SILENCE_MS = 40_000;
/** The same for a page that has just become visible again, perhaps after a sleep. */
const AWAKE_SILENCE_MS = 20_000;
/** Maximum wait in ms for the response to a command: the daemon responds within 20 s. */
const ANSWER_MS = 30_000;
/** Delays in ms before further attempts to connect. */
const WAITS_MS = [1_000, 2_000, 4_000, 8_000, 15_000];
/** Maximum number of notices kept. */
const NOTICES_MAX = 200;

/**
 * Connection to one daemon: its status and all its events. It reconnects by itself after an interruption or sleep: it rereads the
 * status, and resumes the events after the last entry seen.
 */
export class Connection {
  readonly name: string;
  /** Prefix of its API, relative to the page, such as `d/two/`. */
  readonly base: string;
  readonly link = signal<Link>({ kind: 'connecting' });
  readonly status = signal<Status | null>(null);
  /** Current time of the daemon, epoch ms: its clock at the last status, extrapolated with the browser's clock. */
  readonly now = signal(0);
  /** Time in ms since the last status was read; null before the first. */
  readonly silenceMs = computed(() =>
    this.status.value === null ? null : this.now.value - Date.parse(this.status.value.now),
  );
  readonly prices = signal<ReadonlyMap<string, PriceView>>(new Map());
  /** Notices since the page was opened, oldest first. */
  readonly notices = signal<readonly NoticeEvent[]>([]);
  /** Commands given from this page, oldest first. */
  readonly commands = signal<readonly Command[]>([]);
  readonly #surroundings: Surroundings;
  readonly #signIn: SignIn;
  readonly #listeners = new Set<(entry: EntryView) => void>();
  #stream: AbortController | null = null;
  #unwake: Cancel | null = null;
  #wake: () => void = () => undefined;
  /** Number of the last entry seen. */
  #seq: number | null = null;
  #heard = 0;
  #statusTimer: Cancel = () => undefined;
  #statusAt = 0;
  /** Time of the daemon minus that of this browser, in ms. */
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

  /** True if the signed-in user may give commands. */
  get maySteer(): boolean {
    return this.#signIn.session.value?.role === 'operate';
  }

  /** Value of an endpoint of this daemon, such as `v1/orders?count=50`. @throws {ApiError} */
  async get<T>(path: string): Promise<T> {
    return this.#watched(ask<T>(this.#surroundings, `${this.base}${path}`));
  }

  /**
   * Response of this daemon to a command, sent once. `meant`: mode and account of the intended run; any other refuses it.
   * @throws {ApiError} even without a response: the command may have arrived
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

  /** Calls `listener` with every new journal entry, in order. */
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

  /** Reconnects until closed, signed out, or a different version responds. */
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

  /** Follows the daemon until the stream ends. Returns the reason. */
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

  /** Stream of events after the last entry seen; from now on if the journal is a different one. */
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

  /** Passes an entry to a listener. If it fails, the browser reports the error, and everything else continues. */
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

  /** Updates the daemon's time now, and every second while the page is visible. */
  #tick(): void {
    this.#tickTimer();
    if (this.#stream === null) return;
    this.now.value = this.#surroundings.now() + this.#offsetMs;
    if (!this.#surroundings.isHidden())
      this.#tickTimer = this.#surroundings.after(TICK_MS, () => this.#tick());
  }

  /** Schedules a reread of the status, at least `leastMs` after the last one. */
  #planStatus(leastMs: number): void {
    this.#statusTimer();
    if (this.#stream === null) return;
    const wait = Math.max(this.#statusAt + leastMs - this.#surroundings.now(), 0);
    this.#statusTimer = this.#surroundings.after(wait, () => {
      this.#readStatus().catch(() => this.#planStatus(IDLE_STATUS_MS));
    });
  }

  /** Reads the status. A response overtaken by a later one is dropped. */
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

  /** Calls `abort` after too long a silence. */
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

  /** Updates everything immediately: after a sleep, the whole page is outdated. */
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

/** A server-sent event. `id`: null if the stream cannot resume after it. `position`: one that only marks the start. */
export type ServerEvent = Readonly<{ event: string; data: string; id: string | null }>;

/** Parser for server-sent events as written by the control API: only LF line ends, one `data` line per event. */
export class EventParser {
  #rest = '';

  /** Processes a chunk of the stream. Returns the events completed by it. */
  take(text: string): readonly ServerEvent[] {
    const blocks = (this.#rest + text).split('\n\n');
    this.#rest = blocks.pop() ?? '';
    return blocks.flatMap((block) => eventIn(block) ?? []);
  }
}

/** Event of a block; null for a keep-alive. */
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
