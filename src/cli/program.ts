import { CommanderError, type Command } from 'commander';
import { ConfigError } from '../core/errors.ts';
import { buildProgram } from './commandLine.ts';
import type { Process } from './context.ts';
import { EXIT, exitCodeOf } from './exitCodes.ts';
import { tellFailure } from './failure.ts';

/** Runs one command line, given without the program's own name. Never throws; gives the exit code. */
export async function runCli(argv: readonly string[], given: Process): Promise<number> {
  const flags = { json: argv.includes('--json'), verbose: argv.includes('--verbose') };
  const style = { secrets: given.secrets, ...flags };
  try {
    let exitCode: number = EXIT.done;
    const program = buildProgram(given, (code) => (exitCode = code));
    try {
      await program.parseAsync(argv, { from: 'user' });
    } catch (error) {
      throw isUsage(error) ? usageError(error, commandIn(program, argv)) : error;
    }
    return exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError)) {
      tellFailure(error, given.terminal, style);
      return exitCodeOf(error);
    }
    if (error.exitCode === 0) return EXIT.done;
    return EXIT.usage;
  }
}

/** A help that was shown needs no message, whether it was asked for or not. */
const isUsage = (error: unknown): error is CommanderError =>
  error instanceof CommanderError && error.exitCode !== 0 && error.code !== 'commander.help';

/** The command that the line names, as far as it is known, such as `data import`; `drover` where it names none. */
function commandIn(program: Command, [word, ...rest]: readonly string[]): string {
  const command = program.commands.find((each) => each.name() === word);
  return command ? `${program.name()} ${commandIn(command, rest)}` : program.name();
}

const usageError = ({ message }: CommanderError, command: string): ConfigError =>
  new ConfigError(
    `${message
      .replace(/^error: /, '')
      .replace('\n', ' ')
      .replace(/\.$/, '')}. \`${command} --help\` lists what there is`,
  );
