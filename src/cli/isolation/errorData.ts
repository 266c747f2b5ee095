import { uncaughtText } from '../rejection.ts';
import type { ErrorData } from './messages.ts';

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
