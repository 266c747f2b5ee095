import { UNALLOCATED, type StrategyId } from '../../domain/account/ledger.ts';

/** Subject of a record: a strategy by its id, or null for the whole account. */
export type RecordOwner = StrategyId | null;

/** True when something of this strategy belongs to the record. */
export const isOf = (owner: RecordOwner, strategyId: StrategyId): boolean =>
  owner === null || owner === strategyId;

/** Name of a strategy in records: `hand` for what none owns, as in the ids of its orders. */
export const ownerName = (strategyId: StrategyId): string =>
  strategyId === UNALLOCATED ? 'hand' : strategyId;
