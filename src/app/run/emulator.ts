import { resolve } from 'node:path';
import { toIso } from '../../core/brand.ts';
import { untilAborted } from '../../core/clock.ts';
import { closingAfter, ConfigError } from '../../core/errors.ts';
import { Secrets } from '../../core/secrets.ts';
import { type EmulatorInfo, startEmulator, type EmulatorOptions } from '../../emulator/start.ts';
import { configOf } from '../config/load.ts';
import { instantOf } from '../config/times.ts';
import type { CommandContext } from '../../process/context.ts';
import { EXIT } from '../../process/exitCodes.ts';
import { readFaults } from '../../process/files.ts';
import { printResult, table } from '../../process/output.ts';

type EmulatorFlags = Pick<
  EmulatorOptions,
  'port' | 'controlPort' | 'rpcPort' | 'host' | 'start' | 'seed' | 'stocks'
> &
  Readonly<{ speed?: number | string; state?: string; faults?: string }>;

/** `drover emulator`: runs the emulated venue standalone until it is stopped. */
export async function emulatorCommand(flags: EmulatorFlags, context: CommandContext): Promise<number> {
  const signal = context.stopSignal();
  const emulator = await startEmulator(optionsOf(flags, context)).catch((thrown: unknown) => {
    throw withRemedy(thrown);
  });
  printResult(context, emulator.info, welcome(emulator.info));
  await closingAfter(emulator, () => untilAborted(signal));
  return EXIT.done;
}

const PORT_FLAGS: Readonly<Record<string, string>> = {
  port: '--port',
  rpcPort: '--rpc-port',
  controlPort: '--control-port',
};

/** Names the flag that sets the port, if the port was taken. */
function withRemedy(thrown: unknown): unknown {
  if (!(thrown instanceof ConfigError)) return thrown;
  const { option, reason } = thrown.details;
  const flag = PORT_FLAGS[String(option)];
  if (flag === undefined) return thrown;
  const remedy =
    reason === 'EADDRINUSE' || reason === 'EACCES'
      ? `Name another port with ${flag}, or ${flag} 0 for any that is free`
      : 'Name an address of this machine with --host';
  return new ConfigError(`${thrown.message}. ${remedy}`, thrown.details, { cause: thrown });
}

/** Options of the emulator; flags override the emulator section of a given config. @throws {ConfigError} */
function optionsOf(
  { start, speed, state, faults, ...flags }: EmulatorFlags,
  context: CommandContext,
): EmulatorOptions {
  // Keys of emulated accounts are meant to be printed: none is masked here, even if the environment contains it.
  const unmasked = { ...context, secrets: new Secrets() };
  const given = context.configFile === undefined ? null : configOf(unmasked).config.emulator;
  const pace = paceOf(speed ?? given?.speed);
  return {
    ...(given && { start: toIso(given.start), seed: given.seed }),
    ...(given?.stocks !== undefined && { stocks: given.stocks }),
    ...(given?.dividends !== undefined && { dividends: given.dividends }),
    ...(given?.indexerLagMs !== undefined && { indexerLagMs: given.indexerLagMs }),
    ...flags,
    ...(start !== undefined && { start: toIso(instantOf('start', start)) }),
    ...(pace !== undefined && { speed: pace }),
    ...(faults !== undefined && { faults: readFaults(faults, context) }),
    ...(state !== undefined && { stateDir: resolve(context.cwd, state) }),
  };
}

function paceOf(speed: number | string | undefined): number | undefined {
  if (speed === undefined || typeof speed === 'number') return speed;
  throw new ConfigError(
    `--speed ${speed}: the emulator by itself needs a number; 0 moves only by the control port`,
  );
}

/** Instructions: addresses, accounts, and text to paste into a shell and into a config. */
function welcome(info: EmulatorInfo): string {
  const { baseUrl, rpcUrl, controlUrl, chainId, product, now, accounts } = info;
  const [account] = accounts;
  const key = account?.keys.find(({ access }) => access === 'WRITABLE');
  const rows = accounts.map(({ userAddress, oneClick, keys }) => [
    userAddress,
    oneClick,
    keys.map(({ access }) => access).join(', '),
  ]);
  return [
    `The emulated venue listens on ${baseUrl}. It is ${now} there. Ctrl-C stops it.`,
    `The node of its chain listens on ${rpcUrl}.`,
    '',
    table(['account', 'one click', 'keys'], rows),
    '',
    'For another terminal:',
    `  export DROVER_API_KEY=${key?.apiKey ?? ''}`,
    `  export DROVER_API_SECRET=${key?.secret ?? ''}`,
    `  export DROVER_WALLET_KEY=${account?.privateKey ?? ''}`,
    '',
    'and for the venue section of a config (config/live.example.yaml shows the rest):',
    '  venue:',
    `    baseUrl: ${baseUrl}`,
    `    chainId: ${chainId}`,
    `    product: ${product}`,
    `    userAddress: '${account?.userAddress ?? ''}'`,
    `    router: '${info.contracts.router}'`,
    `    rpcUrl: ${rpcUrl}`,
    `    oneClickRouter: '${info.contracts.oneClickRouter}'`,
    `    delegatee: '${account?.delegatee ?? ''}'`,
    '    clock: follow',
    `    controlUrl: ${controlUrl}`,
    '',
    'All keys of all accounts: `drover emulator --json`',
  ].join('\n');
}
