import { CommanderError } from 'commander';
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
    await buildProgram(given, (code) => (exitCode = code)).parseAsync(argv, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError)) {
      tellFailure(error, given.terminal, style);
      return exitCodeOf(error);
    }
    if (error.exitCode === 0) return EXIT.done;
    if (error.code !== 'commander.help') tellFailure(usageError(error), given.terminal, style);
    return EXIT.usage;
  }
}

const usageError = ({ message }: CommanderError): ConfigError =>
  new ConfigError(
    `${message
      .replace(/^error: /, '')
      .replace('\n', ' ')
      .replace(/\.$/, '')}. \`drover --help\` lists what there is`,
  );
