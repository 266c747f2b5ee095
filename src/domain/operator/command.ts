import type { EpochMs } from '../../core/brand.ts';
import type { Ticker } from '../instrument.ts';
import type { MoveTerms, Transfer } from '../transfers/transfer.ts';
import type { Order } from '../orders/order.ts';
import type { IntentEnd, IntentTerms, OrderIntent } from '../orders/orderIntent.ts';
import type { Settings } from './settings.ts';
import type { CommandId, Scope, TradingState } from './restriction.ts';

/** Everything that an operator can order a running daemon to do. */
export type OperatorCommand = Readonly<
  /** `active` lifts every restriction of exactly this scope. `cancel`: open buys are cancelled, or all orders when halted. */
  | { kind: 'trade'; state: TradingState; scope: Scope; cancel?: boolean }
  /** `orders`: ids of the orders or intents to cancel; absent: all in the scope. */
  | { kind: 'cancel'; scope: Scope; orders?: readonly string[] }
  /** Halts the scope, cancels its orders and sells its strategies' holdings. `unallocated`: also unallocated holdings. */
  | { kind: 'flatten'; scope: Scope; unallocated?: boolean }
  | { kind: 'freeze'; symbol: Ticker }
  /** `subject`: a symbol, `fees`, `one-click` or a cash token. */
  | { kind: 'unfreeze'; subject: string; acceptTerms?: boolean }
  /**
   * Accepts the venue's balance of an asset into the ledger. `for`: strategy that gets it; absent: unallocated.
   * `preview`: only shows what would be accepted.
   */
  | { kind: 'accept'; asset: string; for?: string; preview?: boolean }
  /** Accepts an external order as known and intended. */
  | { kind: 'acceptOrder'; txHash: string }
  /** Declares that an order or transfer without an answer was never made, or that its claimed end is true. */
  | { kind: 'resolve'; id: string }
  /** `alarm`: id of one alarm; absent: all. `alarms`: the matching ones, as the daemon knows them. */
  | { kind: 'acknowledge'; alarm?: string; alarms?: readonly Readonly<{ id: string; text: string }>[] }
  /** Manual order. `strategyId`: strategy whose money and shares it uses; absent: unallocated ones. */
  | { kind: 'order'; symbol: Ticker; terms: IntentTerms; strategyId?: string }
  /** Manual transfer between wallet and venue. */
  | { kind: 'transfer'; terms: MoveTerms }
  | ({ kind: 'reload' } & Reload)
  /** Ends the run in order. `cancel`: cancels open orders first. */
  | { kind: 'stop'; cancel?: boolean }
>;

/**
 * Reloads limits, polling periods and rules for external orders and transfers from the config file. `dryRun`: only
 * shows what would change. `yes`: allows looser settings in mode live. The daemon fills in the rest from the file.
 */
export type Reload = Readonly<{
  changes: Readonly<Record<string, unknown>>;
  dryRun?: boolean;
  yes?: boolean;
  /** Settings from now on, and until now; both absent if nothing changes. */
  settings?: Settings;
  before?: Settings;
  /** Places in the config whose changes need a restart. */
  needsRestart?: readonly string[];
  /** Reason why the file is refused. */
  refusal?: Readonly<{ because: 'usage' | 'safety'; text: string }>;
}>;

/** Reason of a command given without one. */
export const BY_HAND = 'by hand';

export type CommandOf<Kind extends OperatorCommand['kind']> = Extract<OperatorCommand, { kind: Kind }>;

/** A command with its id, who gave it and why. */
export type OperatorRequest = Readonly<{
  id: CommandId;
  by: string;
  reason: string;
  command: OperatorCommand;
}>;

/** Answer to a command, stored in the journal. `result`: its values, for programs. */
export type OperatorAnswer = Readonly<
  | { kind: 'done'; text: string; result: Readonly<Record<string, unknown>> }
  /**
   * `usage`: the command refers to something that does not exist; `safety`: a safety rule forbids it now. Nothing was
   * changed. `terms`: what the same command with `acceptTerms` would accept.
   */
  | { kind: 'refused'; because: 'usage' | 'safety'; text: string; terms?: TermsToAccept }
>;

export type Refusal = Extract<OperatorAnswer, { kind: 'refused' }>;

/** New terms of the venue: a one-line summary, and each term by name. */
export type TermsToAccept = Readonly<{
  what: string;
  facts: readonly (readonly [name: string, value: string])[];
}>;

/** Progress of a command: the orders handled so far, and those left. */
export type CommandProgress = Readonly<{
  request: OperatorRequest;
  /** Null until it is answered. */
  answer: OperatorAnswer | null;
  /** True once it is answered and nothing is left. */
  isDone: boolean;
  cancelled: number;
  sold: number;
  left: readonly string[];
  /** Latest order of a manual order; absent before the first. */
  order?: Order | undefined;
  /** Intent of a manual order that waits for its time, such as the open, and has no order yet. */
  waiting?: OrderIntent | undefined;
  ended?: OrderEnd | undefined;
  transfer?: Transfer | undefined;
}>;

/** End of the intent of a manual order. */
export type OrderEnd = Readonly<{ how: IntentEnd; why: string }>;

/**
 * A command with its answer, null until answered. `isFlattening`: it is still selling. `ended`: end of a manual order.
 * `at`: time at which it was journaled. `restrictions`, `freezes`: number of restrictions, and of causes of freezes,
 * set before it. `intents`: ids of the intents it has created. `left`: what the end of a flatten left.
 */
export type KnownCommand = Readonly<{
  request: OperatorRequest;
  answer: OperatorAnswer | null;
  isFlattening: boolean;
  ended?: OrderEnd;
  at: EpochMs;
  restrictions: number;
  freezes: number;
  intents: readonly string[];
  left: readonly string[];
}>;
