import { tradingCalendar } from '../../calendar/index.ts';
import { DOCUMENTED_FEES } from '../../domain/fees.ts';
import { Kernel } from '../../engine/kernel/kernel.ts';
import { withSimulatedVenue, withVenueAccess, type VenueUse } from './environment.ts';
import type { VenueAccess } from './venueSide.ts';
import { createVenue } from '../../api/venue.ts';
import { withVenue } from './connect.ts';

/** The kernel of a run without strategies, for commands that read a journal and the venue: it places nothing. */
export const dormantKernel = (): Kernel =>
  new Kernel({
    calendar: tradingCalendar,
    rules: { limits: {}, ownLimits: new Map(), collarBps: 0, deadlineMs: 0, fees: DOCUMENTED_FEES },
    strategies: [],
    obstacles: { reason: () => 'only an operator is at work' },
  });

/**
 * Opens the venue of a run with this config while `work` reads it. It needs no wallet. The venue of mode `emulator` is
 * in the state folder, which the caller holds.
 */
export async function withReadOnlyVenue<T>(
  input: VenueUse,
  work: (access: VenueAccess) => Promise<T>,
): Promise<T> {
  const { mode } = input.loaded.config;
  if (mode === 'emulator') return withVenueAccess(input, work);
  return withVenue(input.context, ({ client, clock, venue: { userAddress } }) => {
    const venue = createVenue(client, { userAddress });
    if (mode === 'live') return work({ venue, transferPort: venue, clock });
    return withSimulatedVenue(input, { market: venue, clock }, (simulated) =>
      work({ venue: simulated, clock }),
    );
  });
}
