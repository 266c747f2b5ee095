import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Random } from '../../src/core/random.ts';
import { seededRandom } from '../../src/core/seededRandom.ts';
import { readJournal, type JournalReader } from '../../src/store/readJournal.ts';
import { journalText, WATCHED_KINDS } from '../../src/ops/notify/journalTexts.ts';
import type { Finding } from './judge.ts';
import type { Line } from '../../src/store/codec.ts';

/** Share of daemon lives in which the channel hangs, and in which it hangs until the end. */
const HANGING = 0.6;
const FOR_EVER = 0.5;
/** Longest wait of any other hanging answer, in ms. */
const HANG_MS = 2_000;
/** Number of lives with a hanging channel from which on the daemons must have written something meanwhile, */
const LIVES_ENOUGH = 3;
/** and the time in ms for which the channel of such a life must hang: a daemon killed at once writes nothing. */
const HUNG_ENOUGH_MS = 1_000;
const PAGE = 1_000;
/** Ids named in a finding. */
const SHOWN = 5;
const KEY = 'a-signing-key-of-the-torture';

/** Numbers of the messages of a campaign. */
export type NotificationCounts = Readonly<{
  /** Messages that the journals ask for. */
  queued: number;
  /** Those that have arrived. */
  delivered: number;
  /** Messages that have arrived more than once, with the same id. */
  twice: number;
  /** Messages that the journals ask for and that never arrived. */
  lost: number;
  /** Requests that were never answered, or late. */
  hung: number;
  /** Entries written by the daemons while their channel hung. */
  whileHung: number;
}>;

/** Arrival of a message: the daemon's life, and the position of its parcel among those accepted. */
type Arrival = Readonly<{ life: number; parcel: number }>;

/** A webhook for the daemons of one account that hangs in some of their lives, drawn from a separate random stream. */
export class NotificationSide {
  readonly #journal: string;
  readonly #random: Random;
  readonly #server = createServer((request, response) => this.#take(request, response));
  readonly #arrivals = new Map<string, Arrival[]>();
  /** Last parcel accepted in each life: only a kill before its record sends it again. */
  readonly #lastParcel = new Map<number, number>();
  #life = 0;
  #parcels = 0;
  #answerAfterMs: number | null = 0;
  #queued: readonly string[] = [];
  #hung = 0;
  #hungLives = 0;
  #whileHung = 0;
  /** When the channel began to hang in this life, and the number of the journal's last entry by then. */
  #hungFrom: Readonly<{ at: number; entry: number }> | null = null;

  /** @param journal file of the account's journal */
  constructor({ journal, seed }: Readonly<{ journal: string; seed: number }>) {
    this.#journal = journal;
    this.#random = seededRandom(`notifications ${seed}`);
  }

  async open(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  /** Environment of a daemon: the address of its channel `hook`. */
  get env(): Readonly<Record<string, string>> {
    const { port } = this.#server.address() as AddressInfo;
    return { DROVER_NOTIFY_HOOK: `http://127.0.0.1:${port}/hook#${KEY}` };
  }

  /** Begins the life of another daemon. `isCalm`: the channel answers at once. */
  born({ isCalm }: Readonly<{ isCalm: boolean }>): void {
    this.#life++;
    const [hangs, forEver, share] = [this.#random.next(), this.#random.next(), this.#random.next()];
    const hangMs = forEver < FOR_EVER ? null : HANG_MS * share;
    this.#answerAfterMs = isCalm || hangs >= HANGING ? 0 : hangMs;
  }

  /** Ends the life: counts the entries that its daemon has written while the channel hung. */
  died(): void {
    if (this.#hungFrom === null) return;
    this.#whileHung += this.#reading((reader) => lastEntry(reader)) - this.#hungFrom.entry;
    if (performance.now() - this.#hungFrom.at >= HUNG_ENOUGH_MS) this.#hungLives++;
    this.#hungFrom = null;
  }

  /** Compares the arrived messages with those the journal asks for. To be called after a life that ended calmly. */
  findings(): readonly Finding[] {
    this.#queued = this.#reading(wantedIds);
    const again = [...this.#arrivals].filter(([, all]) => this.#isMarked(all)).map(([id]) => id);
    const lost = this.#lost();
    const stood = this.#hungLives >= LIVES_ENOUGH && this.#whileHung === 0;
    const texts = [
      ...(lost.length > 0
        ? [`${lost.length} messages of the journal have never arrived: ${shown(lost)}`]
        : []),
      ...(again.length > 0 ? [`messages came again after their delivery was marked: ${shown(again)}`] : []),
      ...(stood
        ? [`no daemon has written anything while its channel hung, in ${this.#hungLives} lives`]
        : []),
    ];
    return texts.map((text) => ({ kind: 'notification', text }));
  }

  get counts(): NotificationCounts {
    const lost = this.#lost().length;
    return {
      queued: this.#queued.length,
      delivered: this.#queued.length - lost,
      twice: [...this.#arrivals.values()].filter(({ length }) => length > 1).length,
      lost,
      hung: this.#hung,
      whileHung: this.#whileHung,
    };
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #lost(): string[] {
    return this.#queued.filter((id) => !this.#arrivals.has(id));
  }

  /** True if a message came again although something else was accepted after it in the same life. */
  #isMarked(all: readonly Arrival[]): boolean {
    return all.some(({ life, parcel }, index) => {
      const next = all[index + 1];
      return next !== undefined && (next.life === life || this.#lastParcel.get(life) !== parcel);
    });
  }

  #take(request: IncomingMessage, response: ServerResponse): void {
    const [life, afterMs] = [this.#life, this.#answerAfterMs];
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { messages } = JSON.parse(Buffer.concat(chunks).toString()) as { messages: { id: string }[] };
      const ids = messages.map(({ id }) => id);
      if (afterMs !== 0) this.#hang();
      if (afterMs === 0) this.#answer(response, { life, ids });
      else if (afterMs !== null) setTimeout(() => this.#answer(response, { life, ids }), afterMs);
    });
  }

  #hang(): void {
    this.#hung++;
    this.#hungFrom ??= { at: performance.now(), entry: this.#reading((reader) => lastEntry(reader)) };
  }

  #answer(response: ServerResponse, { life, ids }: Readonly<{ life: number; ids: readonly string[] }>): void {
    if (response.destroyed || response.socket === null) return;
    response.writeHead(204).end();
    const parcel = ++this.#parcels;
    this.#lastParcel.set(life, parcel);
    for (const id of ids) this.#arrivals.set(id, [...(this.#arrivals.get(id) ?? []), { life, parcel }]);
  }

  #reading<T>(read: (reader: JournalReader) => T): T {
    const reader = readJournal(this.#journal);
    try {
      return read(reader);
    } finally {
      reader.close();
    }
  }
}

const shown = (ids: readonly string[]): string => ids.slice(0, SHOWN).join(', ');

const lastEntry = (reader: JournalReader): number => {
  let last = 0;
  for (let page = PAGE; page > 0; page = Math.floor(page / 2))
    while (reader.tipAt(last + page) !== null) last += page;
  return last;
};

/** Ids of the messages that the entries of a journal cause. */
function wantedIds(reader: JournalReader): string[] {
  const history = (order: string): readonly Line[] => reader.history(order);
  return [...reader.ofKinds(WATCHED_KINDS)]
    .filter((line) => journalText(line, { isOld: false, history }) !== null)
    .map(({ seq }) => `j${seq}-${(reader.tipAt(seq)?.sum ?? '').replace(/\W/g, '').slice(0, 8)}`);
}
