import type { DeniedCall } from '../../api/allowList.ts';
import { createVenueClient, type VenueClient } from '../../api/client.ts';
import { createVenue } from '../../api/venue.ts';
import { machine, type Clock } from '../../core/clock.ts';
import { toIso } from '../../core/brand.ts';
import { InvariantError } from '../../core/errors.ts';
import { silentLog, type Log } from '../../core/log.ts';
import { machineWatchdog, type ClockWatchdog } from '../../core/clockWatchdog.ts';
import { VirtualClock } from '../../core/virtualClock.ts';
import type { TransferPort } from '../../domain/transfers/transfer.ts';
import type { Venue } from '../../domain/venue.ts';
import type { Address } from '../../domain/instrument.ts';
import { makeFolder } from '../../store/stateFolder.ts';
import { clientFor, clockOf } from './connect.ts';
import { venueOf, type LoadedConfig } from '../config/load.ts';
import type { CommandContext } from '../context.ts';
import { emulatorFolder } from './ownership.ts';
import { groupsFor, loggedReports, needsWallet, openSubmission, partsAt } from './submission.ts';
import { makeTemporaryState } from './temporaryState.ts';
import { unsharedLog } from './walletLog.ts';
import { dryEnvironment } from './dryEnvironment.ts';

/** What a run trades in: its venue, and the time that passes there. */
export type TradingEnvironment = Readonly<{
  clock: Clock;
  client: VenueClient;
  venue: Venue;
  /** Where money moves between wallet and venue, unless there is none to move. */
  operations?: TransferPort;
  /** True when the venue can ask the chain what became of an order. */
  readsChain: boolean;
  log: Log;
  /** Where the venue goes on when this program does not. */
  watchdog?: ClockWatchdog;
  /** Lets time pass while `work` goes on. */
  during<T>(work: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}>;

export type EnvironmentInput = Readonly<{
  loaded: LoadedConfig;
  context: CommandContext;
  stateDir: string;
  /** What is wrong with the emulated venue from the start on. */
  faults?: unknown;
  log: (clock: Clock) => Log;
  /** Told of each call that the signing rules keep from leaving. */
  onDenied: (call: DeniedCall, clock: Clock) => void;
}>;

/** A fresh folder of this run's own, when none was named. */
export function stateDirOf({ config }: LoadedConfig): string {
  if (config.state === undefined) return makeTemporaryState();
  makeFolder(config.state, 'the state folder');
  return config.state;
}

/** The emulator in this process, over real HTTP on loopback, on the same virtual clock. */
async function emulatedEnvironment(input: EnvironmentInput): Promise<TradingEnvironment> {
  const { loaded, stateDir, context, faults, log, onDenied } = input;
  const { savedInstant, startEmulator } = await import('../../emulator/index.ts');
  const { start, speed, seed, indexerLagMs } = loaded.config.emulator;
  const emulatorDir = emulatorFolder(stateDir);
  const clock = new VirtualClock({ start: savedInstant(emulatorDir) ?? start, pace: speed });
  const logger = log(clock);
  const wrong = { faults, ...(indexerLagMs === undefined ? {} : { indexerLagMs }) };
  const emulator = await startEmulator({ clock, start: toIso(start), seed, stateDir: emulatorDir, ...wrong });
  const { baseUrl, rpcUrl, chainId, product, accounts, contracts } = emulator.info;
  const [account] = accounts;
  const key = account?.keys.find(({ access }) => access === 'WRITABLE');
  if (!account || !key) throw new InvariantError('the emulator has no account with a writable key');
  const { requestsPerMinute } = loaded.config.venue ?? {};
  const client = createVenueClient({
    baseUrl,
    chainId,
    product,
    clock,
    ...(requestsPerMinute === undefined ? {} : { requestsPerMinute }),
    apiKey: key.apiKey,
    secret: key.secret,
    secrets: context.secrets,
    allow: groupsFor(loaded.config),
    onDenied: (call) => onDenied(call, clock),
    log: logger,
  });
  const { userAddress } = account;
  const router = contracts.router as Address;
  const oneClick = createVenue(client, { userAddress, spender: router, log: logger });
  const submission = await openSubmission({
    config: loaded.config,
    client,
    clock,
    reports: loggedReports(logger),
    chainId,
    embedded: true,
    venue: oneClick,
    userAddress,
    router,
    spender: router,
    rpcUrl: needsWallet(loaded.config) ? rpcUrl : undefined,
    hold: () => Promise.resolve(unsharedLog({ stateDir, chainId })),
    wallet: async () => (await import('../../wallet/account.ts')).walletOf(account.privateKey),
  });
  return {
    clock,
    log: logger,
    client,
    venue: submission.venue,
    operations: submission.operations,
    readsChain: submission.chain !== null,
    during: (work) => whileTimePasses(clock, work),
    async close() {
      await submission.close();
      await client.close();
      await emulator.close();
    },
  };
}

/** Lets virtual time pass from the first step of the work to its end. */
async function whileTimePasses<T>(clock: VirtualClock, work: () => Promise<T>): Promise<T> {
  const release = clock.hold();
  const passing = clock.run();
  const working = work();
  release();
  try {
    return await working;
  } finally {
    clock.stop();
    await passing;
  }
}

/** The venue of the config: a real one, or an emulator in another process. */
async function liveEnvironment({
  loaded,
  context,
  stateDir,
  log,
  onDenied,
}: EnvironmentInput): Promise<TradingEnvironment> {
  const config = venueOf(loaded);
  const clock = await clockOf(config, context);
  const logger = log(clock);
  const client = clientFor(config, context, {
    clock,
    log: logger,
    allow: groupsFor(loaded.config),
    onDenied: (call) => onDenied(call, clock),
  });
  const use = { loaded, context, stateDir, log: logger, reports: loggedReports(logger) };
  const submission = await openSubmission(partsAt({ client, clock, venue: config }, use));
  return {
    clock,
    client,
    log: logger,
    venue: submission.venue,
    operations: submission.operations,
    readsChain: submission.chain !== null,
    watchdog: machineWatchdog(machine),
    during: (work) => work(),
    async close() {
      await submission.close();
      await client.close();
    },
  };
}

const ENVIRONMENTS = { emulator: emulatedEnvironment, 'dry-run': dryEnvironment, live: liveEnvironment };

/** Opens what the mode of the config trades in, and closes it after `work`. */
export async function withEnvironment<T>(
  input: EnvironmentInput,
  work: (environment: TradingEnvironment) => Promise<T>,
): Promise<T> {
  const environment = await ENVIRONMENTS[input.loaded.config.mode](input);
  try {
    return await work(environment);
  } finally {
    await environment.close();
  }
}

export type VenueUse = Pick<EnvironmentInput, 'loaded' | 'context' | 'stateDir'>;

/** The same for a command that only looks: it logs nothing, and time passes until `work` ends. The caller holds the folder. */
export const withVenueAccess = <T>(
  use: VenueUse,
  work: (environment: TradingEnvironment) => Promise<T>,
): Promise<T> =>
  withEnvironment({ ...use, log: () => silentLog, onDenied: () => undefined }, (environment) =>
    environment.during(() => work(environment)),
  );
