import type { VenueClient } from '../../src/api/client.ts';
import { tradingCalendar } from '../../src/calendar/index.ts';
import type { VenueConfig } from '../../src/app/config/schema.ts';
import { probe } from '../../src/app/doctor/probe.ts';
import { epochMs } from '../../src/core/brand.ts';
import type { Address } from '../../src/domain/instrument.ts';
import type { Stage } from './stage.ts';

export type ProbeTerms = Readonly<{
  mode?: 'live' | 'dry-run';
  assumptions?: VenueConfig['assumptions'];
}>;

/** `drover doctor --probe` of the stage's second account with this client. */
export function probeOf(stage: Stage, client: VenueClient, { mode = 'live', assumptions }: ProbeTerms = {}) {
  const { baseUrl, chainId, contracts } = stage.info;
  const venue: VenueConfig = {
    baseUrl,
    chainId,
    product: 'ProductA',
    clock: 'system',
    requestsPerMinute: 600,
    router: contracts.router as Address,
    userAddress: stage.account(1).userAddress,
    assumptions,
  };
  return probe({ client, venue, mode, calendar: tradingCalendar, now: epochMs(stage.now()) });
}
