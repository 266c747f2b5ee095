import { DroverError } from '../core/errors.ts';
import type { NamedConfig } from './context.ts';
import type { Terminal } from './terminal.ts';

/** A command of this program that a text quotes, up to its closing quote. */
const QUOTED = /`drover [a-z][^`\n]*(?=`)|"drover [a-z][^"\n]*(?=")/g;
const PLAIN = /^[\w@%+=:,./-]+$/;

/** A word of a command line, in quotes where a shell needs them. */
export const shellWord = (text: string): string =>
  PLAIN.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** Flags by which another command uses the config of this one, and its state folder where `--state` names it. */
export const sameFlags = ({ configFile, configLayers = [] }: NamedConfig, state?: string): string =>
  [...(configFile === undefined ? [] : [configFile]), ...configLayers]
    .map((file) => ` --config ${shellWord(file)}`)
    .join('') + (state === undefined ? '' : ` --state ${shellWord(state)}`);

/** Flags for a command that a text quotes: the same for each, or by the command itself. */
type Flags = string | ((command: string) => string);

/** The text with `flags` at the end of each command that it quotes, where that names no config itself. */
export const withFlags = (text: string, flags: Flags): string =>
  text.replace(QUOTED, (command) => {
    if (command.includes(' --config ')) return command;
    return command + (typeof flags === 'string' ? flags : flags(command));
  });

/** The terminal, with `flags` in the commands that stderr quotes. Results stay as they are. */
export const advisingWith = (flags: Flags, terminal: Terminal): Terminal => ({
  ...terminal,
  err: (text) => terminal.err(withFlags(text, flags)),
});

/** An error of ours, with `flags` in its message. */
export function failureWith(flags: Flags, thrown: unknown): unknown {
  if (thrown instanceof DroverError) thrown.message = withFlags(thrown.message, flags);
  return thrown;
}
