import { Command, CommanderError } from 'commander';
import { VERSION } from '../core/version.ts';
import type { NamedConfig, Process } from '../process/context.ts';
import { addBacktest } from './commands/backtest/commands.ts';
import { addConfig } from './commands/config/commands.ts';
import { addDaemon } from './commands/daemon/commands.ts';
import { addData } from './commands/data/commands.ts';
import { addInit } from './commands/init/commands.ts';
import { addJournal } from './commands/journal/commands.ts';
import { addKeys } from './commands/keys/commands.ts';
import { addSearch } from './commands/lab/commands.ts';
import { addMoney } from './commands/money/commands.ts';
import { addNotify } from './commands/notify/commands.ts';
import { addOrders } from './commands/orders/commands.ts';
import { addRunners } from './commands/run/commands.ts';
import { addCompletion } from './commands/shell/commands.ts';
import { addState } from './commands/state/commands.ts';
import { addTransfers } from './commands/transfers/commands.ts';
import { addApi, addBalance, addDoctor, addOneClick, addReference } from './commands/venue/commands.ts';
import { addWallet } from './commands/wallet/commands.ts';
import { advisingWith, failureWith, sameFlags } from '../process/quotedCommand.ts';
import { collect, withExamples, type Wire } from './wire.ts';
import { ConfigError } from '../core/errors.ts';
import { EXIT, exitCodeOf, reportFailure } from '../process/exitCodes.ts';

type GlobalOptions = Readonly<{ json?: boolean; verbose?: boolean; config?: readonly string[] }>;

/** Commands by help group, in order. */
const GROUPS: Readonly<Record<string, readonly ((program: Command, wire: Wire) => void)[]>> = {
  'Begin and run:': [addInit, addRunners, addDoctor],
  'Watch and steer a run:': [addDaemon, addNotify],
  'Backtest and search:': [addBacktest, addSearch, addData],
  'Account, orders and transfers by hand:': [
    addBalance,
    addOrders,
    addTransfers,
    addOneClick,
    addWallet,
    addApi,
  ],
  'Books of a run:': [addMoney, addJournal, addState],
  'Config, keys and reference:': [addConfig, addKeys, addReference, addCompletion],
};

/** The commands and their flags. `done` receives the exit code of the command that ran. */
export function buildProgram(given: Process, done: (exitCode: number) => void): Command {
  const program = new Command('drover')
    .description('Run trading strategies on a tokenized-stock venue, real or emulated.')
    .version(VERSION, '--version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .option(
      '--config <file>',
      'config file; repeatable, later ones win (default: config/emulator.yaml)',
      collect,
    )
    .option('--json', 'results as JSON on stdout, everything else on stderr')
    .option('--verbose', 'stack traces with errors')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => given.terminal.out(text.trimEnd()),
      writeErr: (text) => given.terminal.err(text.trimEnd()),
      outputError: () => undefined,
    })
    .exitOverride();
  const wire = wireOf(given, done);
  for (const [title, adders] of Object.entries(GROUPS)) {
    program.commandsGroup(title);
    for (const add of adders) add(program, wire);
  }
  withExamples(
    program,
    ['init my-bot', 'make a folder with a strategy, a test and configs'],
    ['run --speed max', 'trade one day on the bundled emulator'],
    ['backtest --strategy sma-cross --bars AAPL', 'run a strategy over stored bars'],
    ['status', 'show the run of this user'],
  );
  return program.helpCommand(true);
}

/** Connects commands to their handlers: each gets its options, arguments and context; its exit code goes to `done`. */
const wireOf =
  (given: Process, done: (exitCode: number) => void): Wire =>
  (command, load) =>
    command.action(async () => {
      const handler = await load();
      const { json = false, verbose = false, config = [] } = command.optsWithGlobals<GlobalOptions>();
      const options = { ...command.opts(), ...argumentsOf(command) } as Parameters<typeof handler>[0];
      const named = argumentsOf(command)['config'];
      const [configFile, ...configLayers] = [...(typeof named === 'string' ? [named] : []), ...config];
      const files = configFile === undefined ? {} : { configFile, configLayers };
      const flags = flagsBeside(command, files);
      const terminal = advisingWith(flags, given.terminal);
      const context = {
        ...given,
        terminal,
        json,
        verbose,
        commandName: nameOf(command),
        ...files,
      };
      try {
        done(await handler(options, context));
      } catch (error) {
        throw failureWith(flags, error);
      }
    });

/** Flags to add to a command that a text quotes: the config, and the state folder if the quoted command accepts one. */
function flagsBeside(command: Command, files: NamedConfig): (quoted: string) => string {
  const { state } = command.opts<{ state?: string }>();
  return (quoted) => {
    const [, ...words] = quoted.split(' ');
    const isNeeded = !words.includes('--state') && takesState(rootOf(command), words);
    return sameFlags(files, isNeeded ? state : undefined);
  };
}

const rootOf = (command: Command): Command => (command.parent ? rootOf(command.parent) : command);

/** True if the named command has a `--state` flag for a run: `emulator` and `restore` use another folder. */
function takesState(command: Command, [word, ...rest]: readonly string[]): boolean {
  const named = command.commands.find(
    (each) => word !== undefined && [each.name(), ...each.aliases()].includes(word),
  );
  if (named) return takesState(named, rest);
  const isOwn = ['emulator', 'restore'].includes(command.name());
  return !isOwn && command.options.some(({ long }) => long === '--state');
}

/** Words of a command, without the program's name. */
const nameOf = (command: Command): string =>
  command.parent?.parent ? `${nameOf(command.parent)} ${command.name()}` : command.name();

type Arguments = Readonly<Record<string, string | readonly string[] | undefined>>;

const argumentsOf = ({ registeredArguments, args }: Command): Arguments =>
  Object.fromEntries(
    registeredArguments.map((argument, index) => [
      argument.name(),
      argument.variadic ? args.slice(index) : args[index],
    ]),
  );

/** Runs one command line, given without the program's name. Never throws; returns the exit code. */
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
      reportFailure(error, given.terminal, style);
      return exitCodeOf(error);
    }
    if (error.exitCode === 0) return EXIT.done;
    return EXIT.usage;
  }
}

/** True for a usage error that needs a message; help that was shown needs none. */
const isUsage = (error: unknown): error is CommanderError =>
  error instanceof CommanderError && error.exitCode !== 0 && error.code !== 'commander.help';

/** The command that a line names, as far as it is recognised, such as `drover data import`. */
function commandIn(program: Command, [word, ...rest]: readonly string[]): string {
  const command = program.commands.find((each) => [each.name(), ...each.aliases()].includes(word ?? ''));
  return command ? `${program.name()} ${commandIn(command, rest)}` : program.name();
}

const usageError = ({ message }: CommanderError, command: string): ConfigError =>
  new ConfigError(
    `${message
      .replace(/^error: /, '')
      .replace('\n', ' ')
      .replace(/\.$/, '')}. \`${command} --help\` lists commands and flags`,
  );
