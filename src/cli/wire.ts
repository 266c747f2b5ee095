import { InvalidArgumentError, type Command } from 'commander';
import type { CommandContext } from './context.ts';

/** Does the work of a command and gives its exit code. */
export type Handler<Options> = (options: Options, context: CommandContext) => Promise<number>;

/** Gives a command its handler, which is loaded only when the command is called. */
export type Wire = <Options>(command: Command, load: () => Promise<Handler<Options>>) => void;

/** `60` as a number, any other text as it is: what takes it says what is right. */
export const numberOrText = (text: string): number | string =>
  /^-?\d{1,15}(\.\d{1,15})?$/.test(text) ? Number(text) : text;

export function wholeNumber(text: string): number {
  if (/^\d{1,10}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number.');
}

const PORT_MAX = 65_535;

export function portNumber(text: string): number {
  const port = wholeNumber(text);
  if (port <= PORT_MAX) return port;
  throw new InvalidArgumentError(`It must be a port from 0 to ${PORT_MAX}.`);
}

export function saidText(text: string): string {
  if (text.trim() !== '') return text;
  throw new InvalidArgumentError('Say why: the journal keeps it.');
}

export const collect = (text: string, before: readonly string[] = []): readonly string[] => [...before, text];
