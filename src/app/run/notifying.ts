import { join } from 'node:path';
import { MINUTE_MS, toIso } from '../../core/brand.ts';
import { systemClock } from '../../core/clock.ts';
import type { DroverError } from '../../core/errors.ts';
import { systemRandom } from '../../core/random.ts';
import type { Journal } from '../../domain/journalEvent.ts';
import type { AlarmBook } from '../../engine/state/alarms.ts';
import type { NotifiedRun, NotifierCounts, NotifierOptions } from '../../ops/notify/notifier.ts';
import type { LoadedConfig } from '../config/load.ts';
import type { CommandContext } from '../../process/context.ts';
import { journalFile } from '../environment/ownership.ts';
import type { DaemonEvents } from './daemon.ts';
import { isRestart } from './startChecks.ts';

/** File with the queued messages, in the state folder. */
const QUEUE_FILE = 'notify.sqlite';

/** Opened channels of a config, and how messages are sent; null if the config has neither channels nor a heartbeat. */
export type OpenNotify = Readonly<
  Pick<NotifierOptions, 'channels' | 'heartbeat' | 'http'> & {
    /** Alarm texts of a later start: channels, or the heartbeat, without an address. */
    lacking: readonly string[];
    close: () => Promise<void>;
  }
> | null;

/** Reports of a run. `begin` is called once it has read its journal. */
export type RunReports = Readonly<{ begin: (run: NotifiedRun) => void; counts: () => NotifierCounts | null }>;

/**
 * Opens the channels of a config. Call it before anything starts. A later start continues without those that have no address.
 * @throws {ConfigError} when an address is missing or malformed, at the first start of a state folder
 */
export async function openNotify(loaded: LoadedConfig, context: CommandContext): Promise<OpenNotify> {
  const { notify } = loaded.config;
  if (notify.channels.length === 0 && !notify.heartbeat) return null;
  const { openHttp } = await import('../../ops/notify/http.ts');
  const { channelsOf, heartbeatOf } = await import('../environment/notify.ts');
  const { http, close } = openHttp();
  const lacking: string[] = [];
  const onLack = (error: DroverError) =>
    lacking.push(
      `${error.message}. The run continues, and sends no messages this way. Set it, and restart the run`,
    );
  const source = { config: notify, http, context, onLack: isRestart(loaded) ? onLack : undefined };
  return { channels: channelsOf(source), heartbeat: heartbeatOf(source), http, lacking, close };
}

export type NotifyParts = Readonly<{
  notify: OpenNotify;
  loaded: LoadedConfig;
  context: CommandContext;
  /** Absolute path. */
  stateDir: string;
  journal: Pick<Journal, 'length'>;
  alarms: AlarmBook;
  events: DaemonEvents;
}>;

/** Reports events during `work` to the channels. Call it before the run writes its first entry. */
export async function withReports<T>(
  parts: NotifyParts,
  work: (reports: RunReports) => Promise<T>,
): Promise<T> {
  const { notify, events } = parts;
  if (notify === null) return work({ begin: () => undefined, counts: () => null });
  const notifier = await notifierOf(parts, notify);
  const unsubscribe = events.subscribe(notifier.take);
  try {
    return await work({ begin: (run) => notifier.begin(run), counts: () => notifier.counts });
  } finally {
    await notifier.close();
    unsubscribe();
    await notify.close();
  }
}

async function notifierOf(
  { loaded: { config }, context, stateDir, journal, alarms }: NotifyParts,
  { channels, heartbeat, http }: NonNullable<OpenNotify>,
) {
  const { Notifier } = await import('../../ops/notify/notifier.ts');
  const { openOutboxFile } = await import('../../ops/notify/outboxFile.ts');
  const { readJournal } = await import('../../store/readJournal.ts');
  const { name = config.mode, repeatMinutes, downMinutes, telegramApi } = config.notify;
  return new Notifier({
    name,
    channels,
    heartbeat,
    http,
    telegramApi,
    repeatMs: repeatMinutes * MINUTE_MS,
    downAfterMs: downMinutes * MINUTE_MS,
    store: openOutboxFile(join(stateDir, QUEUE_FILE), () => toIso(systemClock.now())),
    book: alarms,
    reader: readJournal(journalFile(stateDir)),
    journalLength: () => journal.length(),
    clock: systemClock,
    random: systemRandom,
    secrets: context.secrets,
  });
}
