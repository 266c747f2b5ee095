import { ASSUMED, assumptionsOf, type Assumptions } from '../../api/assumptions/assumptions.ts';
import { assumptionOverlay } from '../../api/assumptions/overlay.ts';
import { routerFunctions } from '../../wallet/routerFunctions.ts';
import type { VenueConfig } from './schema.ts';

/** `venue.assumptions`: names and words of the wire, and signatures of the router's functions. */
export const assumptions = assumptionOverlay.extend({
  functions: routerFunctions
    .optional()
    .describe(
      'Signatures of functions of the router, by the names that they have here, where the venue has others.',
    ),
});

/** The names and words that a client of this venue goes by. */
export const assumptionsIn = ({ assumptions: overlay }: Pick<VenueConfig, 'assumptions'>): Assumptions =>
  overlay === undefined ? ASSUMED : assumptionsOf(overlay);
