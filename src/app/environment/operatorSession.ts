import { tradingCalendar } from '../../calendar/index.ts';
import { DOCUMENTED_FEES } from '../../domain/fees.ts';
import { Kernel } from '../../engine/kernel/kernel.ts';
import { withSimulatedVenue, withVenueAccess, type VenueUse } from './environment.ts';
import type { VenueAccess } from './venueSide.ts';
import { createVenue } from '../../api/venue.ts';
import { withVenue } from './connect.ts';
import type { RunConfig } from '../config/schema.ts';
import type { TradingRules } from '../../domain/limits.ts';

const NO_RULES: TradingRules = {
  limits: {},
  ownLimits: new Map(),
  collarBps: 0,
  deadlineMs: 0,
  fees: DOCUMENTED_FEES,
};

/**
 * The kernel of a run without strategies, for commands that read a journal and the venue: it places nothing. `config`: its limits
 * judge what the venue shows, such as fees and fills.
 */
export const dormantKernel = (config?: RunConfig): Kernel =>
  new Kernel({
    calendar: tradingCalendar,
    rules: config ? { ...NO_RULES, limits: config.limits, collarBps: config.orders.collarBps } : NO_RULES,
    strategies: [],
    obstacles: { reason: () => 'only an operator is at work' },
  });

/**
 * Opens the venue of a run with this config while `work` reads it. It needs no wallet. That of mode `emulator` is in the
 * state folder: the caller holds it.
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
