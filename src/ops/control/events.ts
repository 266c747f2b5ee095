import type { ServerResponse } from 'node:http';
import { formatDecimal } from '../../core/amount.ts';
import { toIso } from '../../core/brand.ts';
import { repeatOn, type Cancel, type Host } from '../../core/clock.ts';
import { toJson } from '../../core/json.ts';
import type { Secrets } from '../../core/secrets.ts';
import { recordOf } from '../../store/storedNames.ts';
import type { Daemon, DaemonEvent } from '../daemon.ts';
import type { JournalPages } from './journalPages.ts';
import { RefusedRequest, type Caller, type DoorKind } from './request.ts';
import type { Line } from '../../store/codec.ts';

/** Maximum number of readers per listener at once: those over TCP take no capacity from the operator's socket. */
const READERS_MAX = 32;
/** Maximum number of bytes queued for a reader: a slower one is dropped. */
const WAITING_MAX_BYTES = 1_000_000;
/** Time for which events are collected before being sent together, in ms. */
const GATHER_MS = 50;
/** Interval between price reads, and between keep-alives, in ms. */
const PRICES_MS = 1_000;
const PING_MS = 15_000;
/** Time in ms for a dropped reader to receive its last event. */
const FAREWELL_MS = 5_000;

const PING = Buffer.from(': ping\n\n');

type Parts = Readonly<{
  daemon: Pick<Daemon, 'subscribe' | 'context'>;
  pages: Pick<JournalPages, 'after' | 'turn'>;
  host: Pick<Host, 'after'>;
  secrets: Secrets;
}>;

/**
 * A reader of the events. `seq`: number of the last journal entry written to it; `isStuck`: it has received nothing since the last
 * keep-alive.
 */
type Reader = {
  readonly response: ServerResponse;
  readonly door: DoorKind;
  seq: number;
  isLive: boolean;
  isStuck: boolean;
};

/**
 * Stream of server-sent events. Journal entries carry their number, and can be resumed after it without gaps or repetition; notices
 * and prices carry none. Each event is encoded once for all readers, and only if there is one.
 */
export class EventStream {
  readonly #parts: Parts;
  readonly #readers = new Set<Reader>();
  readonly #prices = new Map<string, bigint>();
  /** Events not sent yet, and the number of the latest entry among them. */
  #gathered: DaemonEvent[] = [];
  #seq = 0;
  #unsubscribe: Cancel | null = null;
  /** Timers by task. */
  readonly #timers = new Map<string, Cancel>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  get readers(): number {
    return this.#readers.size;
  }

  /** @throws {RefusedRequest} when this listener has too many readers */
  requireRoom(door: DoorKind): void {
    const readers = [...this.#readers].filter((reader) => reader.door === door).length;
    if (readers >= READERS_MAX)
      throw new RefusedRequest('RATE', `there are already ${READERS_MAX} event readers, which is the limit`);
  }

  /** Writes all events to a response from now on, starting after entry `seq`. A page's stream ends with its session. */
  add(response: ServerResponse, seq: number, { door, session }: Pick<Caller, 'door' | 'session'>): void {
    const reader: Reader = { response, door, seq, isLive: false, isStuck: false };
    const cancel = session?.atEnd(() => response.end());
    response.on('drain', () => (reader.isStuck = false));
    response.on('close', () => {
      cancel?.();
      this.#remove(reader);
    });
    response.on('error', () => this.#remove(reader));
    this.#readers.add(reader);
    if (this.#readers.size === 1) this.#begin();
    response.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      connection: 'close',
    });
    response.write(PING);
    // A number without data: a reader disconnected before its first entry resumes here.
    response.write(`id: ${seq}\n\n`);
    void this.#catchUp(reader);
  }

  close(): void {
    for (const { response } of this.#readers) response.end();
    this.#readers.clear();
    this.#rest();
  }

  #begin(): void {
    this.#unsubscribe = this.#parts.daemon.subscribe((event) => this.#take(event));
    const { host } = this.#parts;
    this.#timers.set(
      'ping',
      repeatOn(host, PING_MS, () => this.#ping()),
    );
    this.#changedPrices();
    const showPrices = () => {
      this.#flush();
      this.#send(this.#changedPrices());
    };
    this.#timers.set('prices', repeatOn(host, PRICES_MS, showPrices));
  }

  #rest(): void {
    this.#unsubscribe?.();
    this.#unsubscribe = null;
    for (const cancel of this.#timers.values()) cancel();
    this.#timers.clear();
    this.#gathered = [];
  }

  #remove(reader: Reader): void {
    if (this.#readers.delete(reader) && this.#readers.size === 0) this.#rest();
  }

  /** Sends a reader the entries it missed, page by page as it reads, then switches it to live events. */
  async #catchUp(reader: Reader): Promise<void> {
    const { pages } = this.#parts;
    try {
      while (this.#readers.has(reader)) {
        const { lines, isEnd } = pages.after(reader.seq);
        const last = lines.at(-1);
        if (last) reader.response.write(lines.map((line) => this.#entryText(line)).join(''));
        reader.seq = last?.seq ?? reader.seq;
        if (isEnd) {
          this.#follow(reader);
          return;
        }
        if (reader.response.writableNeedDrain) await drained(reader.response);
        await pages.turn();
      }
    } catch {
      this.#remove(reader);
      reader.response.destroy();
    }
  }

  /** Switches a reader to live events. Pending ones are sent to the others first, because this reader has them. */
  #follow(reader: Reader): void {
    this.#flush();
    reader.isLive = true;
  }

  /** Queues an event. It is encoded only when sent, because a step of the run waits for this call. */
  #take(event: DaemonEvent): void {
    this.#gathered.push(event);
    if (event.kind === 'committed') this.#seq = event.first + event.entries.length - 1;
    if (!this.#timers.has('flush'))
      this.#timers.set(
        'flush',
        this.#parts.host.after(GATHER_MS, () => this.#flush()),
      );
  }

  #eventText(event: DaemonEvent): string {
    if (event.kind === 'committed')
      return event.entries
        .map(({ at, fact }, index) => this.#entryText({ seq: event.first + index, at, fact }))
        .join('');
    const { at, kind, strategyId, text } = event.notice;
    return this.#text('notice', { at: toIso(at), kind, strategy: strategyId, text });
  }

  /** Events for prices that changed since the last read. */
  #changedPrices(): string {
    const { market } = this.#parts.daemon.context;
    let changed = '';
    for (const symbol of market.instruments.keys()) {
      const quote = market.quote(symbol);
      if (!quote || this.#prices.get(symbol) === quote.price) continue;
      this.#prices.set(symbol, quote.price);
      changed += this.#text('price', { symbol, price: formatDecimal(quote.price), at: toIso(quote.at) });
    }
    return changed;
  }

  #entryText(line: Line): string {
    return `id: ${line.seq}\n${this.#text('entry', recordOf(line))}`;
  }

  #text(event: string, value: unknown): string {
    return `event: ${event}\ndata: ${this.#parts.secrets.redact(toJson(value))}\n\n`;
  }

  #flush(): void {
    this.#timers.get('flush')?.();
    this.#timers.delete('flush');
    const gathered = this.#gathered;
    this.#gathered = [];
    this.#send(gathered.map((event) => this.#eventText(event)).join(''));
    for (const reader of this.#readers) if (reader.isLive) reader.seq = Math.max(reader.seq, this.#seq);
  }

  #send(text: string): void {
    if (text !== '') this.#write(Buffer.from(text));
  }

  #write(bytes: Buffer): void {
    for (const reader of this.#readers) {
      if (!reader.isLive) continue;
      if (reader.response.writableLength > WAITING_MAX_BYTES) this.#drop(reader);
      else reader.response.write(bytes);
    }
  }

  /** Sends a keep-alive, and drops readers that have received nothing since the last one. */
  #ping(): void {
    for (const reader of [...this.#readers])
      if (reader.isStuck) this.#drop(reader);
      else reader.isStuck = reader.response.writableNeedDrain;
    this.#write(PING);
  }

  /** Drops a reader that is too slow, telling it after which number to resume. */
  #drop(reader: Reader): void {
    const { response, seq } = reader;
    this.#remove(reader);
    response.end(this.#text('dropped', { after: seq }));
    this.#parts.host.after(FAREWELL_MS, () => response.destroy());
  }
}

/** Resolves when a response accepts more data, or is closed. */
const drained = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    response.once('drain', resolve);
    response.once('close', resolve);
  });
