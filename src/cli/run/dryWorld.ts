import { closeSync, existsSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { readOnly } from '../../api/readOnlyTransport.ts';
import { createUndiciTransport } from '../../api/undiciTransport.ts';
import { createVenue } from '../../api/venue.ts';
import { machine } from '../../core/clock.ts';
import { ConfigError, invariant } from '../../core/errors.ts';
import { machinePulse } from '../../core/pulse.ts';
import { systemRandom } from '../../core/random.ts';
import { SimulatedBook } from '../../sim/simulatedBook.ts';
import { createSimulatedVenue } from '../../sim/simulatedVenue.ts';
import { openDocuments } from '../../store/documents.ts';
import { calendarOf } from '../config/calendar.ts';
import type { LoadedConfig } from '../config/load.ts';
import { clientFor, clockOf, venueOf } from '../connect.ts';
import { journalFile } from './journal.ts';
import type { World, WorldInput } from './world.ts';

const accountFile = (stateDir: string): string => join(stateDir, 'simulated.sqlite');

/**
 * Keeps simulated orders and real ones apart: a state folder begins as that of a dry run, or is none. Marks a new one.
 * @throws {ConfigError} when the folder is of the other kind
 */
export function claimState({ config: { mode } }: LoadedConfig, stateDir: string): void {
  const [isSimulated, isUsed] = [accountFile(stateDir), journalFile(stateDir)].map((file) =>
    existsSync(file),
  );
  if (mode === 'dry-run' && isUsed && !isSimulated)
    throw new ConfigError(
      `${stateDir} holds the orders of another mode, which a dry run would mix up with its own. Name another folder: --state DIR`,
    );
  if (mode !== 'dry-run' && isSimulated)
    throw new ConfigError(
      `${stateDir} holds the simulated orders of a dry run, and mode ${mode} has other ones. Name another folder: --state DIR`,
    );
  if (mode === 'dry-run' && !isSimulated) closeSync(openSync(accountFile(stateDir), 'a', 0o600));
}

/** Prices of the venue of the config, over a connection that only reads; orders and account are simulated here. */
export async function dryWorld({ loaded, context, stateDir, log, onDenied }: WorldInput): Promise<World> {
  const venue = venueOf(loaded);
  const { dryRun } = loaded.config;
  invariant(dryRun !== undefined, 'a config of a dry run has its section');
  const clock = await clockOf(venue, context);
  const logger = log(clock);
  const client = clientFor(venue, context, {
    ...{ clock, log: logger, access: 'READ_ONLY', onDenied: (call) => onDenied(call, clock) },
    transport: readOnly(createUndiciTransport({ baseUrl: venue.baseUrl, clock })),
  });
  const store = openDocuments(accountFile(stateDir));
  const close = async () => {
    await client.close();
    store.close();
  };
  try {
    return {
      ...{ clock, client, log: logger, readsChain: true, pulse: machinePulse(machine), close },
      venue: createSimulatedVenue({
        ...{ clock, calendar: calendarOf(loaded.config), chainId: venue.chainId, random: systemRandom },
        market: createVenue(client, { userAddress: venue.userAddress, log: logger }),
        book: new SimulatedBook(store, dryRun.cash),
        slippage: dryRun.slippage,
      }),
      during: (work) => work(),
    };
  } catch (error) {
    await close();
    throw error;
  }
}
