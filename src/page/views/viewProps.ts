import type { Connection } from '../connection/connection.ts';
import type { Place } from '../place.ts';

/** Properties of a view: the daemon that it shows, all daemons of the page, and the place in it. */
export type ViewProps = Readonly<{ daemon: Connection; fleet: readonly Connection[]; place: Place }>;
