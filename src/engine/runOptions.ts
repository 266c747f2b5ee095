import type { TradingCalendar } from '../calendar/index.ts';
import type { Cash } from '../core/amount.ts';
import type { EpochMs } from '../core/brand.ts';
import type { Clock } from '../core/clock.ts';
import type { Pulse } from '../core/pulse.ts';
import type { Journal } from '../domain/fact.ts';
import type { OperationPort } from '../domain/operation.ts';
import type { Venue } from '../domain/venue.ts';
import type { TradingRules } from './desk.ts';
import type { StrategySetup } from './host.ts';
import type { Notice } from './notice.ts';
import type { PollingPeriods } from './polling.ts';
import type { TreasuryPolicies } from './treasuryPolicy.ts';

export type Until = Readonly<
  { kind: 'sessions'; count: number } | { kind: 'instant'; at: EpochMs } | { kind: 'stopped' }
>;

export type RunnerOptions = Readonly<{
  clock: Clock;
  venue: Venue;
  /** Where operations are sent and looked for. Without it the treasury does nothing. */
  operations?: OperationPort;
  treasury?: TreasuryPolicies;
  journal: Journal;
  calendar: TradingCalendar;
  rules: TradingRules;
  /** The config's overlay of the venue's names and words, where it has one; journaled with the start. */
  assumptions?: Readonly<Record<string, unknown>>;
  strategies: readonly (StrategySetup & Readonly<{ capital: Cash }>)[];
  periods: PollingPeriods;
  until: Until;
  /** True while the kill file exists. Asked before every placement; it stops no cancel. */
  killed: () => boolean;
  /** Notices when the program has stood still while the venue went on. Without it, time stands still with the program. */
  pulse?: Pulse;
  /** What becomes of orders that rest at the venue when the run is stopped. */
  atStop?: 'leave' | 'cancel';
  tell: (notice: Notice) => void;
}>;
