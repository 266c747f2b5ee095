import { hashHex, type Random } from '../../core/random.ts';
import type { Cancel, Clock } from '../../core/clock.ts';
import { messageOf } from '../../core/errors.ts';
import type { Secrets } from '../../core/secrets.ts';
import type { AlarmBook } from '../../engine/state/alarms.ts';
import type { Notice, Notify } from '../../engine/state/notice.ts';
import type { JournalReader } from '../../store/readJournal.ts';
import type { Daemon, DaemonEvent } from '../daemon.ts';
import { AlarmWatch, type AlarmMessage } from './alarmWatch.ts';
import { Channel, type ChannelCounts, type ChannelSettings } from './channel.ts';
import { Chat } from './chat.ts';
import type { Http, Sender } from './delivery.ts';
import { JournalFollower } from './follower.ts';
import { Heartbeat, type HeartbeatOptions } from './heartbeat.ts';
import { isWatched } from './journalTexts.ts';
import { plainText, type Message } from './message.ts';
import { Outbox, type OutboxReport } from './outbox.ts';
import type { OutboxStore } from './outboxFile.ts';

/** A channel with its sender. `bot`: token and chats of a channel that accepts commands. */
export type NotifierChannel = Readonly<{
  settings: ChannelSettings;
  sender: Sender;
  bot: Readonly<{ token: string; chat: string }> | null;
}>;

export type NotifierOptions = Readonly<{
  /** Name of the run in messages, such as `live`. */
  name: string;
  channels: readonly NotifierChannel[];
  repeatMs: number;
  downAfterMs: number;
  heartbeat: Pick<HeartbeatOptions, 'url' | 'method' | 'everySeconds'> | null;
  store: OutboxStore;
  book: AlarmBook;
  reader: Pick<JournalReader, 'ofKindsAfter' | 'history' | 'tipAt' | 'close'>;
  journalLength: () => number;
  http: Http;
  telegramApi: string;
  /** Clock of the machine, whichever clock the run uses. */
  clock: Clock;
  random: Random;
  secrets: Secrets;
  /** Polling interval in ms. Default: 250. */
  lookMs?: number;
}>;

/** The run to report on. `notify` raises notices of this part, for example that a channel is down. */
export type NotifiedRun = Pick<Daemon, 'context' | 'status' | 'health' | 'command'> &
  Readonly<{ notify: Notify }>;

/** Counts for metrics. */
export type NotifierCounts = Readonly<{
  channels: readonly ChannelCounts[];
  heartbeats: Readonly<{ sent: number; failures: number }>;
  strangers: number;
}>;

/** Default polling interval in ms. */
const LOOK_MS = 250;
/** Maximum wait at the end of a run for its last messages, in ms. */
const FAREWELL_MS = 5_000;
/** Polling interval at the end of the run, in ms. */
const FAREWELL_LOOK_MS = 50;

const ALARMS = 'alarms';
/** Prefix of the causes of alarms about a channel. */
const ABOUT_CHANNEL = 'notify ';

/**
 * Reports a run to channels. While the run waits it only records events in memory; a timer turns them into messages, and each
 * channel delivers on its own.
 */
export class Notifier {
  readonly #options: NotifierOptions;
  readonly #outbox: Outbox;
  readonly #watch: AlarmWatch;
  readonly #follower: JournalFollower;
  readonly #channels: readonly Channel[];
  readonly #end = new AbortController();
  readonly #tasks: Readonly<{ run: () => Promise<void>; stop: Cancel }>[] = [];
  #running: Promise<unknown> = Promise.resolve();
  #heartbeat: Heartbeat | null = null;
  #chats: readonly Chat[] = [];
  #run: NotifiedRun | null = null;
  #hasNews = true;
  #hasFailed = false;
  #early: (() => void)[] = [];

  /**
   * Restores the state of an earlier process, and stores the current journal position, so that a kill during the start loses nothing.
   * Must be created before the run writes its first entry.
   */
  constructor(options: NotifierOptions) {
    this.#options = options;
    const { channels, store, clock, book, repeatMs } = options;
    const ids = channels.map(({ settings }) => settings.id);
    this.#outbox = new Outbox({ channels: ids, store, clock, report: (report) => this.#reportQueue(report) });
    this.#watch = new AlarmWatch({ book, repeatMs, monotonic: () => clock.monotonic() });
    this.#follower = new JournalFollower(this.#outbox, ({ kind, title, text }, { seq, at }, sum) =>
      this.#say({ id: `j${seq}-${sum.replace(/\W/g, '').slice(0, 8)}`, at, kind, title, text }),
    );
    this.#channels = channels.map((channel) => this.#channelOf(channel));
    this.#watch.restore(this.#outbox.value(ALARMS));
    const { reader, journalLength } = options;
    if (!this.#follower.begin({ reader, length: journalLength }))
      this.#raise('info', 'notifications: this is a different journal; messages begin with its next entry');
    this.#outbox.flush();
  }

  get counts(): NotifierCounts {
    return {
      channels: this.#channels.map(({ counts }) => counts),
      heartbeats: this.#heartbeat?.counts ?? { sent: 0, failures: 0 },
      strangers: this.#chats.reduce((sum, { strangers }) => sum + strangers, 0),
    };
  }

  /** Receives the events of the run. Called between its steps, so it only records them; an alarm also wakes the queue. */
  readonly take = (event: DaemonEvent): void => {
    if (event.kind === 'committed') {
      if (!this.#hasNews) this.#hasNews = event.entries.some(({ fact }) => isWatched(fact));
    } else this.#takeNotice(event.notice);
  };

  /** Starts delivery, once the run has read its journal. */
  begin(run: NotifiedRun): void {
    this.#run = run;
    for (const raise of this.#early) raise();
    this.#early = [];
    const { heartbeat, http, clock } = this.#options;
    if (heartbeat) {
      const isReady = () => run.health().ready;
      this.#tasks.push((this.#heartbeat = new Heartbeat({ ...heartbeat, http, clock, isReady })));
    }
    this.#chats = this.#chatsOf(run);
    this.#tasks.push(...this.#channels, ...this.#chats);
    this.#look();
    const tasks = [() => this.#follow(), ...this.#tasks.map((task) => () => task.run())];
    this.#running = Promise.all(tasks.map((task) => this.#kept(task)));
  }

  /** Runs a task. An error ends only this task, with an alarm: notifications must never end the run. */
  async #kept(task: () => Promise<void>): Promise<void> {
    try {
      await task();
    } catch (error) {
      this.#raise('alarm', `part of the notifications stays off until the next start: ${messageOf(error)}`);
    }
  }

  /** Waits a few seconds for the last messages; the rest remains in the queue until the next start. */
  async close(): Promise<void> {
    const { clock, reader } = this.#options;
    if (this.#run) {
      do this.#look(0);
      while (this.#hasNews && !this.#hasFailed);
      for (const channel of this.#channels) channel.hurry();
      const until = clock.monotonic() + FAREWELL_MS;
      while (this.#channels.some((channel) => channel.isDelivering) && clock.monotonic() < until)
        await clock.sleep(FAREWELL_LOOK_MS);
    }
    this.#end.abort();
    for (const task of this.#tasks) task.stop();
    await this.#running;
    this.#outbox.close();
    reader.close();
  }

  async #follow(): Promise<void> {
    while (!this.#end.signal.aborted) {
      await this.#options.clock
        .sleep(this.#options.lookMs ?? LOOK_MS, this.#end.signal)
        .catch(() => undefined);
      this.#look();
    }
  }

  /** Turns new events into messages, and stores them. Never throws. `calmMs`: see `AlarmWatch.due`. */
  #look(calmMs?: number): void {
    try {
      if (this.#hasNews && this.#run && !this.#hasFailed) this.#pump(this.#run);
      for (const message of this.#watch.due(calmMs)) this.#sayAlarm(message);
    } catch (error) {
      this.#fail(error);
    }
    this.#outbox.setValue(ALARMS, this.#watch.kept(this.#options.secrets));
    this.#outbox.flush();
  }

  #pump({ context, status }: NotifiedRun): void {
    const { reader, journalLength } = this.#options;
    this.#hasNews = !this.#follower.pump({ reader, length: journalLength, context, status });
  }

  /** Handles an unreadable journal: alarms are still reported, from their notices. */
  #fail(error: unknown): void {
    this.#hasFailed = true;
    this.#raise('alarm', `notifications lack orders and fills until the next start: ${messageOf(error)}`);
  }

  #takeNotice(notice: Notice): void {
    const message = this.#watch.take(notice);
    if (message !== null) this.#sayAlarm(message);
  }

  #sayAlarm({ about, ...message }: AlarmMessage): void {
    const channel = about?.startsWith(ABOUT_CHANNEL) === true ? about.slice(ABOUT_CHANNEL.length) : undefined;
    const id = `a-${hashHex(this.#options.random.uuid()).slice(2, 12)}`;
    this.#say({ id, kind: 'alarm', ...message, ...(channel === undefined ? {} : { about: channel }) });
  }

  #say(message: Message): void {
    const hearing = this.#channels.filter((channel) => channel.hears(message));
    if (hearing.length === 0) return;
    const text = plainText(message.text, this.#options.secrets);
    this.#outbox.add(
      { ...message, text },
      hearing.map(({ settings }) => settings.id),
    );
    for (const channel of hearing) channel.wake();
  }

  #channelOf({ settings, sender }: NotifierChannel): Channel {
    const onDown = (reason: string | null) => this.#reportChannel(settings.id, 'are not delivered', reason);
    return new Channel({
      ...this.#options,
      settings,
      sender,
      outbox: this.#outbox,
      onDown,
      onRefused: (reason) =>
        this.#raise(
          'alarm',
          `notifications by ${settings.id}: a message was refused again and again and is dropped: ${reason}`,
          `${ABOUT_CHANNEL}${settings.id}`,
        ),
    });
  }

  /** One chat per bot: a bot delivers its updates to a single reader. */
  #chatsOf(run: NotifiedRun): Chat[] {
    const byToken = new Map<string, Map<string, string>>();
    for (const { bot, settings } of this.#options.channels) {
      if (bot === null) continue;
      const chats = byToken.get(bot.token) ?? new Map<string, string>();
      byToken.set(bot.token, chats.set(bot.chat, settings.id));
    }
    return [...byToken].map(([token, chats]) => {
      const [name = ''] = chats.values();
      const onDown = (reason: string | null) => this.#reportChannel(name, 'bring no commands', reason);
      return new Chat({ ...this.#options, token, chats, run, outbox: this.#outbox, onDown });
    });
  }

  #reportChannel(id: string, what: string, reason: string | null): void {
    const about = `${ABOUT_CHANNEL}${id}`;
    if (reason === null) return this.#raise('clear', `notifications by ${id} work again`, about);
    const waiting = this.#outbox.pending(id).length;
    this.#raise(
      'alarm',
      `notifications by ${id} ${what}: ${reason}. ${waiting} messages wait; trading continues`,
      about,
    );
  }

  #reportQueue(report: OutboxReport): void {
    if ('found' in report) return this.#goBack();
    if ('setAside' in report)
      return this.#raise(
        'alarm',
        `the queue of notifications was damaged and is kept as ${report.setAside}: a new one is begun, and messages in it may be lost. Trading continues`,
      );
    const about = 'queue of notifications';
    if (report.trouble === null)
      return this.#raise('clear', 'the queue of notifications is kept again', about);
    this.#raise(
      'alarm',
      `the queue of notifications cannot be written (${report.trouble}): messages come, and those that wait are lost if the run ends now. Check whether its disk is full. Trading continues`,
      about,
    );
  }

  /** Restores an earlier process's state from a queue that was unreadable at first. */
  #goBack(): void {
    this.#watch.restore(this.#outbox.value(ALARMS));
    this.#follower.goBack(this.#options.reader);
    this.#hasNews = true;
  }

  /** Raises a notice of this part, once the run accepts notices. */
  #raise(kind: 'alarm' | 'clear' | 'info', text: string, about?: string): void {
    const of = { code: 'NOTIFICATIONS_FAIL', ...(about === undefined ? {} : { about }) } as const;
    const raise = () => this.#run?.notify(kind, text, of);
    if (this.#run) raise();
    else this.#early.push(raise);
  }
}
