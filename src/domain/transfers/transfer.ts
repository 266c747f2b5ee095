import { isShownAs, type Cash, type Shares } from '../../core/amount.ts';
import type { Brand, EpochMs } from '../../core/brand.ts';
import type { Address, Ticker } from '../instrument.ts';
import type { SendOutcome, SignedSend, UnreadableRow } from '../venue.ts';
import {
  freeOf,
  OUTSIDE,
  QUEUED_IN,
  QUEUED_OUT,
  DEBT,
  UNALLOCATED,
  VENUE,
  WALLET,
  type Holding,
  type Place,
  type Posting,
} from '../account/ledger.ts';
import type { CommandId } from '../operator/restriction.ts';

/** Our own id of a transfer, chosen and journaled before anything is sent: `op-<number>`. The venue never sees it. */
export type TransferId = Brand<string, 'OperationId'>;

/** Terms of a transfer between wallet and venue. Amounts are wads: whole units of the cash token, mUSD for a withdrawal, or shares. */
export type MoveTerms = Readonly<
  | { kind: 'cashDeposit' | 'cashWithdrawal'; token: Address; amount: bigint }
  | { kind: 'stockDeposit' | 'stockWithdrawal' | 'repay'; symbol: Ticker; token: Address; amount: Shares }
>;
/**
 * Call that lets a contract take an amount of a token from the wallet, replacing the previous allowance. It moves nothing,
 * and the wallet always sends it itself. `name`: the token's, for people; `before`: the kind of transfer that needs it.
 */
export type ApprovalTerms = Readonly<{
  kind: 'approve';
  token: Address;
  name: string;
  spender: Address;
  amount: bigint;
  before: MoveTerms['kind'];
}>;
export type TransferTerms = MoveTerms | ApprovalTerms;
/** Kinds that the venue lists. A repayment shows only in debts and balances, an approval only on chain. */
export type ListedKind = Exclude<TransferTerms['kind'], 'repay' | 'approve'>;

/** State of a transfer. Each kind has exactly the fields known in that state. */
export type TransferState = Readonly<
  | { kind: 'planned' }
  /** `txHash`: known before the first byte is sent if the wallet sends the transaction itself. */
  | { kind: 'sent'; at: EpochMs; txHash?: string }
  | { kind: 'unknown'; at: EpochMs; reason: string; txHash?: string }
  | { kind: 'acknowledged'; at: EpochMs; txHash: string }
  /** Mined: the venue has received the amount, and pays it out when its turn in the queue comes. */
  | { kind: 'processing'; at: EpochMs; txHash: string }
  /** `received`: mUSD of a deposit, cash tokens of a withdrawal, shares. */
  | { kind: 'settled'; txHash: string | null; received: bigint }
  | { kind: 'failed'; txHash: string; reason: string }
  | { kind: 'refused'; reason: string }
  /** Proved by its nonce, which another transaction has used, or assumed after a configured grace period, without proof. */
  | { kind: 'neverExisted'; at: EpochMs; txHash?: string }
  | { kind: 'abandoned'; reason: string }
>;

export type Transfer = Readonly<{
  id: TransferId;
  terms: TransferTerms;
  /** Owner of deposited stock: the strategy whose sell needs it, or `UNALLOCATED`. */
  strategyId: string;
  /** Cause of the transfer: a policy, the intent of a sell, or who requested it and why. */
  cause: string;
  /** Operator's command that it carries out; absent if a policy wants it. */
  command?: CommandId;
  /** Value in mUSD at planning time, which counts against the caps. */
  value: Cash;
  /** Debt shown by the venue at planning time; a lower one later proves that a repayment took effect. */
  seen?: Readonly<{ wallet: bigint; debt: bigint }>;
  plannedAt: EpochMs;
  state: TransferState;
}>;

/** Status of a transfer at the venue. `pending`: only the link from transaction to key exists yet. */
export type TransferStatus = 'pending' | 'processing' | 'success' | 'failed' | 'unrecognised';

/** The venue's report of a transfer, from a row of its list. */
export type TransferReport = Readonly<{
  txHash: string;
  status: TransferStatus;
  /** Status in the venue's own words, for people and for unknown statuses. */
  rawStatus: string;
  /** Time at which the venue linked the transaction, in whole seconds. */
  createdAt: EpochMs;
  /** Amounts moved, in the units of the terms; null while only the link is known. `received`: null if not stated. */
  moved: Readonly<{ token: Address; amount: bigint; received: bigint | null }> | null;
}>;

export type TransferPage = Readonly<{ total: number; rows: readonly (TransferReport | UnreadableRow)[] }>;

/** Gate for sends without a deadline: unlike an order, they may be mined at any later time. */
export interface TransferGate {
  open(): { go: true } | { stop: string };
  commit(request: SignedSend): void;
  late?(outcome: SendOutcome): void;
}

/** Trace of a transaction. `revert`: reason why it changed nothing; null when it succeeded. */
export type TransferTrace = Readonly<
  | { kind: 'mined'; revert: string | null }
  | { kind: 'waiting' }
  | { kind: 'absent' }
  /** The chain shows nothing of it, which proves nothing: its nonce is used by something unknown, or no node says. */
  | { kind: 'unclear' }
  /** Another transaction was mined with its nonce, so it can no longer be mined. */
  | { kind: 'replaced' }
>;

/**
 * Port of the venue for transfers. Reads throw `DroverError`s whose `effect` is `none`; `submit` never throws for
 * faults of the venue or the network. Ways of submission other than One Click use the same gate.
 */
export interface TransferPort {
  submit(terms: TransferTerms, gate: TransferGate): Promise<SendOutcome>;
  /** Newest first. `page` counts from 1. */
  transfers(kind: ListedKind, query: { page: number; limit: number }): Promise<TransferPage>;
  /** Shares owed after deferred sells, by stock; nothing is owed of a stock that is missing. */
  debts(): Promise<ReadonlyMap<Ticker, Shares>>;
  /** Asks the chain about a transaction; absent without a node. `nonce`: of a transaction that the wallet signed itself. */
  trace?(terms: TransferTerms, txHash: string, nonce?: number): Promise<TransferTrace>;
  /** Sends the same bytes to the node again; nothing for an external transaction. Absent if the wallet does not send. */
  offerAgain?(txHash: string): Promise<void>;
  /**
   * Gives the nonce of a transaction that was closed without proof to the next one. At most one of the two is ever
   * mined, so the replacement cannot come on top of it.
   */
  giveUp?(txHash: string): void;
}

export type TransferEvent = Readonly<
  | { kind: 'sent'; at: EpochMs; txHash?: string }
  | { kind: 'accepted'; txHash: string }
  | { kind: 'refused'; reason: string }
  | { kind: 'lost'; reason: string }
  | { kind: 'abandoned'; reason: string }
  | { kind: 'reported'; report: TransferReport }
  /** Balances show its effect to the last digit; for an approval, the chain shows that it was mined. */
  | { kind: 'shown' }
  /** It was mined and reverted. */
  | { kind: 'reverted'; cause: string }
  /** Neither lists nor balances show it: after a configured grace period (never for a withdrawal), or by an operator. */
  | { kind: 'assumedGone' }
  /** Another transaction was mined with its nonce, and neither lists nor balances show it. */
  | { kind: 'replaced' }
>;

/** Result of an event. `stale` is normal, because polls overlap; `illegal` means that our model of the venue is wrong: the treasury stops. */
type TransferTransition = Readonly<
  | { kind: 'moved'; transfer: Transfer; alarm?: string }
  | { kind: 'stale' }
  | { kind: 'illegal'; rule: string }
>;

const ENDED: ReadonlySet<TransferState['kind']> = new Set([
  'settled',
  'failed',
  'refused',
  'neverExisted',
  'abandoned',
]);

export const transferHasEnded = ({ state }: Transfer): boolean => ENDED.has(state.kind);

/** True for a transfer that may or may not have been mined. */
export const isUnseen = ({ state }: Transfer): boolean =>
  state.kind === 'sent' || state.kind === 'unknown' || state.kind === 'acknowledged';

export const transferTxHash = ({ state }: Transfer): string | null =>
  'txHash' in state ? (state.txHash ?? null) : null;

/** Transfer after an event. Pure: it logs, sends and reads nothing. */
export function moveTransfer(transfer: Transfer, event: TransferEvent): TransferTransition {
  const { state } = transfer;
  switch (event.kind) {
    case 'sent':
      return state.kind === 'planned' ? move(transfer, event) : illegal('a transfer is sent once');
    case 'accepted':
      return accepted(transfer, event.txHash);
    case 'refused':
      return state.kind === 'sent'
        ? move(transfer, event)
        : illegal('only a transfer that awaits its answer can be refused');
    case 'lost':
      return state.kind === 'sent'
        ? move(transfer, { ...state, kind: 'unknown', reason: event.reason })
        : stale;
    case 'abandoned':
      return state.kind === 'planned'
        ? move(transfer, event)
        : illegal('only an operation that was not sent is abandoned');
    case 'reported':
      return reported(transfer, event.report);
    case 'shown':
      return shown(transfer);
    case 'reverted':
      return reverted(transfer, event.cause);
    case 'assumedGone':
    case 'replaced':
      return gone(transfer);
  }
}

const stale: TransferTransition = { kind: 'stale' };
const illegal = (rule: string): TransferTransition => ({ kind: 'illegal', rule });

function move(transfer: Transfer, state: TransferState): TransferTransition {
  const alarm =
    transfer.state.kind === 'neverExisted' ? 'an operation taken for never sent has turned up' : undefined;
  return { kind: 'moved', transfer: { ...transfer, state }, ...(alarm === undefined ? {} : { alarm }) };
}

const NEVER_LEFT = 'the venue has a transfer that never left this machine';

function accepted(transfer: Transfer, txHash: string): TransferTransition {
  const { state } = transfer;
  const known = transferTxHash(transfer);
  if (known !== null && known !== txHash) return illegal('the transaction of an operation has changed');
  if (state.kind !== 'sent' && state.kind !== 'unknown' && state.kind !== 'neverExisted')
    // A transfer shown by balances, without its transaction, may get a late answer.
    return known === txHash || state.kind === 'settled' ? stale : illegal(NEVER_LEFT);
  return move(transfer, { kind: 'acknowledged', at: state.at, txHash });
}

/** Applies a report. Reports repeat and arrive late: a transfer only moves forward, and an ended one stays as it is. */
function reported(
  transfer: Transfer,
  { txHash, status, rawStatus, moved }: TransferReport,
): TransferTransition {
  const { state, terms } = transfer;
  const known = transferTxHash(transfer);
  if (known === null) return illegal(NEVER_LEFT);
  if (known !== txHash) return illegal('the transaction of an operation has changed');
  if (moved && !isShownAs(moved.amount, terms.amount))
    return illegal('an operation has moved another amount than asked');
  if (status === 'pending' || status === 'unrecognised') return stale;
  if (state.kind === 'settled')
    return status === 'failed' ? illegal('a settled operation has failed') : stale;
  if (state.kind === 'failed') return status === 'failed' ? stale : illegal('a failed operation goes on');
  if (status === 'failed')
    return move(transfer, { kind: 'failed', txHash, reason: `the venue says "${rawStatus}"` });
  const received = moved?.received === moved?.amount ? null : moved?.received;
  if (status === 'success')
    return move(transfer, { kind: 'settled', txHash, received: received ?? terms.amount });
  if (state.kind === 'processing') return stale;
  return move(transfer, { kind: 'processing', at: 'at' in state ? state.at : transfer.plannedAt, txHash });
}

function shown(transfer: Transfer): TransferTransition {
  if (transferHasEnded(transfer)) return stale;
  if (!isUnseen(transfer)) return illegal('only a sent operation can have taken effect');
  const { amount } = transfer.terms;
  return move(transfer, { kind: 'settled', txHash: transferTxHash(transfer), received: amount });
}

function reverted(transfer: Transfer, cause: string): TransferTransition {
  const { state } = transfer;
  if (state.kind === 'failed') return stale;
  const txHash = transferTxHash(transfer);
  if (txHash === null) return illegal(NEVER_LEFT);
  if (state.kind === 'settled' || state.kind === 'processing')
    return illegal('a mined operation has reverted');
  return move(transfer, { kind: 'failed', txHash, reason: cause });
}

function gone(transfer: Transfer): TransferTransition {
  const { state } = transfer;
  if (state.kind !== 'unknown' && state.kind !== 'acknowledged') return stale;
  const { at, txHash } = state;
  return move(transfer, { kind: 'neverExisted', at, ...(txHash === undefined ? {} : { txHash }) });
}

/** Postings that reserve the amount of a transfer while it is under way. */
export function bindTransfer({ terms }: Transfer): Posting[] {
  if (terms.kind === 'approve') return [];
  const { from, queue } = placesOf(terms);
  return flow(assetTaken(terms), terms.amount, [from, queue]);
}

/** Postings for the end of a transfer: the amount under way goes to its destination, or back to its origin. */
export function endTransfer({ terms, strategyId, state }: Transfer): Posting[] {
  if (terms.kind === 'approve') return [];
  const { from, queue } = placesOf(terms);
  const taken = assetTaken(terms);
  if (state.kind !== 'settled') return flow(taken, terms.amount, [queue, from]);
  const brought = assetBrought(terms);
  if (brought === null) return flow(taken, terms.amount, [queue, DEBT]);
  const owner = 'symbol' in terms ? strategyId : UNALLOCATED;
  const [left, entered, goal] = isWithdrawal(terms)
    ? [VENUE, OUTSIDE, WALLET]
    : [OUTSIDE, VENUE, freeOf(owner)];
  return [...flow(taken, terms.amount, [queue, left]), ...flow(brought, state.received, [entered, goal])];
}

/** Asset that a transfer takes. A cash token is identified by its lower-case address. */
export function assetTaken(terms: MoveTerms): Holding {
  if ('symbol' in terms) return terms.symbol;
  return terms.kind === 'cashWithdrawal' ? 'mUSD' : terms.token;
}

/** Asset that a transfer delivers; null for a repayment, whose shares are burned. */
export function assetBrought(terms: MoveTerms): Holding | null {
  if (terms.kind === 'repay') return null;
  if ('symbol' in terms) return terms.symbol;
  return terms.kind === 'cashDeposit' ? 'mUSD' : terms.token;
}

/** True for a transfer out of the venue; every other one takes from the wallet. */
export const isWithdrawal = ({ kind }: TransferTerms): boolean =>
  kind === 'cashWithdrawal' || kind === 'stockWithdrawal';

/** Total amount of the matching live transfers, in the units of their terms. */
export function sumOfTransfers(
  live: ReadonlyMap<TransferId, Transfer>,
  counts: (terms: MoveTerms, transfer: Transfer) => boolean,
): bigint {
  let sum = 0n;
  for (const transfer of live.values()) {
    const { terms } = transfer;
    if (terms.kind !== 'approve' && counts(terms, transfer)) sum += terms.amount;
  }
  return sum;
}

const placesOf = (terms: MoveTerms): Record<'from' | 'queue', Place> =>
  isWithdrawal(terms) ? { from: freeOf(UNALLOCATED), queue: QUEUED_OUT } : { from: WALLET, queue: QUEUED_IN };

const flow = (asset: Holding, amount: bigint, [from, to]: readonly [Place, Place]): Posting[] => [
  { ...from, asset, amount: -amount },
  { ...to, asset, amount },
];
