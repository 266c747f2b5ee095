import type { StrategyId } from '../../domain/account/ledger.ts';

/** Subject of a record: strategies by their ids, one or several together, or null for the whole account. */
export type RecordOwner = readonly StrategyId[] | null;

/** True when something of this strategy belongs to the record. */
export const isOf = (owner: RecordOwner, strategyId: StrategyId): boolean =>
  owner === null || owner.includes(strategyId);
