import { newYorkMinute } from '../../calendar/index.ts';
import { toIso, type EpochMs } from '../../core/brand.ts';
import { bounded, printable } from '../../core/printable.ts';
import type { Secrets } from '../../core/secrets.ts';
import { shortAmounts } from '../../domain/shortAmounts.ts';

/** Kinds of messages, from which a channel selects. */
export const MESSAGE_KINDS = ['alarm', 'orderEnd', 'fill', 'stateChange', 'daySummary'] as const;
export type MessageKind = (typeof MESSAGE_KINDS)[number];

/**
 * A message for people. `id`: the same however often it is delivered; `at`: on the clock of the run. `about`: the channel that it
 * reports on, which does not get it.
 */
export type Message = Readonly<{
  id: string;
  at: EpochMs;
  kind: MessageKind;
  title: string;
  text: string;
  about?: string;
}>;

/** One delivery: a message, or several in one. `id`: idempotency key, of the first message and their number. */
export type Parcel = Readonly<{
  id: string;
  title: string;
  text: string;
  isAlarm: boolean;
  messages: readonly Message[];
}>;

/** Longest text of a message, in characters. */
const TEXT_MAX = 1_500;

/** Text for people: secrets masked, amounts short, nothing that a terminal acts upon. */
export const plainText = (text: string, secrets: Secrets): string =>
  bounded(printable(shortAmounts(secrets.redact(text))), TEXT_MAX);

const lineOf = ({ at, title, text }: Message): string => `${newYorkMinute(at)} ${title}: ${text}`;

/** Longest text of a message that was refused before, in characters. */
const PLAIN_MAX = 500;

/** Characters that the lines around the messages may need. */
const ROOM = 200;

/** Number of the first messages that fit into one parcel of so many characters; at least one. */
export function fitting(messages: readonly Message[], limit: number): number {
  let left = limit - ROOM;
  const over = messages.findIndex((message) => (left -= lineOf(message).length + 1) < 0);
  return over < 0 ? messages.length : Math.max(over, 1);
}

type ParcelOptions = Readonly<{
  /** Name of the run, such as `live`. */
  run: string;
  /** Longest text, in characters. */
  limit: number;
  /** Number of earlier messages that this channel never gets. */
  dropped?: number;
  /** True for one that was refused: short, and of plain characters alone. */
  isPlain?: boolean;
}>;

/** The parcel of some messages, which must be at least one. */
export function parcelOf(
  messages: readonly Message[],
  { run, limit: most, dropped = 0, isPlain = false }: ParcelOptions,
): Parcel {
  const limit = isPlain ? Math.min(most, PLAIN_MAX) : most;
  const [first] = messages;
  const isSingle = messages.length === 1 && first !== undefined;
  const isAlarm = messages.some(({ kind }) => kind === 'alarm');
  const title = isSingle ? `${first.title} (drover ${run})` : `${messages.length} messages (drover ${run})`;
  const id = isSingle ? first.id : `${first?.id ?? ''}+${messages.length - 1}`;
  const lines = [
    ...(isSingle ? [first.text, `${newYorkMinute(first.at)} in New York`] : messages.map(lineOf)),
    ...(dropped === 0 ? [] : [`${dropped} earlier messages were dropped: the queue was full`]),
    `message ${id}`,
  ];
  const text = cut(lines.join('\n'), limit - title.length - 1);
  return isPlain
    ? { id, title: plain(title), text: plain(text), isAlarm, messages }
    : { id, title, text, isAlarm, messages };
}

const plain = (text: string): string => text.replace(/[^\n\x20-\x7e]|[<>&*_`[\]]/g, ' ');

const cut = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1)}…`;

/** A message as programs get it. */
export const recordOfMessage = ({
  id,
  at,
  kind,
  title,
  text,
}: Message): Readonly<Record<string, string>> => ({
  id,
  at: toIso(at),
  kind,
  title,
  text,
});
