import type { Brand, EpochMs } from '../../core/brand.ts';
import type { Ticker } from '../instrument.ts';

/** Id of a command, chosen by the client: a repeated id gets the first answer again, and does nothing. */
export type CommandId = Brand<string, 'CommandId'>;

/** Trading states, from the loosest to the strictest. `reducing`: only orders that reduce a position; `halted`: none. */
export const TRADING_STATES = ['active', 'reducing', 'halted'] as const;

export type TradingState = (typeof TRADING_STATES)[number];

/** Scope of an operator's command: orders that match each given field; the whole run if none is given. */
export type Scope = Readonly<{ strategyId?: string; symbol?: Ticker }>;

/**
 * Cause of a restriction. Each is stored, shown and lifted separately. `fees`: the venue charged more than the limit.
 * `doubt`: too many consecutive orders had an unrequested end that only the venue claims. `restored`: the journal is a
 * backup, and the venue may have moved on since.
 */
export type RestrictionCause = 'operator' | 'kill file' | 'fees' | 'drawdown' | 'doubt' | 'restored';

/** A trading restriction, at most one per cause and scope. `by`: who set it. `command`: the command that set it. */
export type Restriction = Readonly<{
  state: Exclude<TradingState, 'active'>;
  cause: RestrictionCause;
  scope: Scope;
  by: string;
  reason: string;
  since: EpochMs;
  command?: CommandId;
}>;
