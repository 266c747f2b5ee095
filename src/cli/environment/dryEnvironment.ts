import { readOnly } from '../../api/transport.ts';
import { createUndiciTransport } from '../../api/undiciTransport.ts';
import { createVenue } from '../../api/venue.ts';
import { machine, type Clock } from '../../core/clock.ts';
import { ConfigError } from '../../core/errors.ts';
import { machineWatchdog } from '../../core/clockWatchdog.ts';
import { systemRandom } from '../../core/random.ts';
import type { Venue } from '../../domain/venue.ts';
import { SimulatedBook, type BookStore } from '../../sim/simulatedBook.ts';
import { createSimulatedVenue } from '../../sim/simulatedVenue.ts';
import { openDocuments } from '../../store/documents.ts';
import { calendarOf } from '../config/fields.ts';
import { type LoadedConfig, venueOf } from '../config/load.ts';
import { clientFor, clockOf } from './connect.ts';
import { accountFile } from './ownership.ts';
import type { TradingEnvironment, EnvironmentInput } from './environment.ts';

/** Prices of the venue of the config, over a connection that only reads; orders and account are simulated here. */
export async function dryEnvironment({
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
    access: 'READ_ONLY',
    onDenied: (call) => onDenied(call, clock),
    transport: readOnly(createUndiciTransport({ baseUrl: config.baseUrl, clock })),
  });
  const store = openDocuments(accountFile(stateDir));
  const close = async () => {
    await client.close();
    store.close();
  };
  try {
    const market = createVenue(client, { userAddress: config.userAddress, log: logger });
    const venue = simulatedVenueOf(loaded, { market, clock, store });
    const watchdog = machineWatchdog(machine);
    return { clock, client, venue, watchdog, close, log: logger, readsChain: true, during: (work) => work() };
  } catch (error) {
    await close();
    throw error;
  }
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
    book: new SimulatedBook(store, { opening: dryRun.cash, now: clock.now() }),
  });
}

/** The simulated venue for `work` to look at, also beside the run that keeps it: nothing is written. */
export async function withSimulatedVenue<T>(
  { loaded, stateDir }: Readonly<{ loaded: LoadedConfig; stateDir: string }>,
  { market, clock }: Omit<SimulationParts, 'store'>,
  work: (venue: Venue) => Promise<T>,
): Promise<T> {
  const store = openDocuments(accountFile(stateDir));
  try {
    const looking: BookStore = { all: () => store.all(), save: () => undefined };
    return await work(simulatedVenueOf(loaded, { market, clock, store: looking }));
  } finally {
    store.close();
  }
}
