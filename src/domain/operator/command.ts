import type { EpochMs } from '../../core/brand.ts';
import type { Ticker } from '../instrument.ts';
import type { MoveTerms, Transfer } from '../transfers/transfer.ts';
import type { Order } from '../orders/order.ts';
import type { IntentEnd, IntentTerms, OrderIntent } from '../orders/orderIntent.ts';
import type { Settings } from './settings.ts';
import type { CommandId, Scope, TradingState } from './restriction.ts';

/** Everything that an operator can order a running daemon to do. */
export type OperatorCommand = Readonly<
  /** `active` lifts every restriction of exactly this scope, whatever its cause. `cancel`: open buys are cancelled, or all orders when halted. */
  | { kind: 'trade'; state: TradingState; scope: Scope; cancel?: boolean }
  /** `orders`: ids of the orders or intents to cancel; all of the scope without it. */
  | { kind: 'cancel'; scope: Scope; orders?: readonly string[] }
  /** Halts the scope, cancels its orders and sells what its strategies hold. `unallocated`: what belongs to none as well. */
  | { kind: 'flatten'; scope: Scope; unallocated?: boolean }
  | { kind: 'freeze'; symbol: Ticker }
  /** `subject`: a symbol, `fees`, `one-click` or a cash token. */
  | { kind: 'unfreeze'; subject: string; acceptTerms?: boolean }
  /**
   * Takes the venue's balance of an asset into the ledger. `for`: strategy whose it is; unallocated without it. `preview`: only
   * shows what it would take.
   */
  | { kind: 'accept'; asset: string; for?: string; preview?: boolean }
  /** Accepts an external order as known and intended. */
  | { kind: 'acceptOrder'; txHash: string }
  /** Vouches that an order or transfer without an answer was never carried out, or that its claimed end is true. */
  | { kind: 'resolve'; id: string }
  /** `alarm`: id of one alarm; all of them without it. `alarms`: those that are meant, as the daemon knows them. */
  | { kind: 'acknowledge'; alarm?: string; alarms?: readonly Readonly<{ id: string; text: string }>[] }
  /** Manual order. `strategyId`: strategy whose money and shares it uses; unallocated ones without it. */
  | { kind: 'order'; symbol: Ticker; terms: IntentTerms; strategyId?: string }
  /** Manual transfer between wallet and venue. */
  | { kind: 'transfer'; terms: MoveTerms }
  | ({ kind: 'reload' } & Reload)
  /** Ends the run in order. `cancel`: open orders are cancelled first. */
  | { kind: 'stop'; cancel?: boolean }
>;

/**
 * Takes limits, polling periods and rules for other hands from the config file again. `dryRun`: only shows what would change.
 * `yes`: they may become looser in mode live. The rest is read from the file by the daemon.
 */
export type Reload = Readonly<{
  changes: Readonly<Record<string, unknown>>;
  dryRun?: boolean;
  yes?: boolean;
  /** Settings from here on, and those until here; both absent if nothing changes. */
  settings?: Settings;
  before?: Settings;
  /** Places in the config whose changes need a restart. */
  needsRestart?: readonly string[];
  /** Reason why the file is not taken. */
  refusal?: Readonly<{ because: 'usage' | 'safety'; text: string }>;
}>;

/** Reason of a command that none was given for. */
export const BY_HAND = 'by hand';

export type CommandOf<Kind extends OperatorCommand['kind']> = Extract<OperatorCommand, { kind: Kind }>;

/** A command with its id, who gave it and why. */
export type OperatorRequest = Readonly<{
  id: CommandId;
  by: string;
  reason: string;
  command: OperatorCommand;
}>;

/** Answer to a command, kept in the journal. `result`: its values, for programs. */
export type OperatorAnswer = Readonly<
  | { kind: 'done'; text: string; result: Readonly<Record<string, unknown>> }
  /**
   * `usage`: the command names something that is not there; `safety`: a safety rule forbids it now. Nothing was changed.
   * `terms`: what the same command with `acceptTerms` accepts.
   */
  | { kind: 'refused'; because: 'usage' | 'safety'; text: string; terms?: TermsToAccept }
>;

export type Refusal = Extract<OperatorAnswer, { kind: 'refused' }>;

/** New terms of the venue: one line that says which, and each by name. */
export type TermsToAccept = Readonly<{
  what: string;
  facts: readonly (readonly [name: string, value: string])[];
}>;

/** Progress of a command: the orders that it has moved so far, and those that are left. */
export type CommandProgress = Readonly<{
  request: OperatorRequest;
  /** Null until it is answered. */
  answer: OperatorAnswer | null;
  /** True when it is answered and nothing is left. */
  isDone: boolean;
  cancelled: number;
  sold: number;
  left: readonly string[];
  /** Latest order of a manual order; absent before there is one. */
  order?: Order | undefined;
  /** Intent of a manual order that waits for its time, such as the open, and has no order yet. */
  waiting?: OrderIntent | undefined;
  ended?: OrderEnd | undefined;
  transfer?: Transfer | undefined;
}>;

/** End of the intent of a manual order. */
export type OrderEnd = Readonly<{ how: IntentEnd; why: string }>;

/**
 * A command with its answer, null until it has one. `isFlattening`: it still sells. `ended`: of a manual order. `at`: time at which
 * it was journaled. `restrictions`, `freezes`: number of restrictions that had been set before it, and of causes of freezes.
 * `intents`: ids of the intents that it has led to. `left`: what the end of a flatten left.
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
