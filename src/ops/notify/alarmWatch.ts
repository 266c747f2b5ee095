import { orElse } from '../../core/errors.ts';
import { z } from 'zod';
import { epochMs, type EpochMs } from '../../core/brand.ts';
import type { Secrets } from '../../core/secrets.ts';
import { ALARMS, commandOf, type AlarmCode } from '../../engine/state/alarmCodes.ts';
import { alarmKey, type Alarm, type AlarmBook } from '../../engine/state/alarms.ts';
import type { Notice } from '../../engine/state/notice.ts';

/**
 * A reported alarm. `saidAt`: monotonic time in ms of its latest message; `heard`: it was acknowledged; `isRestored`: an earlier
 * process raised it.
 */
type OpenAlarm = Readonly<{ notice: Notice; saidAt: number; heard: boolean; isRestored?: boolean }>;

/** Message about an alarm, without its id. `about`: cause of the alarm. */
export type AlarmMessage = Readonly<{ at: EpochMs; title: string; text: string; about?: string }>;

const keptSchema = z.array(
  z.object({
    kind: z.enum(['alarm', 'clear']).default('alarm'),
    at: z.number(),
    strategyId: z.string().nullable(),
    text: z.string(),
    about: z.string().optional(),
    code: z
      .enum(Object.keys(ALARMS) as [AlarmCode, ...AlarmCode[]])
      .optional()
      .catch(undefined),
    symbol: z.string().optional(),
  }),
);

/** Maximum starts of a cause within an hour: beyond it, it is flapping, and reported only if it lasts or has long been over. */
const FLAPS_MAX = 3;
const FLAPS_MS = 3_600_000;
/** Time in ms that a flapping cause must be over before the all-clear. */
const CALM_MS = 600_000;
const FLAPPING = 'It keeps coming and going: no further messages until it lasts, or has been over for 10 min';
/** Maximum interval in ms between two messages about a stop that was triggered but has not sold. */
const URGENT_MS = 300_000;

/** Maximum number of tracked alarms; further ones are reported once, and not repeated. */
const OPEN_MAX = 200;

export type AlarmWatchOptions = Readonly<{
  book: AlarmBook;
  /** Time in ms after which an unacknowledged alarm is reported again. */
  repeatMs: number;
  monotonic: () => number;
}>;

/**
 * Decides which alarms are reported: each new one, unacknowledged ones repeatedly, and the all-clear of each. A recurrence in
 * between is counted, not reported.
 */
export class AlarmWatch {
  readonly #options: AlarmWatchOptions;
  readonly #open = new Map<string, OpenAlarm>();
  /** Monotonic times in the last hour at which each cause began. */
  readonly #begun = new Map<string, number[]>();
  /** All-clears of flapping causes, with the time since when they hold: reported once they last. */
  readonly #calm = new Map<string, Readonly<{ notice: Notice; since: number }>>();

  constructor(options: AlarmWatchOptions) {
    this.#options = options;
  }

  /** Processes a notice that the alarm book has already processed. Returns the message, or null. */
  take(notice: Notice): AlarmMessage | null {
    if (notice.kind === 'alarm') return this.#raise(notice);
    if (notice.kind !== 'clear' || notice.about === undefined || !this.#open.delete(notice.about))
      return null;
    const since = this.#options.monotonic();
    if (this.#flapsOf(notice.about, since) >= FLAPS_MAX) {
      this.#calm.set(notice.about, { notice, since });
      return null;
    }
    return messageOf('All clear', notice);
  }

  /** Messages that are due: unacknowledged alarms, and all-clears that have held for this many ms. */
  due(calmMs = CALM_MS): AlarmMessage[] {
    const { book, monotonic, repeatMs } = this.#options;
    const now = monotonic();
    const calm = [...this.#calm].filter(([, { since }]) => now - since >= calmMs);
    for (const [key] of calm) this.#calm.delete(key);
    const clears = calm.map(([, { notice }]) => messageOf('All clear', notice));
    const repeated = [...this.#open].flatMap(([key, alarm]) => {
      const { notice, saidAt, heard, isRestored = false } = alarm;
      const known = book.of(key);
      if (known === undefined) {
        this.#open.delete(key);
        return [];
      }
      if (known.acknowledged !== heard) this.#open.set(key, { ...alarm, heard: known.acknowledged });
      if (known.acknowledged || now - saidAt < pauseOf(known, repeatMs)) return [];
      this.#open.set(key, { ...alarm, saidAt: now, heard: false });
      return [repetitionOf(notice, known, isRestored && known.count === 1)];
    });
    return [...clears, ...repeated];
  }

  /**
   * Unacknowledged open alarms, and all-clears still to be reported, as text for storage, without secrets that a response may
   * have quoted.
   */
  kept(secrets: Secrets): string {
    const open = [...this.#open.values()].filter(({ heard }) => !heard);
    return JSON.stringify(
      [...open, ...this.#calm.values()].map(
        ({ notice: { kind, at, strategyId, text, about, code, symbol } }) => ({
          kind,
          at,
          strategyId,
          text: secrets.redact(text),
          about,
          code,
          symbol,
        }),
      ),
    );
  }

  /** Restores the state of an earlier process: alarms stay until acknowledged or their cause ends. */
  restore(text: string | null): void {
    const { book, monotonic } = this.#options;
    for (const { about, at, code, symbol, ...rest } of parsed(text)) {
      const notice: Notice = {
        ...rest,
        at: epochMs(at),
        ...(about === undefined ? {} : { about }),
        ...(code === undefined ? {} : { code }),
        ...(symbol === undefined ? {} : { symbol }),
      };
      if (notice.kind === 'clear') this.#calm.set(alarmKey(notice), { notice, since: monotonic() });
      if (notice.kind === 'clear' || this.#open.has(alarmKey(notice))) continue;
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
    const isQuiet = this.#calm.delete(key);
    if (known === undefined) this.#begun.set(key, [...this.#timesOf(key, now), now]);
    const flaps = this.#flapsOf(key, now);
    if (known !== undefined || this.#open.size < OPEN_MAX)
      this.#open.set(key, { notice, saidAt: now, heard: false });
    if (isQuiet && flaps > FLAPS_MAX) return null;
    const id = this.#options.book.of(key)?.id;
    const flapping = flaps < FLAPS_MAX ? '' : `\n${FLAPPING}`;
    const how = id === undefined ? '' : `\nTo acknowledge: drover ack ${id}`;
    return messageOf('ALARM', { ...notice, text: `${notice.text}${helpOf(notice)}${flapping}${how}` });
  }

  #timesOf(key: string, now: number): number[] {
    return (this.#begun.get(key) ?? []).filter((at) => now - at < FLAPS_MS);
  }

  #flapsOf = (key: string, now: number): number => this.#timesOf(key, now).length;
}

/** Line with the command that helps, unless the text already names one. */
function helpOf({ code, symbol, strategyId, text }: Notice): string {
  const command = code === undefined ? null : commandOf(code, symbol ?? null, strategyId);
  return command === null || text.includes('drover ') ? '' : `\nWhat helps: ${command}`;
}

/** Time in ms until an alarm is repeated: a stop that has not sold is the most urgent. */
const pauseOf = ({ code }: Pick<Alarm, 'code'>, repeatMs: number): number =>
  code === 'EXIT_NOT_SOLD' ? Math.min(URGENT_MS, repeatMs) : repeatMs;

/** `isOld`: an earlier process raised it, and this one has not. */
function repetitionOf(
  notice: Notice,
  { id, count }: Pick<Alarm, 'id' | 'count'>,
  isOld: boolean,
): AlarmMessage {
  const times = count > 1 ? `, raised ${count} times` : '';
  const open = `Not acknowledged${times}: drover ack ${id}`;
  const since = 'It dates from before the restart and was not raised since: its cause may have ended.';
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

const parsed = (text: string | null): z.output<typeof keptSchema> =>
  orElse(() => keptSchema.parse(JSON.parse(text ?? '')), []);
