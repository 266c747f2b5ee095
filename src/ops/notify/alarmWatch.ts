import { z } from 'zod';
import { epochMs, type EpochMs } from '../../core/brand.ts';
import { alarmKey, type Alarm, type AlarmBook } from '../../engine/state/alarms.ts';
import type { Notice } from '../../engine/state/notice.ts';

/**
 * An alarm that was reported. `saidAt`: monotonic time in ms of its latest message; `heard`: it was acknowledged; `isRestored`: an
 * earlier process has raised it.
 */
type OpenAlarm = Readonly<{ notice: Notice; saidAt: number; heard: boolean; isRestored?: boolean }>;

/** Message about an alarm, without its id. `about`: cause of the alarm. */
export type AlarmMessage = Readonly<{ at: EpochMs; title: string; text: string; about?: string }>;

const keptSchema = z.array(
  z.object({
    at: z.number(),
    strategyId: z.string().nullable(),
    text: z.string(),
    about: z.string().optional(),
  }),
);

/** Most alarms that are followed; further ones are reported once, and not repeated. */
const OPEN_MAX = 200;

export type AlarmWatchOptions = Readonly<{
  book: AlarmBook;
  /** Time in ms after which an alarm that nobody has acknowledged is reported again. */
  repeatMs: number;
  monotonic: () => number;
}>;

/**
 * Decides which alarms are reported: each new one, those that nobody acknowledges again and again, and the all-clear of each. An
 * alarm that comes again meanwhile is counted, not reported.
 */
export class AlarmWatch {
  readonly #options: AlarmWatchOptions;
  readonly #open = new Map<string, OpenAlarm>();

  constructor(options: AlarmWatchOptions) {
    this.#options = options;
  }

  /** Takes a notice after the book of alarms has taken it. Returns the message, or null. */
  take(notice: Notice): AlarmMessage | null {
    if (notice.kind === 'alarm') return this.#raise(notice);
    if (notice.kind !== 'clear' || notice.about === undefined || !this.#open.delete(notice.about))
      return null;
    return messageOf('All clear', notice);
  }

  /** Messages that are due: alarms that nobody has acknowledged. */
  due(): AlarmMessage[] {
    const { book, monotonic, repeatMs } = this.#options;
    const now = monotonic();
    return [...this.#open].flatMap(([key, alarm]) => {
      const { notice, saidAt, heard, isRestored = false } = alarm;
      const known = book.of(key);
      if (known === undefined) {
        this.#open.delete(key);
        return [];
      }
      if (known.acknowledged !== heard) this.#open.set(key, { ...alarm, heard: known.acknowledged });
      if (known.acknowledged || now - saidAt < repeatMs) return [];
      this.#open.set(key, { ...alarm, saidAt: now, heard: false });
      return [repetitionOf(notice, known, isRestored && known.count === 1)];
    });
  }

  /** The open alarms that nobody has acknowledged, as a text to keep. */
  kept(): string {
    const open = [...this.#open.values()].filter(({ heard }) => !heard);
    return JSON.stringify(
      open.map(({ notice: { at, strategyId, text, about } }) => ({ at, strategyId, text, about })),
    );
  }

  /** Takes up the alarms of an earlier process, which stay until they are acknowledged or their cause ends. */
  restore(text: string | null): void {
    const { book, monotonic } = this.#options;
    for (const { about, at, ...rest } of parsed(text)) {
      const notice: Notice = {
        ...rest,
        at: epochMs(at),
        kind: 'alarm',
        ...(about === undefined ? {} : { about }),
      };
      if (this.#open.has(alarmKey(notice))) continue;
      book.take(notice);
      this.#open.set(alarmKey(notice), { notice, saidAt: monotonic(), heard: false, isRestored: true });
    }
  }

  #raise(notice: Notice): AlarmMessage | null {
    const now = this.#options.monotonic();
    const key = alarmKey(notice);
    const known = this.#open.get(key);
    const isRecent = known !== undefined && !known.heard && now - known.saidAt < this.#options.repeatMs;
    if (isRecent) return null;
    if (known !== undefined || this.#open.size < OPEN_MAX)
      this.#open.set(key, { notice, saidAt: now, heard: false });
    const id = this.#options.book.of(key)?.id;
    const how = id === undefined ? '' : `\nTo acknowledge: drover ack ${id}`;
    return messageOf('ALARM', { ...notice, text: `${notice.text}${how}` });
  }
}

/** `isOld`: an earlier process has raised it, and this one has not. */
function repetitionOf(
  notice: Notice,
  { id, count }: Pick<Alarm, 'id' | 'count'>,
  isOld: boolean,
): AlarmMessage {
  const times = count > 1 ? `, raised ${count} times` : '';
  const open = `Nobody has acknowledged it${times}: drover ack ${id}`;
  const since = 'It is from before the restart and was not raised since: its cause may have ended.';
  const [title, lines] = isOld
    ? ['ALARM before the restart, still open', [notice.text, since, open]]
    : ['ALARM, still open', [notice.text, open]];
  return messageOf(title, { ...notice, text: lines.join('\n') });
}

const messageOf = (title: string, { at, strategyId, text, about }: Notice): AlarmMessage => ({
  at,
  title,
  text: strategyId === null ? text : `${strategyId}: ${text}`,
  ...(about === undefined ? {} : { about }),
});

function parsed(text: string | null): z.output<typeof keptSchema> {
  if (text === null) return [];
  try {
    return keptSchema.safeParse(JSON.parse(text)).data ?? [];
  } catch {
    return [];
  }
}
