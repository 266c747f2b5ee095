import { createVenue } from '../../api/venue.ts';
import type { Clock } from '../../core/clock.ts';
import { silentLog } from '../../core/log.ts';
import type { OperationPort } from '../../domain/operation.ts';
import type { Venue } from '../../domain/venue.ts';
import type { LoadedConfig } from '../config/load.ts';
import { withVenue } from '../connect.ts';
import type { CommandContext } from '../context.ts';
import { withSimulatedVenue } from './dryWorld.ts';
import { openWorld } from './openWorld.ts';

/** A venue as one who sends nothing sees it. `operations`: where the venue has any. */
export type Sight = Readonly<{ venue: Venue; operations?: OperationPort; clock: Clock }>;

export type LookInput = Readonly<{ loaded: LoadedConfig; context: CommandContext; stateDir: string }>;

/**
 * Opens the venue that a run of this config trades at for as long as `work` looks at it. It needs no wallet. That of mode
 * `emulator` lies in the state folder: the caller holds it.
 */
export async function lookAt<T>(input: LookInput, work: (sight: Sight) => Promise<T>): Promise<T> {
  const { mode } = input.loaded.config;
  if (mode === 'emulator') return inWorld(input, work);
  return withVenue(input.context, ({ client, clock, venue: { userAddress } }) => {
    const venue = createVenue(client, { userAddress });
    if (mode === 'live') return work({ venue, operations: venue, clock });
    return withSimulatedVenue(input, { market: venue, clock }, (simulated) =>
      work({ venue: simulated, clock }),
    );
  });
}

/** The same as a run opens it: what is seen of a venue in the state folder is kept there. The caller holds the folder. */
export async function inWorld<T>(input: LookInput, work: (sight: Sight) => Promise<T>): Promise<T> {
  const world = await openWorld({ ...input, log: () => silentLog, onDenied: () => undefined });
  try {
    return await world.during(() => work(world));
  } finally {
    await world.close();
  }
}
