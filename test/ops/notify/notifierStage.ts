import { tradingCalendar } from '../../../src/calendar/index.ts';
import { epochMs } from '../../../src/core/brand.ts';
import { realClock } from '../../../src/core/clock.ts';
import { seededRandom } from '../../../src/core/seededRandom.ts';
import { Secrets } from '../../../src/core/secrets.ts';
import type { JournalEvent } from '../../../src/domain/journalEvent.ts';
import { AlarmBook } from '../../../src/engine/state/alarms.ts';
import { EngineContext } from '../../../src/engine/state/engineContext.ts';
import type { Notice } from '../../../src/engine/state/notice.ts';
import { DOCUMENTED_FEES } from '../../../src/domain/fees.ts';
import type { TradingRules } from '../../../src/domain/limits.ts';
import type { OperatorAnswer, OperatorRequest } from '../../../src/domain/operator/command.ts';
import type { ChannelSettings } from '../../../src/ops/notify/channel.ts';
import type { Delivery, Http, HttpRequest } from '../../../src/ops/notify/delivery.ts';
import { MESSAGE_KINDS, type Parcel } from '../../../src/ops/notify/message.ts';
import { Notifier, type NotifiedRun, type NotifierOptions } from '../../../src/ops/notify/notifier.ts';
import type { Change, OutboxStore, OutboxState } from '../../../src/ops/notify/outboxFile.ts';
import { FakeHost, START } from '../../core/fakeHost.ts';
import { WELL } from '../well.ts';
import type { Line } from '../../../src/store/codec.ts';

export const SECOND = 1_000;
export const MINUTE = 60_000;

/** A queue file in memory, which a test may break. */
export class MemoryStore implements OutboxStore {
  stored: OutboxState = { pending: new Map(), values: new Map() };
  broken: string | null = null;
  aside = 0;

  load = () => (this.#check(), structuredClone(this.stored));
  append = (changes: readonly Change[]) => {
    this.#check();
    const pending = new Map([...this.stored.pending].map(([channel, all]) => [channel, [...all]]));
    const values = new Map(this.stored.values);
    for (const change of changes)
      if (change.kind === 'value') values.set(change.name, change.value);
      else if (change.kind === 'removed')
        pending.set(
          change.channel,
          (pending.get(change.channel) ?? []).filter(({ seq }) => !change.seqs.includes(seq)),
        );
      else
        for (const channel of change.channels)
          pending.set(channel, [...(pending.get(channel) ?? []), change.pending]);
    this.stored = { pending, values };
  };
  replace = (stored: OutboxState) => {
    this.#check();
    this.stored = structuredClone(stored);
  };
  setAside = () => {
    this.aside++;
    this.broken = null;
    this.stored = { pending: new Map(), values: new Map() };
    return 'notify.sqlite.damaged';
  };
  close = () => undefined;

  #check() {
    if (this.broken !== null) throw Object.assign(new Error('broken'), { code: this.broken });
  }
}

/** A journal in memory. */
export class MemoryLines {
  readonly lines: Line[] = [];

  add(...facts: JournalEvent[]) {
    for (const fact of facts)
      this.lines.push({ seq: this.lines.length + 1, at: epochMs(START + this.lines.length * SECOND), fact });
  }

  reader = {
    ofKindsAfter: (seq: number, kinds: readonly JournalEvent['kind'][], count: number) =>
      this.lines.filter((line) => line.seq > seq && kinds.includes(line.fact.kind)).slice(0, count),
    history: () => [],
    tipAt: (seq: number) => (seq > 0 && seq <= this.lines.length ? { seq, sum: `sum${seq}` } : null),
    close: () => undefined,
  };
}

/** A channel that acts as the test says: by default it accepts everything. */
export class FakeChannel {
  readonly got: Parcel[] = [];
  answer: (parcel: Parcel) => Delivery | Promise<Delivery> = () => ({ ok: true });
  attempts = 0;

  readonly sender = {
    limit: 1_000,
    send: async (parcel: Parcel) => {
      this.attempts++;
      const delivery = await this.answer(parcel);
      if (delivery.ok) this.got.push(parcel);
      return delivery;
    },
    close: () => undefined,
  };

  get titles() {
    return this.got.map(({ title }) => title.replace(' (drover test)', ''));
  }
  get texts() {
    return this.got.map(({ text }) => text);
  }
}

export const settings = (id: string, more: Partial<ChannelSettings> = {}): ChannelSettings => ({
  id,
  hears: MESSAGE_KINDS,
  quiet: null,
  digest: { over: 5, seconds: 60 },
  ...more,
});

const ignore = () => undefined;
const rules: TradingRules = {
  limits: {},
  ownLimits: new Map(),
  fees: DOCUMENTED_FEES,
  collarBps: 50,
  deadlineMs: 90_000,
};

type Given = Readonly<{
  channels?: Readonly<Record<string, Partial<ChannelSettings>>>;
  after?: NotifierStage;
  more?: Partial<NotifierOptions>;
}>;

/** A notifier with fake channels, a queue and a journal in memory, in fake time. */
export class NotifierStage {
  readonly host: FakeHost;
  readonly clock;
  readonly store: MemoryStore;
  readonly journal: MemoryLines;
  readonly book = new AlarmBook();
  readonly channels: Record<string, FakeChannel> = {};
  readonly notices: Notice[] = [];
  readonly commands: OperatorRequest[] = [];
  readonly asked: HttpRequest[] = [];
  http: Http = () => new Promise(() => undefined);
  isReady = true;
  readonly notifier: Notifier;

  /** `after`: a stage whose process was killed: its queue and its journal remain. */
  constructor({ channels = { phone: {} }, after, more = {} }: Given = {}) {
    this.host = after?.host ?? new FakeHost();
    this.clock = realClock(this.host);
    this.store = after?.store ?? new MemoryStore();
    this.journal = after?.journal ?? new MemoryLines();
    for (const id of Object.keys(channels)) this.channels[id] = new FakeChannel();
    this.notifier = new Notifier({
      name: 'test',
      channels: Object.entries(channels).map(([id, own]) => ({
        settings: settings(id, own),
        sender: this.channel(id).sender,
        bot: null,
      })),
      repeatMs: 30 * MINUTE,
      downAfterMs: 5 * MINUTE,
      heartbeat: null,
      store: this.store,
      book: this.book,
      reader: this.journal.reader,
      journalLength: () => this.journal.lines.length,
      http: (request) => (this.asked.push(request), this.http(request)),
      telegramApi: 'https://telegram.test',
      clock: this.clock,
      random: seededRandom(1),
      secrets: new Secrets(),
      ...more,
    });
  }

  channel(id: string): FakeChannel {
    const channel = this.channels[id];
    if (!channel) throw new Error(id);
    return channel;
  }

  begin() {
    const notify: NotifiedRun['notify'] = (kind, text, { about } = {}) => this.notice(kind, text, about);
    const command = (request: OperatorRequest): Promise<OperatorAnswer> => {
      this.commands.push(request);
      return Promise.resolve({ kind: 'done', text: 'it is so', result: {} });
    };
    this.notifier.begin({
      notify,
      command,
      health: () => ({ ...WELL, ready: this.isReady }),
      context: new EngineContext(
        { calendar: tradingCalendar, rules },
        {
          orderMoved: ignore,
          intentMoved: ignore,
          intentRefused: ignore,
          heldMoved: ignore,
          actionBooked: ignore,
        },
      ),
      status: () => {
        throw new Error('no status here');
      },
    });
    return this;
  }

  /** Raises a notice as a run does: the book first. */
  notice(kind: Notice['kind'], text: string, about?: string) {
    const notice = {
      at: epochMs(this.clock.now()),
      kind,
      strategyId: null,
      text,
      ...(about === undefined ? {} : { about }),
    };
    this.notices.push(notice);
    this.book.take(notice);
    this.notifier.take({ kind: 'notice', notice });
  }

  /** Commits entries as a run does. */
  commit(...facts: JournalEvent[]) {
    const first = this.journal.lines.length + 1;
    this.journal.add(...facts);
    this.notifier.take({ kind: 'committed', first, entries: this.journal.lines.slice(first - 1) });
  }

  pass = (ms: number) => this.host.pass(ms);
}

export const frozen = (symbol: string): JournalEvent => ({
  kind: 'frozen',
  symbol: symbol as Extract<JournalEvent, { kind: 'frozen' }>['symbol'],
  why: 'a test',
});
