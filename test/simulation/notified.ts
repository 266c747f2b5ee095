import type { Clock } from '../../src/core/clock.ts';
import type { Random } from '../../src/core/random.ts';
import { seededRandom } from '../../src/core/seededRandom.ts';
import { Secrets } from '../../src/core/secrets.ts';
import type { JournalEntry } from '../../src/domain/journalEvent.ts';
import type { Runner } from '../../src/engine/runtime/runner.ts';
import { AlarmBook } from '../../src/engine/state/alarms.ts';
import type { Notice } from '../../src/engine/state/notice.ts';
import type { DaemonEvent } from '../../src/ops/daemon.ts';
import { differencesOf, statusOf } from '../../src/ops/model/statusOf.ts';
import { journalText } from '../../src/ops/notify/journalTexts.ts';
import { Notifier } from '../../src/ops/notify/notifier.ts';
import { MemoryStore, settings } from '../ops/notify/notifierStage.ts';
import type { Life } from './life.ts';
import type { Counters } from './sometimes.ts';
import { WELL } from '../ops/well.ts';
import type { Line } from '../../src/store/codec.ts';

/** Share of the seeds that report to channels. */
const SHARE = 1 / 3;
const HANG_MAX_MS = 3 * 3_600_000;
const LOOK_MS = 5_000;
const MINUTE_MS = 60_000;

type Parts = Readonly<{
  seed: number;
  sometimes: Counters;
  now: () => number;
  start: number;
  isFull: () => boolean;
}>;

/**
 * Notifications of a simulated run, over its processes: one channel hangs for a while, the other takes everything. They decide by
 * a stream of their own, so that seeds play as they do without them.
 */
export class NotifiedRuns {
  readonly #parts: Parts;
  readonly #random: Random;
  readonly #isOn: boolean;
  readonly #hangs: Readonly<{ from: number; to: number }>;
  readonly #lines: Line[] = [];
  readonly #history = new Map<string, Line[]>();
  readonly #store = new MemoryStore();
  readonly #got = new Map<string, number>();
  #notifier: Notifier | null = null;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#random = seededRandom(`notifications ${parts.seed}`);
    this.#isOn = this.#random.next() < SHARE;
    const from = parts.start + this.#random.next() * HANG_MAX_MS;
    this.#hangs = { from, to: from + this.#random.next() * HANG_MAX_MS };
  }

  /** Takes entries as they become durable. */
  committed(batch: readonly JournalEntry[]): void {
    for (const entry of batch) {
      const line = { ...entry, seq: this.#lines.length + 1 };
      this.#lines.push(line);
      const { fact } = entry;
      const order = fact.kind === 'planned' ? fact.order.id : fact.kind === 'order' ? fact.id : null;
      if (order !== null) this.#history.set(order, [...(this.#history.get(order) ?? []), line]);
    }
  }

  /** Notifications of a new process. Returns its book of alarms. */
  born(life: Life, clock: Clock): AlarmBook {
    const book = new AlarmBook();
    if (this.#isOn) this.#notifier = this.#notifierOf(life, clock, book);
    return book;
  }

  take(event: DaemonEvent): void {
    this.#notifier?.take(event);
  }

  /** Begins to deliver for a runner that has read its journal. */
  begin({ kernel, alarms }: Runner, clock: Clock): void {
    const now = () => clock.now();
    const { context } = kernel;
    const identity = {
      mode: 'live',
      account: 'simulated',
      version: '0',
      startedAt: '',
      killFiles: [],
    } as const;
    this.#notifier?.begin({
      context,
      health: () => WELL,
      command: () => Promise.reject(new Error('no command comes by chat')),
      status: () =>
        statusOf({
          identity,
          isRunning: true,
          context,
          now: now(),
          strategies: [],
          differences: differencesOf(kernel.reconciliation),
          alarms: [],
          health: WELL,
        }),
      notify: (kind, text, { about } = {}) => {
        const notice: Notice = {
          at: now(),
          kind,
          strategyId: null,
          text,
          ...(about === undefined ? {} : { about }),
        };
        alarms.take(notice);
        this.take({ kind: 'notice', notice });
      },
    });
  }

  /** Messages that the journal asks for and that never came, or came more than once in each of two processes. */
  faults(): string[] {
    if (!this.#isOn) return [];
    const wanted = this.#lines.filter((line) => journalText(line, this.#reading) !== null);
    const lost = wanted.filter(({ seq }) => !this.#got.has(`j${seq}-sum${seq}`));
    const repeated = [...this.#got].filter(([, count]) => count > 2).map(([id]) => id);
    return [
      ...lost.map(({ seq, fact }) => `entry ${seq} (${fact.kind}) was never reported`),
      ...repeated.map((id) => `${id} was delivered more than twice`),
    ];
  }

  readonly #reading = { isOld: false, history: (id: string) => this.#history.get(id) ?? [] };

  #notifierOf(life: Life, clock: Clock, book: AlarmBook): Notifier {
    const store = this.#store;
    const channels = ['stuck', 'fine'].map((id) => ({
      settings: settings(id),
      sender: this.#sender(id, life),
      bot: null,
    }));
    return new Notifier({
      name: 'simulated',
      channels,
      repeatMs: 30 * MINUTE_MS,
      downAfterMs: 5 * MINUTE_MS,
      heartbeat: null,
      store: {
        load: store.load,
        setAside: store.setAside,
        close: store.close,
        append: (changes) => this.#writing(life, () => store.append(changes)),
        replace: (stored) => this.#writing(life, () => store.replace(stored)),
      },
      book,
      reader: {
        ofKindsAfter: (seq, kinds, count) =>
          this.#lines
            .slice(seq)
            .filter(({ fact }) => kinds.includes(fact.kind))
            .slice(0, count),
        history: this.#reading.history,
        tipAt: (seq) => (seq > 0 && seq <= this.#lines.length ? { seq, sum: `sum${seq}` } : null),
        close: () => undefined,
      },
      journalLength: () => this.#lines.length,
      http: () => Promise.reject(new Error('nothing is asked')),
      telegramApi: '',
      clock,
      random: this.#random,
      secrets: new Secrets(),
      lookMs: LOOK_MS,
    });
  }

  /** A dead process writes nothing, and a full disk takes nothing. */
  #writing(life: Life, write: () => void): void {
    if (!life.alive) return;
    if (this.#parts.isFull()) throw Object.assign(new Error('full'), { code: 'SQLITE_FULL' });
    write();
  }

  /** Counts a delivery. On a full disk it cannot be noted, so that each start there delivers the message again. */
  #count(id: string): void {
    const before = this.#got.get(id) ?? 0;
    if (before === 0 || !this.#parts.isFull()) this.#got.set(id, before + 1);
  }

  #sender(id: string, life: Life) {
    return {
      limit: 4_000,
      send: ({ messages }: Readonly<{ messages: readonly Readonly<{ id: string }>[] }>) => {
        const now = this.#parts.now();
        const isHung = id === 'stuck' && now >= this.#hangs.from && now < this.#hangs.to;
        if (isHung) this.#parts.sometimes.channelHung++;
        if (isHung || !life.alive) return new Promise<never>(() => undefined);
        if (id === 'fine') for (const one of messages) this.#count(one.id);
        return Promise.resolve({ ok: true } as const);
      },
      close: () => undefined,
    };
  }
}
