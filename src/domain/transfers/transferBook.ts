import { isShownAs } from '../../core/amount.ts';
import type { EpochMs } from '../../core/brand.ts';
import { InvariantError } from '../../core/errors.ts';
import type { JournalEventOf } from '../journalEvent.ts';
import { DEBT, OUTSIDE, UNALLOCATED, WALLET, type Ledger } from '../account/ledger.ts';
import {
  moveTransfer,
  transferHasEnded,
  transferTxHash,
  type Transfer,
  type TransferEvent,
  type TransferId,
  bindTransfer,
  endTransfer,
  type TransferReport,
} from './transfer.ts';
import type { Positions } from '../account/positions.ts';
import { STAMP_SLACK_MS } from '../orders/reportMatching.ts';
import { sameAddress } from '../instrument.ts';

/** Books transfers, the wallet and debts. */
export class TransferBook {
  readonly all = new Map<TransferId, Transfer>();
  /** Transfers that have not ended, oldest first. */
  readonly live = new Map<TransferId, Transfer>();
  /** Time at which the end of each ended transfer became known. */
  readonly endedAt = new Map<TransferId, EpochMs>();
  readonly byTx = new Map<string, TransferId>();
  /** True for the wallet, and for the debts, once the ledger has opened them. */
  readonly opened = { wallet: false, debts: false };
  /** Reason why the treasury has stopped. */
  stopped: string | null = null;
  readonly #ledger: Ledger;
  readonly #positions: Positions;

  constructor(ledger: Ledger, positions: Positions) {
    this.#ledger = ledger;
    this.#positions = positions;
  }

  openWallet({ tokens, stocks }: JournalEventOf<'walletOpened'>): void {
    this.opened.wallet = true;
    for (const [asset, amount] of [...tokens, ...stocks])
      this.#ledger.move('opening of the wallet', { asset, amount, from: OUTSIDE, to: WALLET });
  }

  openDebts({ debts }: JournalEventOf<'debtsOpened'>): void {
    this.opened.debts = true;
    for (const [asset, amount] of debts)
      this.#ledger.move('opening of debts', { asset, amount, from: DEBT, to: OUTSIDE });
  }

  plan(transfer: Transfer, at: EpochMs): void {
    this.#ledger.post(`operation ${transfer.id}`, bindTransfer(transfer));
    this.#keep(transfer, at);
  }

  of(id: TransferId): Transfer {
    const transfer = this.all.get(id);
    if (!transfer) throw new InvariantError(`the account state has no transfer ${id}`);
    return transfer;
  }

  /**
   * Applies an event to a transfer. Returns the transfer if a strategy has received stock by it, else null.
   * @throws {InvariantError} if the event contradicts the bookings
   */
  move(id: TransferId, event: TransferEvent, at: EpochMs): Transfer | null {
    const before = this.of(id);
    const result = moveTransfer(before, event);
    if (result.kind !== 'moved')
      throw new InvariantError(`the journal has an event that transfer ${id} cannot take`, { event, result });
    const { transfer: after } = result;
    if (transferHasEnded(before)) this.#ledger.post(`operation ${id} found late`, bindTransfer(after));
    if (transferHasEnded(after)) this.#ledger.post(`end of operation ${id}`, endTransfer(after));
    this.#keep(after, at);
    return this.#bring(after);
  }

  #keep(transfer: Transfer, at: EpochMs): void {
    const { id } = transfer;
    this.all.set(id, transfer);
    if (transferHasEnded(transfer)) {
      this.live.delete(id);
      this.endedAt.set(id, at);
    } else this.live.set(id, transfer);
    const txHash = transferTxHash(transfer);
    if (txHash !== null) this.byTx.set(txHash, id);
  }

  /** Books deposited stock to its strategy, at its value when the transfer was planned. */
  #bring(transfer: Transfer): Transfer | null {
    const { terms, state, strategyId, value } = transfer;
    if (terms.kind !== 'stockDeposit' || state.kind !== 'settled' || strategyId === UNALLOCATED) return null;
    this.#positions.bring({ strategyId, symbol: terms.symbol, quantity: state.received, cost: value });
    return transfer;
  }
}

/** Match of a row with a transfer. `none`: not of this journal, or not certain yet. */
type RowOwner = Readonly<
  | { kind: 'known'; id: TransferId }
  | { kind: 'found'; id: TransferId }
  | { kind: 'ambiguous'; ids: readonly TransferId[] }
  | { kind: 'none' }
>;

/**
 * Finds the transfer that a row of the venue's list belongs to, by transaction hash if known. A transfer whose answer
 * was lost is matched on its exact terms and time, never on less, and so is one assumed never made.
 */
export function ownerOfRow(report: TransferReport, transfers: Iterable<Transfer>): RowOwner {
  const all = [...transfers];
  const known = all.find((transfer) => transferTxHash(transfer) === report.txHash);
  if (known) return { kind: 'known', id: known.id };
  const { moved } = report;
  if (!moved) return { kind: 'none' };
  const alike = all.filter(
    (transfer) =>
      inTransferTime(transfer, report) &&
      isShownAs(moved.amount, transfer.terms.amount) &&
      sameAddress(transfer.terms.token, moved.token),
  );
  const [first] = alike;
  if (!first || first.state.kind === 'sent') return { kind: 'none' };
  if (alike.length > 1) return { kind: 'ambiguous', ids: alike.map(({ id }) => id) };
  return { kind: 'found', id: first.id };
}

/**
 * Time in ms after its send within which the row of a transfer closed as never made may be created. The venue accepts
 * no request older than 45 s, and another one with these terms is sent three minutes later at the earliest.
 */
const LINKED_MS = 150_000;

/** True when a row could be this transfer: sent, transaction unknown, and the row is newer. */
export function inTransferTime(
  transfer: Transfer,
  { createdAt }: Pick<TransferReport, 'createdAt'>,
): boolean {
  const { state } = transfer;
  if (state.kind !== 'sent' && state.kind !== 'unknown' && state.kind !== 'neverExisted') return false;
  if (state.kind === 'neverExisted' && createdAt > state.at + LINKED_MS) return false;
  return transferTxHash(transfer) === null && createdAt >= state.at - STAMP_SLACK_MS;
}
