import type { Brand, EpochMs } from '../../core/brand.ts';
import type { Ticker } from '../instrument.ts';

/** Id of a command, made by the client: the same id gets the first answer again, and does nothing. */
export type CommandId = Brand<string, 'CommandId'>;

/** States of trading, from the loosest to the strictest. `reducing`: only orders that make a position smaller; `halted`: none. */
export const TRADING_STATES = ['active', 'reducing', 'halted'] as const;

export type TradingState = (typeof TRADING_STATES)[number];

/** Range of an operator's command: orders that match each given field; all of the run without any. */
export type Scope = Readonly<{ strategyId?: string; symbol?: Ticker }>;

/**
 * Cause of a restriction. Each is kept, shown and lifted separately. `fees`: the venue took more than the limit. `doubt`: too many
 * orders in a row have ended, by the venue's word alone, though nobody asked. `restored`: the journal is a backup, and the venue may
 * have moved on since.
 */
export type RestrictionCause = 'operator' | 'kill file' | 'fees' | 'drawdown' | 'doubt' | 'restored';

/** A restriction of trading: at most one of each cause and scope. `by`: who set it. `command`: command that it comes from. */
export type Restriction = Readonly<{
  state: Exclude<TradingState, 'active'>;
  cause: RestrictionCause;
  scope: Scope;
  by: string;
  reason: string;
  since: EpochMs;
  command?: CommandId;
}>;
