import { DroverError } from '../core/errors.ts';
import type { NamedConfig } from './context.ts';
import type { Terminal } from './terminal.ts';

/** A command of this program that a text quotes, up to its closing quote. */
const QUOTED = /`drover [a-z][^`\n]*(?=`)|"drover [a-z][^"\n]*(?=")/g;
const PLAIN = /^[\w@%+=:,./-]+$/;

/** A word of a command line, quoted if a shell requires it. */
export const shellWord = (text: string): string =>
  PLAIN.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** Flags with which another command uses the config of this one, and its state folder if `--state` names it. */
export const sameFlags = ({ configFile, configLayers = [] }: NamedConfig, state?: string): string =>
  [...(configFile === undefined ? [] : [configFile]), ...configLayers]
    .map((file) => ` --config ${shellWord(file)}`)
    .join('') + (state === undefined ? '' : ` --state ${shellWord(state)}`);

/** Flags to add to quoted commands: the same for all, or depending on the command. */
type Flags = string | ((command: string) => string);

/** The text with `flags` added to each command that it quotes, unless the command names a config itself. */
export const withFlags = (text: string, flags: Flags): string =>
  text.replace(QUOTED, (command) => {
    if (command.includes(' --config ')) return command;
    return command + (typeof flags === 'string' ? flags : flags(command));
  });

/** The terminal, with `flags` added to commands quoted on stderr. Results are unchanged. */
export const advisingWith = (flags: Flags, terminal: Terminal): Terminal => ({
  ...terminal,
  err: (text) => terminal.err(withFlags(text, flags)),
});

/** One of our errors, with `flags` added in its message. */
export function failureWith(flags: Flags, thrown: unknown): unknown {
  if (thrown instanceof DroverError) thrown.message = withFlags(thrown.message, flags);
  return thrown;
}
