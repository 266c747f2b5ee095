/**
 * Numbers and words of the wire that the venue's specification leaves open, as this venue speaks them. They stand here
 * and nowhere else.
 */

/** Codes of the envelope. */
export const CODES = {
  success: 200,
  unauthorized: 401,
  failed: 500,
  validation: 10_000,
  notFound: 10_001,
  /** A trading rule stands against it. */
  rule: 10_002,
  /** Failed on chain or in delegation. */
  chain: 10_003,
} as const;
export type Code = (typeof CODES)[keyof typeof CODES];

/** An operation that moves something between wallet and venue. */
export type MoveWord = 'deposit' | 'withdraw' | 'stock_deposit' | 'stock_withdraw';

/** Purpose of a transaction that is linked to a key. */
export type OperationWord = MoveWord | 'trade' | 'deferred_repay';

/** Status of an operation. A link has `Pending` before. */
export type OperationStatus = 'processing' | 'success' | 'failed';

/** Final status of an order that reached the chain. */
export type Ending = 'Filled' | 'Canceled' | 'Expired' | 'Rejected';

/** Status of a linked order: `Pending` until the chain has it, `Failed` when its transaction reverted. */
export type OrderWord = 'Pending' | 'New' | 'Partial filled' | 'Failed' | Ending;

/** Raw status of an open order. */
export type RawWord = 'placing' | 'canceling';
