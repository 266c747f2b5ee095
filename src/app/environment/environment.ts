import { readOnly } from '../../api/transport.ts';
import { createUndiciTransport } from '../../api/undiciTransport.ts';
import { createVenue } from '../../api/venue.ts';
import { createTradingCalendar, type TradingCalendar } from '../../calendar/index.ts';
import { machine, type Clock } from '../../core/clock.ts';
import { ConfigError, InvariantError, closingAfter, orClosedAfter } from '../../core/errors.ts';
import { machineWatchdog, type ClockWatchdog } from '../../core/clockWatchdog.ts';
import { systemRandom } from '../../core/random.ts';
import type { Venue } from '../../domain/venue.ts';
import type { RunnerOptions } from '../../engine/runtime/runOptions.ts';
import { SimulatedBook, type BookStore } from '../../sim/simulatedBook.ts';
import { createSimulatedVenue } from '../../sim/simulatedVenue.ts';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { keptFolder } from './locks.ts';
import { openDocuments } from '../../store/documents.ts';
import { calendarOf, exceptionsOf } from '../config/fields.ts';
import { dividendsOf, tradesOutside } from '../config/stocks.ts';
import { type LoadedConfig, venueOf } from '../config/load.ts';
import { clientFor, clockOf } from './connect.ts';
import { accountFile, emulatorFolder } from './ownership.ts';
import type { DeniedCall } from '../../api/allowList.ts';
import { createVenueClient, type VenueClient } from '../../api/client.ts';
import { MINUTE_MS, epochMs, toIso, type EpochMs } from '../../core/brand.ts';
import { silentLog, type Log } from '../../core/log.ts';
import { VirtualClock, type Skip } from '../../core/virtualClock.ts';
import type { TransferPort } from '../../domain/transfers/transfer.ts';
import type { Address } from '../../domain/instrument.ts';
import { makeFolder } from '../../store/stateFolder.ts';
import type { Chain } from '../../wallet/chain.ts';
import type { CommandContext } from '../../process/context.ts';
import { confirmedPins, delegationPin } from './pins.ts';
import { sendingRules } from './plan.ts';
import { groupsFor, loggedReports, needsWallet, openSubmission, partsAt } from './submission.ts';
import { makeTemporaryState } from './temporaryState.ts';
import { unsharedLog } from './walletLog.ts';

/** Venue of a run, with the clock used for trading there. */
export type TradingEnvironment = Readonly<{
  clock: Clock;
  client: VenueClient;
  venue: Venue;
  /** Port of transfers between wallet and venue; absent if there are none. */
  transferPort?: TransferPort;
  /** True when order outcomes can be read from the chain. */
  readsChain: boolean;
  /** The chain, read through its node; null without one, absent if it is simulated. */
  chain?: Chain | null;
  log: Log;
  /** Watchdog of the clock; absent if the venue pauses when this program does. */
  watchdog?: ClockWatchdog;
  /** Lets time pass while `work` runs. */
  during<T>(work: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}>;

type EnvironmentInput = Readonly<{
  loaded: LoadedConfig;
  context: CommandContext;
  stateDir: string;
  /** Faults of the emulated venue at the start. */
  faults?: unknown;
  log: (clock: Clock) => Log;
  /** Called at the beginning of each night that is skipped. */
  onNight?: (end: EpochMs, clock: Clock) => void;
  /** Receives each call that the signing rules block. */
  onDenied: (call: DeniedCall, clock: Clock) => void;
}>;

/** State folder of a run: that of the config, or a fresh temporary one. */
export function stateDirOf({ config }: LoadedConfig): string {
  if (config.state === undefined) return makeTemporaryState();
  makeFolder(config.state, 'the state folder');
  return config.state;
}

/**
 * The config of a command that sends, with its state folder: if it names none, one for its wallet at its venue that outlives a
 * login session.
 * @throws {ConfigError} without a venue, or for an emulated one without a state folder
 */
export function withAccountState(
  loaded: LoadedConfig,
  context: CommandContext,
): Readonly<{ loaded: LoadedConfig; stateDir: string }> {
  const { config } = loaded;
  const { mode, state } = config;
  if (state !== undefined && (mode !== 'emulator' || existsSync(state))) return { loaded, stateDir: state };
  const { baseUrl, chainId, product, userAddress } = venueOf(loaded);
  const name = [userAddress.toLowerCase(), chainId, product, new URL(baseUrl).host].join('-');
  const stateDir = join(keptFolder(context), 'accounts', name.replaceAll(/[^\w.-]/g, '-'));
  if (!existsSync(stateDir))
    context.terminal.err(`sends of this wallet are recorded in ${stateDir} (--state)`);
  return { loaded: { ...loaded, config: { ...config, state: stateDir } }, stateDir };
}

/** The emulator in this process, over real HTTP on loopback, on the same virtual clock. */
async function emulatedEnvironment(input: EnvironmentInput): Promise<TradingEnvironment> {
  const { loaded, stateDir, context, faults, log: logOn, onDenied } = input;
  const { config } = loaded;
  const { savedInstant, startEmulator } = await import('../../emulator/index.ts');
  const { speed: _speed, nights: _nights, ...venue } = config.emulator;
  const emulatorDir = emulatorFolder(stateDir);
  const clock = emulatedClock(input, savedInstant(emulatorDir) ?? venue.start);
  const log = logOn(clock);
  const start = toIso(venue.start);
  const emulator = await startEmulator({ ...venue, clock, start, stateDir: emulatorDir, faults });
  const { baseUrl, rpcUrl, chainId, product, accounts, contracts } = emulator.info;
  const [account] = accounts;
  const key = account?.keys.find(({ access }) => access === 'WRITABLE');
  if (!account || !key) throw new InvariantError('the emulator has no account with a writable key');
  const { requestsPerMinute } = config.venue ?? {};
  const client = createVenueClient({
    baseUrl,
    chainId,
    product,
    clock,
    log,
    ...(requestsPerMinute === undefined ? {} : { requestsPerMinute }),
    apiKey: key.apiKey,
    secret: key.secret,
    secrets: context.secrets,
    allow: groupsFor(config),
    onDenied: (call) => onDenied(call, clock),
  });
  const { userAddress } = account;
  const router = contracts.router as Address;
  const { close, chain, ...sending } = await openSubmission({
    config,
    client,
    clock,
    reports: loggedReports(log),
    chainId,
    embedded: true,
    venue: createVenue(client, { userAddress, spender: router, log }),
    userAddress,
    router,
    spender: router,
    rpcUrl: needsWallet(config) ? rpcUrl : undefined,
    hold: () => Promise.resolve(unsharedLog({ stateDir, chainId })),
    wallet: async () => (await import('../../wallet/account.ts')).walletOf(account.privateKey),
  });
  return {
    ...sending,
    readsChain: chain !== null,
    clock,
    client,
    log,
    during: (work) => whileTimePasses(clock, work),
    async close() {
      await close();
      await client.close();
      await emulator.close();
    },
  };
}

function emulatedClock({ loaded: { config }, onNight }: EnvironmentInput, start: EpochMs): VirtualClock {
  const { speed: pace, nights } = config.emulator;
  const begun = (end: EpochMs) => onNight?.(end, clock);
  const skip = nights === 'skip' && { skip: nightsOf(calendarOf(config), begun) };
  const clock = new VirtualClock({ start, pace, ...skip });
  return clock;
}

/** Time after a close for ending orders and comparing balances, and before an open for preparing the day. */
const CLOSING_MS = 10 * MINUTE_MS;
const OPENING_MS = 5 * MINUTE_MS;

/** Nights, weekends and holidays as time ranges to skip. `begun` is called once for each. */
export function nightsOf(calendar: TradingCalendar, begun: (end: EpochMs) => void): Skip {
  let latest: EpochMs | null = null;
  return (at) => {
    const end = epochMs(calendar.nextSession(at).open - OPENING_MS);
    const isDay = at >= end || calendar.sessionAt(at) !== undefined;
    if (isDay || at < calendar.previousSession(at).close + CLOSING_MS) return null;
    if (end !== latest) begun(end);
    latest = end;
    return end;
  };
}

/** Lets virtual time run until the work ends. */
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

/** Parts of an environment whose venue continues without this program: a real one, or an emulator in another process. */
async function outsideVenue(
  { loaded, context, log: logOn, onDenied }: EnvironmentInput,
  rightsOn: (clock: Clock) => Parameters<typeof clientFor>[2],
) {
  const venue = venueOf(loaded);
  const clock = await clockOf(venue, context);
  const log = logOn(clock);
  const client = clientFor(venue, context, {
    clock,
    log,
    onDenied: (call) => onDenied(call, clock),
    ...rightsOn(clock),
  });
  const during = <T>(work: () => Promise<T>) => work();
  return { clock, log, client, watchdog: machineWatchdog(machine), during };
}

/** The venue of the config: a real one, or an emulator in another process. */
async function liveEnvironment(input: EnvironmentInput): Promise<TradingEnvironment> {
  const { loaded, context, stateDir } = input;
  const { config } = loaded;
  const venue = venueOf(loaded);
  const outside = await outsideVenue(input, () => ({ allow: groupsFor(config) }));
  const { client, clock, log } = outside;
  const use = { loaded, context, stateDir, log, reports: loggedReports(log) };
  const { close, chain, ...sending } = await openSubmission(partsAt({ client, clock, venue }, use));
  return {
    ...outside,
    ...sending,
    chain,
    readsChain: chain !== null,
    async close() {
      await close();
      await client.close();
    },
  };
}

/** Prices of the venue of the config, over a connection that only reads; orders and account are simulated here. */
async function dryEnvironment(input: EnvironmentInput): Promise<TradingEnvironment> {
  const { loaded, stateDir } = input;
  const { baseUrl, userAddress } = venueOf(loaded);
  const outside = await outsideVenue(input, (clock) => ({
    access: 'READ_ONLY',
    transport: readOnly(createUndiciTransport({ baseUrl, clock })),
  }));
  const { client, clock, log } = outside;
  const store = openDocuments(accountFile(stateDir));
  const close = async () => {
    await client.close();
    store.close();
  };
  return orClosedAfter({ close }, () => {
    const market = createVenue(client, { userAddress, log });
    return { ...outside, venue: simulatedVenueOf(loaded, { market, clock, store }), readsChain: true, close };
  });
}

type SimulationParts = Readonly<{ market: Venue; clock: Clock; store: BookStore }>;

function simulatedVenueOf(loaded: LoadedConfig, { market, clock, store }: SimulationParts): Venue {
  const { dryRun } = loaded.config;
  if (dryRun === undefined) throw new ConfigError(`${loaded.file} has no dryRun section`);
  return createSimulatedVenue({
    market,
    clock,
    calendar: calendarOf(loaded.config),
    random: systemRandom,
    chainId: venueOf(loaded).chainId,
    slippage: dryRun.slippage,
    dividends: dividendsOf(loaded.config),
    dayEnds: tradesOutside(loaded.config) ? (venueOf(loaded).dayEnds ?? 'phase') : undefined,
    book: new SimulatedBook(store, { opening: dryRun.cash, now: clock.now() }),
  });
}

/** Opens the simulated venue read-only for `work`, even while its run is active. */
export async function withSimulatedVenue<T>(
  { loaded, stateDir }: Readonly<{ loaded: LoadedConfig; stateDir: string }>,
  { market, clock }: Omit<SimulationParts, 'store'>,
  work: (venue: Venue) => Promise<T>,
): Promise<T> {
  return closingAfter(openDocuments(accountFile(stateDir)), async (store) => {
    const looking: BookStore = { all: () => store.all(), save: () => undefined };
    return work(simulatedVenueOf(loaded, { market, clock, store: looking }));
  });
}

const ENVIRONMENTS = { emulator: emulatedEnvironment, 'dry-run': dryEnvironment, live: liveEnvironment };

/** Opens the environment of the config's mode, and closes it after `work`. */
export async function withEnvironment<T>(
  input: EnvironmentInput,
  work: (environment: TradingEnvironment) => Promise<T>,
): Promise<T> {
  return closingAfter(await ENVIRONMENTS[input.loaded.config.mode](input), work);
}

/** Rules of a run by its config and venue, and the parts of them that it journals at its start. */
export function runRules(
  loaded: LoadedConfig,
  { readsChain }: Pick<TradingEnvironment, 'readsChain'>,
): Pick<RunnerOptions, 'calendar' | 'rules' | 'periods' | 'assumptions' | 'pins'> {
  const { mode, venue, polling } = loaded.config;
  const { delegatee } = delegationPin(loaded);
  const pins = confirmedPins(loaded);
  return {
    calendar: createTradingCalendar(exceptionsOf(loaded.config)),
    rules: {
      ...sendingRules(loaded.config, { readsChain }),
      ...(delegatee ? { delegatee: delegatee.address } : {}),
    },
    periods: polling,
    // The emulator in this process always uses our own names.
    ...(mode !== 'emulator' && venue?.assumptions ? { assumptions: venue.assumptions } : {}),
    ...(pins.length === 0 ? {} : { pins }),
  };
}

export type VenueUse = Pick<EnvironmentInput, 'loaded' | 'context' | 'stateDir'>;

/**
 * Opens the venue for a command: nothing is logged unless it has a log, and time runs until `work` ends. The caller holds the
 * folder.
 */
export const withVenueAccess = <T>(
  use: VenueUse & Partial<Pick<EnvironmentInput, 'log'>>,
  work: (environment: TradingEnvironment) => Promise<T>,
): Promise<T> =>
  withEnvironment({ log: () => silentLog, ...use, onDenied: () => undefined }, (environment) =>
    environment.during(() => work(environment)),
  );
