import type { FunctionComponent } from 'preact';
import { Account } from './account/account.tsx';
import { FleetView } from './fleet.tsx';
import { JournalView } from './journal/journal.tsx';
import { Now } from './now/now.tsx';
import { Orders } from './orders/orders.tsx';
import { Runs } from './runs/runList.tsx';
import { StrategyPage } from './strategy/strategy.tsx';
import type { ViewProps } from './viewProps.ts';

/** A view. `isOfMany`: only present if the page has several daemons. */
type View = Readonly<{
  name: string;
  title: string;
  isOfMany?: boolean;
  Show: FunctionComponent<ViewProps>;
}>;

/** Views of a daemon, in navigation order. `name`: the first word after `#/`. */
export const VIEWS: readonly View[] = [
  { name: 'fleet', title: 'Fleet', isOfMany: true, Show: FleetView },
  { name: 'now', title: 'Now', Show: Now },
  { name: 'strategy', title: 'Strategies', Show: StrategyPage },
  { name: 'orders', title: 'Orders', Show: Orders },
  { name: 'journal', title: 'Journal', Show: JournalView },
  { name: 'account', title: 'Account', Show: Account },
  { name: 'runs', title: 'Runs', Show: Runs },
];
