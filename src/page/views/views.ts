import type { FunctionComponent } from 'preact';
import type { Connection } from '../connection/connection.ts';
import type { Place } from '../place.ts';
import { Now } from './now.tsx';

/** What a view gets: the daemon that it shows, and the place in the page. */
export type ViewProps = Readonly<{ daemon: Connection; place: Place }>;

type View = Readonly<{ name: string; title: string; Show: FunctionComponent<ViewProps> }>;

/** Views of a daemon, in the order of the navigation. `name`: the first word behind `#/`. */
export const VIEWS: readonly View[] = [{ name: 'now', title: 'Now', Show: Now }];
