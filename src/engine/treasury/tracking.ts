import { formatDecimal } from '../../core/amount.ts';
import type { AccountState } from '../../domain/account/accountState.ts';
import { expectedInWallet } from '../../domain/account/comparison.ts';
import { isDust } from '../../domain/account/dust.ts';
import { isToken, type Holding } from '../../domain/account/ledger.ts';
import { sameAddress } from '../../domain/instrument.ts';
import type { JournalEvent } from '../../domain/journalEvent.ts';
import {
  type MoveTerms,
  type Transfer,
  type TransferState,
  assetTaken,
  isWithdrawal,
  moveTransfer,
  transferHasEnded,
  type TransferEvent,
  type TransferId,
  isUnseen,
  transferTxHash,
  type TransferReport,
  type TransferTerms,
} from '../../domain/transfers/transfer.ts';
import type { AccountReport, SignedSend } from '../../domain/venue.ts';
import { describeTransfer } from '../../domain/describe.ts';
import { type TransferBook, inTransferTime, ownerOfRow } from '../../domain/transfers/transferBook.ts';
import type { EngineContext } from '../state/engineContext.ts';
import { COMPLETE_LISTS, missingProof, type MissingProof } from '../../domain/orders/fence.ts';
import { unknownOf } from '../state/notice.ts';
import { Looks } from '../state/submissions.ts';
import { epochMs, toIso, type EpochMs } from '../../core/brand.ts';
import type { KernelEvent } from '../state/kernelEvent.ts';

/** States of transfers that had no effect according to the venue or the node alone. */
const WITHOUT_EFFECT: ReadonlySet<TransferState['kind']> = new Set(['failed', 'refused', 'neverExisted']);

/**
 * Reason not to move more of a token out of the wallet, or null. The wallet has less than the ledger, beyond dust: some
 * of it was taken without the journal knowing, or by a transfer that one source alone reported as ended without effect.
 * Another transfer would take the amount twice, beyond the daily cap.
 */
export function transferDoubt(
  accountState: AccountState,
  report: AccountReport,
  terms: MoveTerms,
): string | null {
  const asset = assetTaken(terms);
  const { least } = expectedInWallet(accountState, asset);
  const actual = inWallet(report, asset);
  if (actual === null || actual >= least || isDust(asset, least - actual, least)) return null;
  const ended = lastWithoutEffect(accountState.transfers.all.values(), terms);
  const cause = ended
    ? `: ${describeTransfer(ended)} (${ended.id}) ended without effect according to one source only`
    : '';
  return (
    `the wallet has ${formatDecimal(least - actual)} less of ${asset} than the ledger${cause}. Nothing more of it is moved ` +
    `until they agree. Look at the venue and the wallet for what took it; "drover accept ${asset} --reason TEXT" takes the ` +
    'difference over'
  );
}

/** True if the wallet still holds everything that an unmined deposit or repayment would take from it. */
function isStillInWallet(accountState: AccountState, report: AccountReport, terms: MoveTerms): boolean {
  const asset = assetTaken(terms);
  const actual = inWallet(report, asset);
  return actual !== null && actual >= expectedInWallet(accountState, asset).expected;
}

function lastWithoutEffect(transfers: Iterable<Transfer>, { token }: MoveTerms): Transfer | undefined {
  return [...transfers].findLast(
    ({ terms, state }) =>
      terms.kind !== 'approve' && sameAddress(terms.token, token) && WITHOUT_EFFECT.has(state.kind),
  );
}

/** Amount of an asset in the wallet; null if it was not read. */
function inWallet({ holdings, tokens }: AccountReport, asset: Holding): bigint | null {
  if (asset === 'mUSD') return null;
  if (isToken(asset)) return tokens?.get(asset) ?? null;
  return holdings.get(asset)?.wallet ?? null;
}

/** Moves transfers to their next state and reports it. */
export class TransferMoves {
  readonly #context: EngineContext;
  /** Number of ended transfers: an account read before the latest end is out of date. */
  ended = 0;

  constructor(context: EngineContext) {
    this.#context = context;
  }

  get book(): TransferBook {
    return this.#context.accountState.transfers;
  }

  /** Applies an event to a transfer. An impossible event stops the treasury and changes nothing else. */
  move(id: TransferId, event: TransferEvent, request?: SignedSend): void {
    const before = this.book.of(id).state.kind;
    const result = moveTransfer(this.book.of(id), event);
    if (result.kind === 'stale') return;
    if (result.kind === 'illegal') return this.stop(`operation ${id}: ${result.rule}`);
    this.#record({ kind: 'transfer', id, event, ...(request ? { request } : {}) }, result.transfer);
    if (result.alarm !== undefined) this.stop(`operation ${id}: ${result.alarm}`);
    const { transfer } = result;
    if (transferHasEnded(transfer)) this.ended++;
    this.#narrate(transfer);
    const isOpen = before === 'unknown' || this.#context.raised.has(unknownOf(id));
    if (isOpen && transfer.state.kind !== before && transfer.state.kind !== 'unknown')
      this.#context.allClear(unknownOf(id), `${describeTransfer(transfer)}: its outcome is known`);
  }

  stop(why: string): void {
    if (this.book.stopped !== null) return;
    this.#context.record({ kind: 'treasuryStopped', why });
    this.#context.notify('alarm', `the treasury has stopped: ${why}`, { code: 'TREASURY_STOPPED' });
  }

  #record(fact: JournalEvent, { terms }: Transfer): void {
    if (terms.kind === 'stockDeposit') this.#context.recordBringing(terms.symbol, fact);
    else this.#context.record(fact);
  }

  #narrate(transfer: Transfer): void {
    const { state, terms } = transfer;
    const text = describeTransfer(transfer);
    if (state.kind === 'sent') this.#context.notify('sent', text);
    if (state.kind === 'settled') {
      const received = terms.kind === 'approve' ? '' : `, ${formatDecimal(state.received)} received`;
      this.#context.notify('account', `${text}: done${received}`);
    }
    if (state.kind === 'failed')
      this.#context.notify('alarm', `${text}: failed on chain, ${state.reason}`, { code: 'TRANSFER_FAILED' });
  }
}

type TransferList = Extract<KernelEvent, { kind: 'transfers' }>;

/** Longest time in ms that a transfer may go without a response before an alarm. */
const GRACE_MS = 600_000;
/** Longest time in ms after its send that a transaction may still be mined: the longest deadline plus a minute. */
const LAST_MINED_MS = 180_000;

const WALLET_DISAGREES =
  ', orders.assumeGoneAfterMinutes is over, and the wallet does not agree that it was never done';

type AccountLook = Readonly<{ asked: EpochMs; report: AccountReport }>;

/** `ledgerAgrees`: true when the account looks as if the transfer was never made. */
type AccountAnswer = Readonly<{ asked: EpochMs; ledgerAgrees: boolean }>;

function missingText(missing: MissingProof, until: EpochMs): string {
  if (missing === 'deadline') return `it may still be mined until ${toIso(until)}: wait for that`;
  if (missing === 'lists')
    return 'the lists of the venue, or the debt, do not show twice that there is nothing of it';
  return 'the balances do not agree with it: `drover reconcile` shows both sides';
}

/** Follows transfers by lists, balances and the chain. */
export class TransferTracker {
  readonly #context: EngineContext;
  readonly #moves: TransferMoves;
  readonly #looks = new Looks<TransferId>();

  constructor(context: EngineContext, moves: TransferMoves) {
    this.#context = context;
    this.#moves = moves;
  }

  /** Applies a list. `complete`: it was read back to the oldest transfer of its kind that has not ended. */
  listed({ transferKind: kind, rows, complete, asked }: TransferList): void {
    for (const row of rows) if (!('unreadable' in row)) this.#row(row, asked);
    if (!complete) return;
    for (const transfer of this.#book.live.values()) {
      if (transfer.terms.kind !== kind || !isUnseen(transfer)) continue;
      this.#looks.countList(transfer.id, !rows.some((row) => this.#mayBe(transfer, row)));
    }
  }

  /** True for a row whose transaction may be this transfer and may still be mined: only its block ends a transfer. */
  #mayBe(transfer: Transfer, row: TransferList['rows'][number]): boolean {
    if (row.txHash === null) return true;
    const own = transferTxHash(transfer);
    if (own !== null) return row.txHash === own && !this.#isOnlyLinked(transfer, row);
    if (this.#book.byTx.has(row.txHash)) return false;
    return 'unreadable' in row || inTransferTime(transfer, row);
  }

  /** True for a row merely linked to the idempotency key: a link proves no transaction, it stays if nothing is mined. */
  #isOnlyLinked({ id }: Transfer, row: TransferList['rows'][number]): boolean {
    return this.#looks.replacedAt(id) !== null && !('unreadable' in row) && row.status === 'pending';
  }

  /** Applies the chain's answer. A mined repayment or approval is done; other transfers are followed by the lists. */
  traced({ id, trace }: Extract<KernelEvent, { kind: 'transferTraced' }>): void {
    const transfer = this.#book.of(id);
    const { kind } = transfer.terms;
    if (!isUnseen(transfer)) return;
    const isAbsent = trace.kind === 'absent' || trace.kind === 'replaced';
    const { now } = this.#context;
    if (trace.kind === 'unclear') return this.#looks.noteChain(id, undefined, now);
    this.#looks.noteChain(id, isAbsent ? { at: now, isReplaced: trace.kind === 'replaced' } : null, now);
    if (trace.kind === 'mined' && trace.revert !== null)
      return this.#moves.move(id, { kind: 'reverted', cause: trace.revert });
    if (trace.kind === 'mined' && (kind === 'repay' || kind === 'approve'))
      return this.#moves.move(id, { kind: 'shown' });
    if (!isAbsent || kind === 'approve') this.#looks.countList(id, isAbsent);
  }

  /**
   * Checks transfers against the account, the only place that shows a repayment. Overdue ones are reported, or closed
   * if the config says so.
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
        this.#looks.countList(id, debt === seen.debt && wallet === seen.wallet);
      }
      this.#lookAfter(transfer, { asked, report });
    }
  }

  #row(report: TransferReport, asked: number): void {
    const match = ownerOfRow(report, this.#book.all.values());
    if (match.kind === 'ambiguous')
      return this.#moves.stop(
        `the venue's operation ${report.txHash} could be any of ${match.ids.join(', ')}`,
      );
    if (match.kind === 'none') return;
    if ((this.#book.endedAt.get(match.id) ?? -Infinity) >= asked) return;
    if (match.kind === 'found') {
      this.#context.notify('info', `operation ${match.id} was found at the venue: its answer had been lost`);
      this.#moves.move(match.id, { kind: 'accepted', txHash: report.txHash });
    }
    this.#moves.move(match.id, { kind: 'reported', report });
  }

  /** Closes a transfer after the configured grace period if a later account read agrees; otherwise reports it as open. */
  #lookAfter(transfer: Transfer, { asked, report }: AccountLook): void {
    const { id, state, terms } = transfer;
    if (!('at' in state)) return;
    const takesIn = terms.kind !== 'cashWithdrawal' && terms.kind !== 'stockWithdrawal';
    const ledgerAgrees = this.#isUntouched(terms, report);
    const cleanLists = this.#looks.cleanLists(id);
    const missing = missingProof({ time: null, cleanLists, ledgerAgrees });
    if (missing === null && this.#isReplacedBefore(asked, transfer)) return this.#replaced(transfer);
    if (this.#context.operatorWords.isGiven(id)) return this.#byWord(transfer, { asked, ledgerAgrees });
    const isLate = asked - state.at > (this.#context.rules.assumeGoneAfterMs ?? Infinity);
    const isAssumed = takesIn && missing !== 'lists' && isLate;
    if (isAssumed && missing === null) {
      this.#context.notify('alarm', `${describeTransfer(transfer)} is assumed never done, without proof`, {
        code: 'TRANSFER_UNKNOWN',
      });
      this.#moves.move(id, { kind: 'assumedGone' });
    } else if (isAssumed || this.#context.now - state.at > GRACE_MS)
      this.#alarmOnce(transfer, isAssumed ? WALLET_DISAGREES : '');
  }

  /**
   * Closes a transfer that an operator declares was never made, once every later read agrees. No list shows an
   * approval.
   */
  #byWord({ id, state, terms }: Transfer, { asked, ledgerAgrees }: AccountAnswer): void {
    if (!('at' in state)) return;
    const until = epochMs(state.at + LAST_MINED_MS);
    const cleanLists = terms.kind === 'approve' ? COMPLETE_LISTS : this.#looks.cleanLists(id);
    const time = asked <= until ? 'deadline' : null;
    const missing = missingProof({ time, cleanLists, ledgerAgrees });
    if (missing === null) this.#moves.move(id, { kind: 'assumedGone' });
    else this.#context.operatorWords.noteMissing(id, missingText(missing, until));
  }

  #isReplacedBefore(asked: EpochMs, { id, state }: Transfer): boolean {
    return state.kind !== 'sent' && asked > (this.#looks.replacedAt(id) ?? Infinity);
  }

  #replaced(transfer: Transfer): void {
    const text = `${describeTransfer(transfer)} was never done: another transaction was mined with its nonce`;
    this.#context.notify('end', text);
    this.#moves.move(transfer.id, { kind: 'replaced' });
  }

  /** True if the account looks as if the transfer was never made. An approval takes nothing. */
  #isUntouched(terms: TransferTerms, report: AccountReport): boolean {
    return terms.kind === 'approve' || this.#isStillThere(terms, report);
  }

  /** True if the amount that the transfer would have taken is still there: in the wallet, or at the venue. */
  #isStillThere(terms: MoveTerms, report: AccountReport): boolean {
    const asset = assetTaken(terms);
    if (!isWithdrawal(terms) || isToken(asset))
      return isStillInWallet(this.#context.accountState, report, terms);
    return !this.#context.holds.has('difference', asset);
  }

  /** Raises an alarm once per reason. */
  #alarmOnce(transfer: Transfer, why: string): void {
    if (!this.#looks.isFirstAlarm(transfer.id, why)) return;
    const text = `${describeTransfer(transfer)} (${transfer.id}) is still without an answer`;
    this.#context.alarm(unknownOf(transfer.id), `${text}${why}: look for it at the venue`, {
      code: 'TRANSFER_UNKNOWN',
    });
  }

  get #book() {
    return this.#moves.book;
  }
}
