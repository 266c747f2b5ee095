import type { Connection } from '../connection/connection.ts';
import type { Place } from '../place.ts';

/** Properties of a view: the daemon shown, all daemons of the page, and the current place. */
export type ViewProps = Readonly<{ daemon: Connection; fleet: readonly Connection[]; place: Place }>;
