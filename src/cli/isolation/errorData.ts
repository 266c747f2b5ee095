import { messageOf } from '../../core/errors.ts';
import type { ErrorData } from './messages.ts';

/** Node's words for the rejection of a promise that nobody waits for, by something that is no Error. */
const REASON = /The promise rejected with the reason (.*)\.$/s;

/** The text of an error that nobody caught; in plain words where a promise was rejected by something that is no Error. */
export function uncaughtText(thrown: unknown): string {
  const text = messageOf(thrown);
  if (!isRejection(thrown)) return text;
  const [, reason = text] = REASON.exec(text) ?? [];
  return `a promise that nobody waits for was rejected with ${reason}, which tells no line: reject with an Error`;
}

/** True for Node's own error about such a rejection. */
export const isRejection = (thrown: unknown): boolean =>
  thrown instanceof Error && 'code' in thrown && thrown.code === 'ERR_UNHANDLED_REJECTION';

/** Most characters of an error's name, message and stack that leave the thread. */
export const NAME_MAX = 100;
export const MESSAGE_MAX = 10_000;
export const STACK_MAX = 20_000;

/** Whatever the types say, the fields of an error may be anything. */
const textOf = (value: unknown, longest: number): string =>
  typeof value === 'string' ? value.slice(0, longest) : '';

/** Turns any thrown value into data. Never throws itself. */
export function errorData(thrown: unknown): ErrorData {
  try {
    const isError = thrown instanceof Error;
    return {
      name: isError ? textOf(thrown.name, NAME_MAX) : null,
      message: textOf(uncaughtText(thrown), MESSAGE_MAX),
      stack: isError ? textOf(thrown.stack, STACK_MAX) : '',
    };
  } catch {
    return { name: null, message: 'something that cannot be read', stack: '' };
  }
}

/** Makes the error again, with its stack for its place in the source. A value that was no error comes back as its text. */
export function errorFrom({ name, message, stack }: ErrorData): unknown {
  if (name === null) return message;
  const error = new Error(message);
  error.name = name;
  error.stack = stack;
  return error;
}
