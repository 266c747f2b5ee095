import { z } from 'zod';
import { ok, type Route } from '../control/route.ts';

/** A daemon on the page. `base`: prefix of its API, relative to the page, such as `d/two/`; empty for the page's own. */
const memberSchema = z.object({ name: z.string(), base: z.string() });
export type FleetMember = Readonly<z.output<typeof memberSchema>>;

/** Answer of the endpoint. */
export const fleetSchema = z.object({ daemons: z.array(memberSchema) });

/** Endpoint that lists the daemons that a page can show. */
export const fleetRoute = (daemons: readonly FleetMember[]): Route => ({
  method: 'GET',
  path: '/v1/fleet',
  summary: 'Daemons that the page can show, each with the prefix of its API.',
  answer: fleetSchema,
  handle: () => ok({ daemons }),
});
