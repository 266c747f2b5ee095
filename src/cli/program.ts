import { Command, CommanderError } from 'commander';
import { VERSION } from '../core/version.ts';
import type { Process } from './context.ts';
import { addBacktest, addCompare, addLookaheadCheck, addReport } from './commands/backtest/commands.ts';
import { addData } from './commands/data/commands.ts';
import { addJournal } from './commands/journal/commands.ts';
import { addKeys } from './commands/keys/commands.ts';
import { addMoney, addOrderCommands, KILL_STATE } from './commands/transfers/commands.ts';
import {
  advisingWith,
  failureWith,
  sameFlags,
  collect,
  numberOrText,
  portNumber,
  wholeNumber,
  type Wire,
  saidText,
} from './wire.ts';
import { ConfigError } from '../core/errors.ts';
import { EXIT, exitCodeOf, tellFailure } from './exitCodes.ts';

type GlobalOptions = Readonly<{ json?: boolean; verbose?: boolean; config?: string }>;

/** The commands and their flags. `done` takes the exit code of the one that was called. */
export function buildProgram(given: Process, done: (exitCode: number) => void): Command {
  const program = new Command('drover')
    .description('Runs trading strategies on a tokenized-stock venue, and on an emulated one.')
    .version(VERSION, '--version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .option('--config <file>', 'config file (default: config/emulator.yaml)')
    .option('--json', 'results as JSON on stdout, everything else on stderr')
    .option('--verbose', 'stack traces with errors')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => given.terminal.out(text.trimEnd()),
      writeErr: (text) => given.terminal.err(text.trimEnd()),
      outputError: () => undefined,
    })
    .exitOverride();
  const wire: Wire = (command, load) =>
    command.action(async () => {
      const handler = await load();
      const { json = false, verbose = false, config } = command.optsWithGlobals<GlobalOptions>();
      const options = { ...command.opts(), ...argumentsOf(command) } as Parameters<typeof handler>[0];
      const named = argumentsOf(command)['config'];
      const configFile = typeof named === 'string' ? named : config;
      const flags = sameFlags(configFile);
      const terminal = advisingWith(flags, given.terminal);
      const context = {
        ...given,
        terminal,
        json,
        verbose,
        commandName: nameOf(command),
        ...(configFile === undefined ? {} : { configFile }),
      };
      try {
        done(await handler(options, context));
      } catch (error) {
        throw failureWith(flags, error);
      }
    });
  addRunners(program, wire);
  addBacktest(program, wire);
  addCompare(program, wire);
  addLookaheadCheck(program, wire);
  addData(program, wire);
  addReport(program, wire);
  addVenueCommands(program, wire);
  addOneClick(program, wire);
  addMoney(program, wire);
  addKeys(program, wire);
  addJournal(program, wire);
  addOffline(program, wire);
  return program;
}

/** The words that call a command, without the program's own name. */
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

function addRunners(program: Command, wire: Wire): void {
  const run = program
    .command('run')
    .description('run the strategies of a config')
    .argument('[config]', 'config file (default: config/emulator.yaml)')
    .option('--mode <mode>', 'emulator, dry-run or live, instead of what the config says')
    .option('--live', 'really trade; asked for in mode live')
    .option('--start <time>', 'emulator: when the day starts, New York time or with a zone')
    .option('--speed <times>', 'emulator: times real speed, or max', numberOrText)
    .option(
      '--until <when>',
      'close, sessions:N or a time (default: close in mode emulator without a state folder, else until it is stopped)',
    )
    .option('--state <dir>', 'folder for everything that must survive a restart')
    .option('--seed <n>', 'emulator: seed of the prices', numberOrText)
    .option('--faults <file>', 'emulator: a plan of faults, JSON, in force from the start on')
    .option('--after-crashes', 'start although the last runs crashed one after the other');
  wire(run, async () => (await import('./commands/run/run.ts')).runCommand);
  const emulator = program
    .command('emulator')
    .description('run the emulated venue by itself')
    .option('--port <port>', 'port of the venue; 0 picks one', portNumber)
    .option('--control-port <port>', 'port of the control, on this machine; 0 picks one', portNumber)
    .option('--rpc-port <port>', "port of the chain's node; 0 picks one", portNumber)
    .option('--host <host>', 'address to listen on (default: 127.0.0.1)')
    .option('--start <time>', 'when it starts, New York time or with a zone')
    .option('--speed <times>', 'times real speed; 0 moves only by the control port', numberOrText)
    .option('--seed <n>', 'seed of the prices', wholeNumber)
    .option('--faults <file>', 'a plan of faults, JSON, in force from the start on')
    .option('--state <dir>', 'folder for all of it; the same folder continues where it stopped');
  wire(emulator, async () => (await import('./commands/run/emulator.ts')).emulatorCommand);
}

function addVenueCommands(program: Command, wire: Wire): void {
  const api = program
    .command('api')
    .description('one signed call to the venue; prints its envelope')
    .argument('<method>', 'GET, POST or DELETE')
    .argument('<path>', 'path from /api/v1 on')
    .option('--query <k=v>', 'query parameter; may be repeated', collect)
    .option('--data <json>', 'body, sent byte for byte')
    .option(
      '--allow <group>',
      'let it do more than read and trade: deposits, withdrawals, ...; may be repeated',
      collect,
    )
    .option('--dry-run', 'print what would be sent, and send nothing')
    .option('--yes', 'do not ask before a call that changes something at the venue')
    .option(...KILL_STATE);
  wire(api, async () => (await import('./commands/venue/api.ts')).apiCommand);
  const doctor = program
    .command('doctor')
    .description('check config, key, clock, delegation and symbols, and say what to do')
    .argument('[config]', 'config file (default: config/emulator.yaml)')
    .option('--probe', 'also compare names, words and forms with the venue, and say what to write');
  wire(doctor, async () => (await import('./commands/venue/doctor.ts')).doctorCommand);
  const orders = program
    .command('orders')
    .description("the key's orders at the venue; `drover orders` alone lists them");
  addOrderCommands(orders, wire);
  const resolve = orders
    .command('resolve')
    .description('close an order without an answer, on your word that the indexer has passed its deadline')
    .argument('<order>', 'the id of the order, as the alarm names it')
    .option('--state <dir>', 'state folder of the run, instead of what the config says')
    .option('--yes', 'do it; without this it is only shown');
  wire(resolve, async () => (await import('./commands/orders/resolve.ts')).ordersResolveCommand);
  const accept = orders
    .command('accept')
    .description('accept external orders as known and intended; the runner must be stopped')
    .argument('<orders...>', 'the hashes of their transactions, as the alarm names them')
    .requiredOption('--reason <text>', 'why: it is kept in the journal', saidText)
    .option('--state <dir>', 'state folder of the run, instead of what the config says');
  wire(accept, async () => (await import('./commands/orders/resolve.ts')).ordersAccept);
  const positions = program.command('positions').description('stock held on the exchange and in the wallet');
  wire(positions, async () => (await import('./commands/venue/balance.ts')).positionsCommand);
  const balance = program.command('balance').description('mUSD, and the tokens in the wallet');
  wire(balance, async () => (await import('./commands/venue/balance.ts')).balanceCommand);
}

function addOneClick(program: Command, wire: Wire): void {
  const group = program
    .command('oneclick')
    .description('delegated orders: the wallet lets the venue send for it');
  const status = group.command('status').description('whether delegation is in force, and to whom');
  wire(status, async () => (await import('./commands/venue/oneclick.ts')).oneClickStatus);
  const enable = group
    .command('enable')
    .description(
      'check what the venue asks to be signed, sign it with the wallet key, and turn delegation on',
    )
    .option('--router <address>', 'the contract of One Click that you expect; any other is refused')
    .option('--delegatee <address>', 'the proxy wallet you expect; any other is refused')
    .option('--yes', 'ask nothing; contract and delegatee must then be known from config or flags')
    .option('--minutes <n>', 'how long the signature may be used, at most 10 (default: 5)', wholeNumber)
    .option(...KILL_STATE);
  wire(enable, async () => (await import('./commands/venue/oneclick.ts')).oneClickEnable);
  const disable = group
    .command('disable')
    .description('turn delegation off; orders that rest stay')
    .option(...KILL_STATE);
  wire(disable, async () => (await import('./commands/venue/oneclick.ts')).oneClickDisable);
}

function addOffline(program: Command, wire: Wire): void {
  const calendar = program
    .command('calendar')
    .description('regular sessions from one date to another')
    .requiredOption('--from <date>', 'first date, such as 2026-11-01')
    .requiredOption('--to <date>', 'last date');
  wire(calendar, async () => (await import('./commands/venue/calendar.ts')).calendarCommand);
  const openapi = program
    .command('openapi')
    .description('the endpoints of the venue as an OpenAPI document')
    .option('--out <file>', 'write it there instead of printing it');
  wire(openapi, async () => (await import('./commands/venue/openapi.ts')).openapiCommand);
  const config = program.command('config').description('what the config says');
  const explain = config
    .command('explain')
    .description('every value and where it came from')
    .argument('[config]', 'config file (default: config/emulator.yaml)');
  wire(explain, async () => (await import('./commands/config/config.ts')).configExplainCommand);
  const fees = config
    .command('fees')
    .description('what the venue says of its fees, minimums, buffers and pauses');
  wire(fees, async () => (await import('./commands/config/config.ts')).configFees);
  const actions = program
    .command('corporate-actions')
    .description('splits, dividends and spin-offs')
    .option('--symbols <list>', 'only these, with commas between')
    .option('--from <date>', 'first ex-date, such as 2026-06-15')
    .option('--to <date>', 'last ex-date');
  wire(actions, async () => (await import('./commands/venue/corporateActions.ts')).corporateActions);
}

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
