import { z } from 'zod';
import { common, day } from './common.ts';

export const chainRules = [
  /** The transaction leaves the mempool again: no block ever has it. */
  z.strictObject({ kind: z.literal('unmined'), ...common }),
  /** The transaction waits so many ms longer for its block, and with it those that its wallet sends after it. */
  z.strictObject({ kind: z.literal('mined-late'), ms: day, ...common }),
  /** The transaction is mined and changes nothing, for this reason. `out of gas` uses up all of its gas. */
  z.strictObject({ kind: z.literal('revert'), cause: z.string().min(1).max(200), ...common }),
] as const;

/** Above 0, up to all of it. */
const share = z.number().min(0).max(1);

export const orderRules = [
  /** Settles so many ms later than usual; of a cancel: the order stays `canceling` so much longer. */
  z.strictObject({ kind: z.literal('settle-late'), ms: day, ...common }),
  /** No more than this share of it ever executes. */
  z.strictObject({ kind: z.literal('settle-partly'), share, ...common }),
  /** Settles in so many parts, one every so many ms. */
  z.strictObject({
    kind: z.literal('settle-in-parts'),
    parts: z.int().min(2).max(20),
    everyMs: day,
    ...common,
  }),
  /** Is taken back so many ms after it has settled, and settles again so many later, or never. */
  z.strictObject({ kind: z.literal('settle-reversed'), ms: day, againMs: day.optional(), ...common }),
  /** So many ms after it has settled, the indexer tells another price and transaction of it. */
  z.strictObject({ kind: z.literal('settle-restated'), ms: day, ...common }),
  /** Balances move so many ms after the indexer could tell of it. */
  z.strictObject({ kind: z.literal('balance-late'), ms: day, ...common }),
  /** The indexer tells of it so many ms later than it could: balances have moved long before. */
  z.strictObject({ kind: z.literal('status-late'), ms: day, ...common }),
  /** Of a cancel: what is left of the order executes to this share before its block, and nothing else does. */
  z.strictObject({ kind: z.literal('cancel-race'), filled: share, ...common }),
] as const;
