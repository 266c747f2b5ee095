import { newYorkMinute } from '../../calendar/index.ts';
import { toIso, type EpochMs } from '../../core/brand.ts';
import { bounded, printable } from '../../core/printable.ts';
import type { Secrets } from '../../core/secrets.ts';
import { shortAmounts } from '../../domain/shortAmounts.ts';

/** Kinds of messages that a channel can subscribe to. */
export const MESSAGE_KINDS = ['alarm', 'orderEnd', 'fill', 'stateChange', 'daySummary'] as const;
export type MessageKind = (typeof MESSAGE_KINDS)[number];

/**
 * A message for people. `id`: the same at each delivery; `at`: on the clock of the run. `about`: the channel that it is about,
 * which does not receive it.
 */
export type Message = Readonly<{
  id: string;
  at: EpochMs;
  kind: MessageKind;
  title: string;
  text: string;
  about?: string;
}>;

/** One delivery: a message, or several combined. `id`: idempotency key, from the first message and their number. */
export type Parcel = Readonly<{
  id: string;
  title: string;
  text: string;
  isAlarm: boolean;
  messages: readonly Message[];
}>;

/** Maximum length of a message, in characters. */
const TEXT_MAX = 1_500;

/** Text for people: secrets masked, amounts shortened, no control characters for a terminal. */
export const plainText = (text: string, secrets: Secrets): string =>
  bounded(printable(shortAmounts(secrets.redact(text))), TEXT_MAX);

const lineOf = ({ at, title, text }: Message): string => `${newYorkMinute(at)} ${title}: ${text}`;

/** Maximum length of a message that was refused before, in characters. */
const PLAIN_MAX = 500;

/** Number of characters reserved for the lines around the messages. */
const ROOM = 200;

/** Number of leading messages that fit into a parcel of this size in characters; at least one. */
export function fitting(messages: readonly Message[], limit: number): number {
  let left = limit - ROOM;
  const over = messages.findIndex((message) => (left -= lineOf(message).length + 1) < 0);
  return over < 0 ? messages.length : Math.max(over, 1);
}

type ParcelOptions = Readonly<{
  /** Name of the run, such as `live`. */
  run: string;
  /** Maximum length of the text, in characters. */
  limit: number;
  /** Number of earlier messages that this channel will never get. */
  dropped?: number;
  /** True after a refusal: short, and with plain characters only. */
  isPlain?: boolean;
}>;

/** A parcel made from at least one message. */
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

/** A message in the form for programs. */
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
