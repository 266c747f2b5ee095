import { DroverError } from '../core/errors.ts';
import type { Terminal } from './context.ts';

/** A command of this program that a text quotes, up to its closing quote. */
const QUOTED = /`drover [a-z][^`\n]*(?=`)|"drover [a-z][^"\n]*(?=")/g;
const PLAIN = /^[\w@%+=:,./-]+$/;

/** A word of a command line, in quotes where a shell needs them. */
export const shellWord = (text: string): string =>
  PLAIN.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** What another command must be given to work on the account of this one, and on its state folder where `--state` names it. */
export const sameFlags = (configFile: string | undefined, state?: string): string =>
  (configFile === undefined ? '' : ` --config ${shellWord(configFile)}`) +
  (state === undefined ? '' : ` --state ${shellWord(state)}`);

/** The text with `flags` at the end of each command that it tells people to run, where that names no config itself. */
export const withFlags = (text: string, flags: string): string =>
  text.replace(QUOTED, (command) => (command.includes(' --config ') ? command : command + flags));

/** The terminal, with `flags` in what is told on stderr. Results stay as they are. */
export const advisingWith = (flags: string, terminal: Terminal): Terminal => ({
  ...terminal,
  err: (text) => terminal.err(withFlags(text, flags)),
});

/** An error of ours, with `flags` in what it says. */
export function failureWith(flags: string, thrown: unknown): unknown {
  if (thrown instanceof DroverError) thrown.message = withFlags(thrown.message, flags);
  return thrown;
}
