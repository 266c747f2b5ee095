import type { StrategyId } from '../../domain/account/ledger.ts';

/** Subject of a record: one or more strategies by id, or null for the whole account. */
export type RecordOwner = readonly StrategyId[] | null;

/** True when a strategy belongs to the record. */
export const isOf = (owner: RecordOwner, strategyId: StrategyId): boolean =>
  owner === null || owner.includes(strategyId);
