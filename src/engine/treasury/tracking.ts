import { formatDecimal } from '../../core/amount.ts';
import type { AccountState } from '../../domain/account/accountState.ts';
import { expectedInWallet } from '../../domain/account/comparison.ts';
import { isToken, type Holding } from '../../domain/account/ledger.ts';
import { sameAddress } from '../../domain/instrument.ts';
import {
  type MoveTerms,
  type Transfer,
  type TransferState,
  assetTaken,
  moveTransfer,
  transferHasEnded,
  type TransferEvent,
  type TransferId,
  isUnseen,
  transferTxHash,
  type TransferReport,
  type TransferTerms,
  type TransferTrace,
} from '../../domain/transfers/transfer.ts';
import type { AccountReport, SignedSend } from '../../domain/venue.ts';
import { describeTransfer } from '../../domain/describe.ts';
import { type TransferBook, inTransferTime, ownerOfRow } from '../../domain/transfers/transferBook.ts';
import type { EngineContext } from '../state/engineContext.ts';
import { epochMs, toIso, type EpochMs } from '../../core/brand.ts';
import type { KernelEvent } from '../state/kernelEvent.ts';

/** Ends without effect that only venue or node report. */
const WITHOUT_EFFECT: ReadonlySet<TransferState['kind']> = new Set(['failed', 'refused', 'neverExisted']);

/**
 * Reason not to move more of a token out of the wallet, or null. The wallet has less than the ledger: something was taken that
 * the journal does not know of, or that one source reported as ended without effect. Another transfer would take it twice,
 * beyond the cap of a day.
 */
export function transferDoubt(
  accountState: AccountState,
  report: AccountReport,
  terms: MoveTerms,
): string | null {
  const asset = assetTaken(terms);
  const { least } = expectedInWallet(accountState, asset);
  const actual = inWallet(report, asset);
  if (actual === null || actual >= least) return null;
  const ended = lastWithoutEffect(accountState.operations.all.values(), terms);
  const cause = ended
    ? `: ${describeTransfer(ended)} (${ended.id}) ended without effect by one source's word alone`
    : '';
  return (
    `the wallet has ${formatDecimal(least - actual)} less of ${asset} than the ledger${cause}. Nothing more of it is moved ` +
    `until they agree. Look at the venue and the wallet for what took it; "drover adopt ${asset} --reason TEXT" takes the ` +
    'difference over'
  );
}

/** True where the wallet shows all that a deposit or repayment, not mined yet, would take from it. */
function isStillInWallet(accountState: AccountState, report: AccountReport, terms: MoveTerms): boolean {
  const asset = assetTaken(terms);
  const actual = inWallet(report, asset);
  return actual !== null && actual >= expectedInWallet(accountState, asset).expected;
}

function lastWithoutEffect(operations: Iterable<Transfer>, { token }: MoveTerms): Transfer | undefined {
  return [...operations].findLast(
    ({ terms, state }) =>
      terms.kind !== 'approve' && sameAddress(terms.token, token) && WITHOUT_EFFECT.has(state.kind),
  );
}

/** Null where it was not asked for. */
function inWallet({ holdings, tokens }: AccountReport, asset: Holding): bigint | null {
  if (asset === 'mUSD') return null;
  if (isToken(asset)) return tokens?.get(asset) ?? null;
  return holdings.get(asset)?.wallet ?? null;
}

/** Moves transfers to their next state, and reports it. */
export class TransferMoves {
  readonly #context: EngineContext;
  /** Number of transfers that have ended: an account read before the latest end is out of date. */
  ended = 0;

  constructor(context: EngineContext) {
    this.#context = context;
  }

  get book(): TransferBook {
    return this.#context.accountState.operations;
  }

  /** An impossible event stops the treasury and changes nothing else. */
  move(id: TransferId, event: TransferEvent, request?: SignedSend): void {
    const result = moveTransfer(this.book.operation(id), event);
    if (result.kind === 'stale') return;
    if (result.kind === 'illegal') return this.stop(`operation ${id}: ${result.rule}`);
    this.#context.record({ kind: 'operation', id, event, ...(request ? { request } : {}) });
    if (result.alarm !== undefined) this.stop(`operation ${id}: ${result.alarm}`);
    const { operation: transfer } = result;
    if (transferHasEnded(transfer)) this.ended++;
    this.#narrate(transfer);
  }

  stop(why: string): void {
    if (this.book.stopped !== null) return;
    this.#context.record({ kind: 'treasuryStopped', why });
    this.#context.notify('alarm', `the treasury has stopped: ${why}`);
  }

  #narrate(transfer: Transfer): void {
    const { state, terms } = transfer;
    const text = describeTransfer(transfer);
    if (state.kind === 'sent') this.#context.notify('sent', text);
    if (state.kind === 'settled') {
      const received = terms.kind === 'approve' ? '' : `, ${formatDecimal(state.received)} received`;
      this.#context.notify('account', `${text}: done${received}`);
    }
    if (state.kind === 'failed') this.#context.notify('alarm', `${text}: failed on chain, ${state.reason}`);
  }
}

type Listed = Extract<KernelEvent, { kind: 'operations' }>;
type Traced = Extract<KernelEvent, { kind: 'operationTraced' }>;

/** Longest time in ms that a transfer stays without an answer before an alarm. */
const GRACE_MS = 600_000;
/** Longest time after its send, in ms, that a transaction may still be mined: the longest deadline and a minute. */
const LAST_MINED_MS = 180_000;
/** Complete lists without a candidate before a configured grace may close an operation. */
const CLEAN_LISTS = 2;

const WALLET_DISAGREES =
  ', orders.assumeGoneAfterMinutes is over, and the wallet does not agree that it was never done';

/** A report of the account, and when its request left. */
type AccountLook = Readonly<{ asked: EpochMs; report: AccountReport }>;

/** Follows transfers by lists, balances and the chain. */
export class TransferTracker {
  readonly #context: EngineContext;
  readonly #moves: TransferMoves;
  readonly #cleanLists = new Map<TransferId, number>();
  /** Time at which each was first known to be replaced on chain by another transaction with its nonce. */
  readonly #replacedAt = new Map<TransferId, EpochMs>();
  /** Operations that have been reported as open, each with the reason. */
  readonly #alarmed = new Set<string>();

  constructor(context: EngineContext, moves: TransferMoves) {
    this.#context = context;
    this.#moves = moves;
  }

  /** `complete`: the list was read as far back as the oldest operation of its kind that has not ended. */
  listed({ operation: kind, rows, complete, asked }: Listed): void {
    for (const row of rows) if (!('unreadable' in row)) this.#row(row, asked);
    if (!complete) return;
    for (const transfer of this.#book.live.values()) {
      if (transfer.terms.kind !== kind || !isUnseen(transfer)) continue;
      this.#look(transfer, { isClean: !rows.some((row) => this.#mayBe(transfer, row)) });
    }
  }

  /** A transaction of its own that the list still shows may yet be mined: nothing ends an operation but its block. */
  #mayBe(transfer: Transfer, row: Listed['rows'][number]): boolean {
    if (row.txHash === null) return true;
    const own = transferTxHash(transfer);
    if (own !== null) return row.txHash === own && !this.#isOnlyLinked(transfer, row);
    if (this.#book.byTx.has(row.txHash)) return false;
    return 'unreadable' in row || inTransferTime(transfer, row);
  }

  /** A link to the key proves no transaction: it stays when nothing is mined. */
  #isOnlyLinked({ id }: Transfer, row: Listed['rows'][number]): boolean {
    return this.#replacedAt.has(id) && !('unreadable' in row) && row.status === 'pending';
  }

  /** What was mined has reverted or not; a repayment and an approval are done with that, the rest goes by the lists. */
  traced({ id, trace }: Traced): void {
    const transfer = this.#book.operation(id);
    const { kind } = transfer.terms;
    if (!isUnseen(transfer)) return;
    this.#noteReplaced(id, trace);
    if (trace.kind === 'mined' && trace.revert !== null)
      return this.#moves.move(id, { kind: 'reverted', cause: trace.revert });
    if (trace.kind === 'mined' && (kind === 'repay' || kind === 'approve'))
      return this.#moves.move(id, { kind: 'shown' });
    const isAbsent = trace.kind === 'absent' || trace.kind === 'replaced';
    if (!isAbsent) this.#look(transfer, { isClean: false });
    else if (kind === 'approve') this.#look(transfer, { isClean: true });
  }

  /** Lists that were read before an operation was known to be replaced prove nothing, nor those before that was taken back. */
  #noteReplaced(id: TransferId, { kind }: TransferTrace): void {
    const isReplaced = kind === 'replaced';
    if (isReplaced === this.#replacedAt.has(id)) return;
    if (isReplaced) this.#replacedAt.set(id, this.#context.now);
    else this.#replacedAt.delete(id);
    this.#cleanLists.delete(id);
  }

  /**
   * Follows transfers by the account: a repayment shows there alone. Those long unanswered are reported, or closed where the
   * config says so.
   */
  account(report: AccountReport, asked: EpochMs): void {
    const { debts, holdings } = report;
    for (const transfer of [...this.#book.live.values()]) {
      const { id, terms, seen } = transfer;
      if (!isUnseen(transfer)) continue;
      if (terms.kind === 'repay' && seen && debts) {
        const debt = debts.get(terms.symbol) ?? 0n;
        const wallet = holdings.get(terms.symbol)?.wallet ?? 0n;
        if (seen.debt - debt === terms.amount && seen.wallet - wallet === terms.amount) {
          this.#moves.move(id, { kind: 'shown' });
          continue;
        }
        this.#look(transfer, { isClean: debt === seen.debt && wallet === seen.wallet });
      }
      this.#lookAfter(transfer, { asked, report });
    }
  }

  /** Counts the reads in a row that found no trace of the transfer. */
  #look({ id }: Transfer, { isClean }: Readonly<{ isClean: boolean }>): void {
    this.#cleanLists.set(id, isClean ? (this.#cleanLists.get(id) ?? 0) + 1 : 0);
  }

  #row(report: TransferReport, asked: number): void {
    const whose = ownerOfRow(report, this.#book.all.values());
    if (whose.kind === 'ambiguous')
      return this.#moves.stop(
        `the venue's operation ${report.txHash} could be any of ${whose.ids.join(', ')}`,
      );
    if (whose.kind === 'none') return;
    if ((this.#book.endedAt.get(whose.id) ?? -Infinity) >= asked) return;
    if (whose.kind === 'found') {
      this.#context.notify('info', `operation ${whose.id} was found at the venue: its answer had been lost`);
      this.#moves.move(whose.id, { kind: 'accepted', txHash: report.txHash });
    }
    this.#moves.move(whose.id, { kind: 'reported', report });
  }

  /** Closes a transfer after the configured grace, if an account read begun after it agrees; otherwise reports it as open. */
  #lookAfter(transfer: Transfer, { asked, report }: AccountLook): void {
    const { id, state, terms } = transfer;
    if (!('at' in state)) return;
    const takesIn = terms.kind !== 'cashWithdrawal' && terms.kind !== 'stockWithdrawal';
    const isClean = (this.#cleanLists.get(id) ?? 0) >= CLEAN_LISTS;
    const isVouched = this.#context.operatorWords.isGiven(id);
    if (isClean && this.#isReplacedBefore(asked, transfer) && this.#isUntouched(terms, report))
      return this.#replaced(transfer);
    const isLate = asked - state.at > (this.#context.rules.assumeGoneAfterMs ?? Infinity);
    const isAssumed = takesIn && isClean && isLate;
    const agrees = terms.kind === 'approve' || isStillInWallet(this.#context.accountState, report, terms);
    if (isVouched) return this.#byWord(transfer, { asked, report });
    if (isAssumed && agrees) {
      this.#context.notify('alarm', `${describeTransfer(transfer)} is assumed never done, without proof`);
      this.#moves.move(id, { kind: 'assumedGone' });
    } else if (isAssumed || this.#context.now - state.at > GRACE_MS)
      this.#alarmOnce(transfer, isAssumed ? WALLET_DISAGREES : '');
  }

  /** Closes a transfer that an operator vouches was never done, once every read begun after that agrees. */
  #byWord(transfer: Transfer, { asked, report }: AccountLook): void {
    const { id, state, terms } = transfer;
    const { operatorWords: words } = this.#context;
    if (!('at' in state)) return;
    const until = epochMs(state.at + LAST_MINED_MS);
    const isClean = (this.#cleanLists.get(id) ?? 0) >= CLEAN_LISTS;
    const agrees = this.#isUntouched(terms, report);
    if (asked <= until) words.noteMissing(id, `it may still be mined until ${toIso(until)}: wait for that`);
    else if (!isClean && terms.kind !== 'approve')
      words.noteMissing(
        id,
        'the lists of the venue, or the debt, do not show twice that there is nothing of it',
      );
    else if (!agrees)
      words.noteMissing(id, 'the balances do not agree with it: `drover reconcile` shows both sides');
    else this.#moves.move(id, { kind: 'assumedGone' });
  }

  #isReplacedBefore(asked: EpochMs, { id, state }: Transfer): boolean {
    return state.kind !== 'sent' && asked > (this.#replacedAt.get(id) ?? Infinity);
  }

  #replaced(transfer: Transfer): void {
    const text = `${describeTransfer(transfer)} was never done: another transaction was mined with its nonce`;
    this.#context.notify('end', text);
    this.#moves.move(transfer.id, { kind: 'replaced' });
  }

  /** True where the account is as if the transfer was never done. An approval takes nothing. */
  #isUntouched(terms: TransferTerms, report: AccountReport): boolean {
    return terms.kind === 'approve' || this.#isStillThere(terms, report);
  }

  /** True where the account shows what the transfer would have taken: in the wallet, or at the venue. */
  #isStillThere(terms: MoveTerms, report: AccountReport): boolean {
    const asset = assetTaken(terms);
    const isAtVenue = terms.kind === 'cashWithdrawal' || terms.kind === 'stockWithdrawal';
    if (!isAtVenue || isToken(asset)) return isStillInWallet(this.#context.accountState, report, terms);
    return !this.#context.holds.has('difference', asset);
  }

  /** Raises one alarm for each reason. */
  #alarmOnce(transfer: Transfer, why: string): void {
    const key = `${transfer.id}${why}`;
    if (this.#alarmed.has(key)) return;
    this.#alarmed.add(key);
    const text = `${describeTransfer(transfer)} (${transfer.id}) is still without an answer`;
    this.#context.notify('alarm', `${text}${why}: look for it at the venue`);
  }

  get #book() {
    return this.#moves.book;
  }
}
