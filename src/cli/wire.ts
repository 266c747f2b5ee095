import { InvalidArgumentError, type Command } from 'commander';
import type { CommandContext } from '../process/context.ts';

/** Runs a command and returns its exit code. */
type Handler<Options> = (options: Options, context: CommandContext) => Promise<number> | number;

/** Attaches a command's handler, which is loaded only when the command is called. */
export type Wire = <Options>(command: Command, load: () => Promise<Handler<Options>>) => void;

/** `60` as a number, any other text unchanged: the schema decides what is valid. */
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

export function reasonText(text: string): string {
  if (text.trim() !== '') return text;
  throw new InvalidArgumentError('Give a reason: the journal keeps it.');
}

export const collect = (text: string, before: readonly string[] = []): readonly string[] => [...before, text];

/** Folder of the run whose daemon or journal is used. */
export const STATE = ['--state <dir>', 'state folder of the run, overriding the config'] as const;
/** Folder with lock and kill file of a run started with `--state`. */
export const KILL_STATE = [
  '--state <dir>',
  'state folder whose lock and kill file apply, overriding the config',
] as const;

/** A command line, without the program's name, and its meaning. */
type Example = readonly [line: string, meaning: string];

const EXAMPLES = new WeakMap<Command, readonly Example[]>();

export const examplesOf = (command: Command): readonly Example[] => EXAMPLES.get(command) ?? [];

/** Column where the meanings start, if the lines are short enough. */
const COLUMN = 48;

/** Adds examples to the end of a command's help. */
export function withExamples(command: Command, ...examples: readonly Example[]): void {
  const lines = examples.map(([line, meaning]) => `    ${`drover ${line}`.padEnd(COLUMN)}  # ${meaning}`);
  command.addHelpText('after', `\n${['Examples:', ...lines].join('\n')}`);
  EXAMPLES.set(command, examples);
}

/** Adds the flags of every command that sends an order or a transfer. */
export const withSendFlags = (command: Command): Command =>
  command
    .option('--yes', 'do it without asking')
    .option('--no-wait', 'return once it is sent, without waiting for the outcome')
    .option('--reason <text>', 'reason, kept in the journal of a running daemon', reasonText)
    .option(...KILL_STATE);
