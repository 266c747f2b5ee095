import { aboutOrder } from '../state/alarmCodes.ts';
import { formatDecimal } from '../../core/amount.ts';
import type { EpochMs } from '../../core/brand.ts';
import {
  matchReport,
  couldBe,
  deniedBy,
  isShownUnderOtherHash,
  mayHide,
  hashMismatchOf,
  STAMP_SLACK_MS,
} from '../../domain/orders/reportMatching.ts';
import { contentOf } from '../../domain/account/freezes.ts';
import { fence, FENCE_SLACK_MS, isOffChain, isPassedBy } from '../../domain/orders/fence.ts';
import { isUnanswered, txHashOf, type Order, type OrderId } from '../../domain/orders/order.ts';
import { isBareLink } from '../../domain/orders/contradiction.ts';
import type { OrderReport, UnreadableRow } from '../../domain/venue.ts';
import { describeReported, describeTerms } from '../../domain/describe.ts';
import type { EngineContext } from '../state/engineContext.ts';
import { ContradictedEnds } from './contradictedEnds.ts';
import type { EndClaims } from './endClaims.ts';
import { OverdueOrders, UnreadOrders } from './overdue.ts';
import { FeeCheck } from '../risk/feeCheck.ts';
import type { Reconciliation } from '../account/reconciliation.ts';
import type { KernelEvent } from '../state/kernelEvent.ts';
import { OrderList } from './orderList.ts';
import { unknownOf } from '../state/notice.ts';
import { Looks, mayBeMinedText } from '../state/submissions.ts';
import { SettlementCheck } from './settlementCheck.ts';
import type { OpenIntents } from '../intents/intents.ts';

type Rows = readonly (OrderReport | UnreadableRow)[];

type Parts = Readonly<{
  intents: OpenIntents;
  ends: EndClaims;
  reconciliation: Pick<Reconciliation, 'hasMoved' | 'gapOf'>;
}>;

/** Tracks orders by the venue's lists and by reads of single orders. */
export class OrderTracker {
  readonly #context: EngineContext;
  readonly #intents: OpenIntents;
  readonly #ends: EndClaims;
  readonly #contradicted: ContradictedEnds;
  readonly #overdue: OverdueOrders;
  readonly #list: OrderList;
  readonly #settlements: SettlementCheck;
  readonly #fees: FeeCheck;
  readonly #unread: UnreadOrders;
  /** Complete lists count from the time at which an order's deadline has provably passed. */
  readonly #looks = new Looks<OrderId>();
  /** Orders that may be a mined one in the last complete list. */
  readonly #maybeMined = new Set<OrderId>();
  #indexedThrough: EpochMs | null = null;
  /** Orders that the last list may have shown under another transaction than their response. */
  readonly #elsewhere = new Set<OrderId>();

  constructor(context: EngineContext, { intents, ends, reconciliation }: Parts) {
    this.#context = context;
    this.#intents = intents;
    this.#ends = ends;
    this.#contradicted = new ContradictedEnds(context, reconciliation);
    this.#overdue = new OverdueOrders(context);
    this.#list = new OrderList(context);
    this.#settlements = new SettlementCheck(context, reconciliation);
    this.#fees = new FeeCheck(context);
    this.#unread = new UnreadOrders(context);
  }

  /** Records that quotes were read. */
  listed(): void {
    this.#settlements.listed();
  }

  /** Applies the response to a targeted read. No report proves nothing; absence from the chain proves it in time. */
  looked({ id, report, asked, absence }: Extract<KernelEvent, { kind: 'looked' }>): void {
    const isOwn = report !== null && !this.#isMistaken(report) && !this.#isDenied(report);
    if (isOwn && this.#context.accountState.orders.has(id)) this.#report(id, report, asked);
    this.#overdue.looked(id, report !== null && !isBareLink(report));
    const order = this.#context.accountState.orders.get(id);
    const isAsked = absence !== null || this.#context.rules.readsChain;
    const isKnown = isAsked && order !== undefined && txHashOf(order) !== null;
    this.#looks.noteChain(id, isKnown ? absence : undefined, this.#context.now);
  }

  /** Applies a list. `complete`: it was read back to the oldest live order. */
  swept({ rows, complete, asked }: Extract<KernelEvent, { kind: 'swept' }>): void {
    for (const row of rows) if (!('unreadable' in row)) this.#isMistaken(row);
    for (const row of rows) {
      if ('unreadable' in row) this.#unreadable(row);
      else this.#row(row, asked);
    }
    this.#unread.check();
    if (!this.#list.read(complete, asked)) return;
    this.#context.reads.sweptAt = asked;
    this.#afterSweep(rows);
    this.#context.operatorWords.countList();
  }

  #row(report: OrderReport, asked: EpochMs): void {
    const { accountState } = this.#context;
    this.#noteIndexed(report);
    const match = matchReport(report, accountState);
    switch (match.kind) {
      case 'known':
        if (this.#isDenied(report)) return;
        this.#report(match.id, report, asked);
        if (report.status === 'pending' && report.orderId !== null)
          this.#context.ask({ kind: 'look', id: match.id });
        return;
      case 'found':
        this.#context.notify('info', `order ${match.id} was found at the venue: its answer had been lost`);
        this.#context.move(match.id, { kind: 'accepted', txHash: report.txHash });
        this.#report(match.id, report, asked);
        return;
      case 'ambiguous':
        this.#freeze(
          accountState.order(match.ids[0] ?? ('' as OrderId)),
          `the venue's order ${report.txHash} could be any of ${match.ids.join(', ')}`,
        );
        return;
      case 'external':
        if (!accountState.cancelHashes.has(report.txHash)) this.#list.external(report);
        return;
      case 'wait':
    }
  }

  /** Records how far the indexer has come, by a time in the list. A future time proves nothing. */
  #noteIndexed({ orderId, createdAt }: OrderReport): void {
    if (orderId === null || createdAt > this.#context.now + STAMP_SLACK_MS) return;
    if ((this.#indexedThrough ?? 0) < createdAt) this.#indexedThrough = createdAt;
  }

  /** Removes the transaction of an order whose response named another's, so that both are matched by their terms. */
  #isMistaken(report: OrderReport): boolean {
    const order = hashMismatchOf(report, this.#context.accountState);
    if (!order) return false;
    return this.#takeAway(
      order,
      `the venue answered with the transaction of another order, ${report.txHash}`,
    );
  }

  /** Freezes the symbol of a row that contradicts an order whose hash is certain; the row is not applied. */
  #isDenied(report: OrderReport): boolean {
    const order = deniedBy(report, this.#context.accountState);
    if (!order) return false;
    const { terms } = report;
    const others = terms ? `another order, ${describeReported(terms)}` : 'an older order';
    const why = `order ${order.id}: the venue shows ${others}, under the transaction that the wallet signed for it`;
    this.#freeze(order, why, `${why}: ${contentOf(report)}`);
    return true;
  }

  /** Takes the transaction from an order and forgets the chain's answers about it: they no longer prove anything. */
  #takeAway(order: Order, reason: string): boolean {
    const text = `${describeTerms(order.terms)}: ${reason}, looking`;
    this.#context.alarm(unknownOf(order.id), text, aboutOrder('ORDER_UNKNOWN', order));
    this.#looks.forget(order.id);
    return this.#context.move(order.id, { kind: 'mistaken', reason });
  }

  /** Freezes the symbol for a reason that every list may show again. */
  #freeze({ terms: { symbol } }: Order, why: string, shown = why): void {
    this.#context.freeze(symbol, why, { shown });
  }

  #report(id: OrderId, report: OrderReport, asked: EpochMs): void {
    const { accountState } = this.#context;
    const before = accountState.order(id);
    if ((accountState.ended.get(id)?.at ?? before.claim?.at ?? -Infinity) >= asked) return;
    if (report.status === 'unrecognised') {
      this.#unread.unread(id, `its status is an unknown word, "${report.rawStatus}"`);
      this.#freeze(before, `order ${id} has the unknown status "${report.rawStatus}"`);
    } else if (this.#settlements.refuses(id, report))
      this.#unread.unread(
        id,
        'it has ended at the venue, by a settlement that cannot be or not yet be judged',
      );
    else {
      this.#unread.read(id);
      if (!this.#contradicted.take(id, report)) this.#ends.take(id, { kind: 'reported', report });
    }
    this.#settlements.booked(before, report);
    if (report.settlement) this.#fees.settled(before, report.settlement);
  }

  #unreadable(row: UnreadableRow): void {
    const id = row.txHash === null ? undefined : this.#context.accountState.byTx.get(row.txHash);
    const order = id === undefined ? undefined : this.#context.accountState.live.get(id);
    if (!order) return this.#list.unreadable(row);
    this.#unread.unread(order.id, `its row is unreadable (${row.reason})`);
    const what = `the venue's row of order ${order.id} is unreadable`;
    this.#freeze(order, `${what}: ${row.unreadable}`, `${what}: ${row.reason}`);
  }

  #afterSweep(rows: Rows): void {
    this.#elsewhere.clear();
    this.#maybeMined.clear();
    const shown = rows.filter((row) => 'unreadable' in row || !isBareLink(row));
    this.#overdue.swept(new Set(shown.map(({ txHash }) => txHash ?? '')));
    for (const order of [...this.#context.accountState.live.values()]) {
      if (isUnshown(order)) this.#unresolved(order, rows);
      if (order.state.kind === 'working') this.#intents.repeatCancel(order);
    }
  }

  #unresolved(order: Order, rows: Rows): void {
    if (
      rows.some(
        (row) => !('unreadable' in row) && isShownUnderOtherHash(order, row, this.#context.accountState),
      )
    )
      this.#elsewhere.add(order.id);
    this.#countSweep(order, rows);
    // Asking the chain too costs a few more requests, so only if there is a chain to ask and a hash to ask with.
    if (this.#context.rules.readsChain && txHashOf(order) !== null)
      this.#context.ask({ kind: 'look', id: order.id });
  }

  /** Counts a list only once the fence's other conditions hold: an earlier one might not have shown the order yet. */
  #countSweep(order: Order, rows: Rows): void {
    const like = rows.filter((row) => !('unreadable' in row) && this.#couldBe(order, row));
    if (like.some((row) => 'orderId' in row && row.orderId !== null)) this.#maybeMined.add(order.id);
    const candidate =
      like.length > 0 || this.#looks.isTraced(order.id) || mayHide(order, rows, this.#context.accountState);
    const verdict = fence(order, { ...this.#evidenceOf(order), cleanLists: 0, ledgerAgrees: true });
    if (candidate)
      this.#context.operatorWords.noteMissing(
        order.id,
        this.#tracedText(order) ?? 'a row of the order list may be it',
      );
    if (candidate || (verdict.kind === 'waiting' && verdict.for === 'lists'))
      this.#looks.countList(order.id, !candidate);
  }

  #evidenceOf({ id }: Order) {
    return {
      now: this.#context.now,
      indexedThrough: this.#indexedThrough,
      absentAt: this.#looks.absentAt(id),
      isReplaced: this.#looks.replacedAt(id) !== null,
      vouched: this.#context.operatorWords.isGiven(id),
    };
  }

  /**
   * True when the order's transaction can no longer be mined. A row that merely links it to the key is then no proof:
   * the venue creates the link before anything is mined, and keeps it if nothing is.
   */
  #isUnmined(order: Order): boolean {
    const { id, state } = order;
    if (!('deadline' in state)) return false;
    if (this.#looks.replacedAt(id) !== null) return true;
    if (isOffChain(state.deadline, this.#looks.absentAt(id))) return true;
    if (this.#context.operatorWords.isGiven(id)) return true;
    const isAskedOfChain = this.#context.rules.readsChain && txHashOf(order) !== null;
    return !isAskedOfChain && isPassedBy(state.deadline, this.#indexedThrough);
  }

  #couldBe(order: Order, row: OrderReport): boolean {
    if (isBareLink(row) && this.#isUnmined(order)) return false;
    const txHash = txHashOf(order);
    if (txHash !== null) return row.txHash === txHash;
    return isUnanswered(order) && couldBe(order, row, this.#context.accountState);
  }

  /**
   * Closes orders that pass the fence, and those that the configured grace period assumes gone. `asked`: time at which
   * the account request was sent; `agrees`: whether the ledger explains the response without the order.
   */
  closeAbsent(asked: EpochMs, agrees: (order: Order) => boolean): void {
    for (const order of [...this.#context.accountState.live.values()]) {
      const { id, state } = order;
      if (!isUnshown(order) || !('deadline' in state)) continue;
      const deadline = state.deadline * 1000;
      const goneAt = Math.min(deadline + FENCE_SLACK_MS, this.#looks.replacedAt(id) ?? Infinity);
      const ledgerAgrees = asked > goneAt && agrees(order);
      const cleanLists = this.#looks.cleanLists(id);
      const evidence = { ...this.#evidenceOf(order), cleanLists, ledgerAgrees };
      const verdict = fence(order, evidence);
      const isLate = asked - deadline > (this.#context.rules.assumeGoneAfterMs ?? Infinity);
      const isAssumed = isLate && !this.#maybeMined.has(id) && !this.#looks.isTraced(id);
      const isOverdue = this.#context.now - deadline > GRACE_MS;
      // No later send is needed as proof: a run that waits at its start because such an order moved the account sends nothing.
      const isDue = isAssumed || (isOverdue && !this.#looks.isTraced(id));
      if (this.#elsewhere.has(id) && (isDue || this.#isUnmined(order))) this.#misnamed(order);
      else if (order.claim) continue;
      else if (verdict.kind === 'absent')
        this.#absent(order, fence(order, { ...evidence, vouched: false }).kind !== 'absent');
      else if (isAssumed && ledgerAgrees) this.#absent(order, true);
      else if (isAssumed) this.#alarmOnce(order, ACCOUNT_DISAGREES);
      else {
        this.#context.operatorWords.noteProof(order, verdict.for);
        if (isOverdue)
          this.#alarmOnce(
            order,
            this.#tracedText(order) ?? `what is missing is proof from the ${verdict.for}`,
          );
      }
    }
  }

  #tracedText(order: Order): string | null {
    return this.#looks.isTraced(order.id) ? mayBeMinedText(this.#context, txHashOf(order)) : null;
  }

  /** Takes the transaction from an order, once: it waits until the next list shows the order under its own. */
  #misnamed(order: Order): void {
    const txHash = txHashOf(order);
    if (txHash !== null)
      this.#takeAway(
        order,
        `the venue answered with ${txHash}, which shows nothing, and has it under another`,
      );
  }

  #absent(order: Order, assumed: boolean): void {
    const { accountState, operatorWords } = this.#context;
    const { id, state } = order;
    const isAccepted = state.kind === 'acknowledged' && !accountState.nonces.has(state.txHash);
    if (isAccepted && !operatorWords.isGiven(id)) return this.#ends.vanished(order);
    const isReplaced = !assumed && this.#looks.replacedAt(order.id) !== null;
    const proved = isReplaced
      ? 'was never placed: another transaction was mined with its nonce'
      : 'was never placed';
    const how = assumed ? 'is assumed never placed, without proof' : proved;
    const text = `${describeTerms(order.terms)} ${how}`;
    this.#context.notify(assumed ? 'alarm' : 'end', text, aboutOrder('ORDER_UNKNOWN', order));
    const absent = { kind: 'absent', assumed } as const;
    this.#ends.absent(order, isReplaced ? { ...absent, replaced: true } : absent);
  }

  /** Raises one alarm per reason. */
  #alarmOnce(order: Order, why: string): void {
    const { id, terms, reserve } = order;
    if (!this.#looks.isFirstAlarm(id, why)) return;
    this.#context.alarm(
      unknownOf(id),
      `${describeTerms(terms)} is still unresolved; ${why} (order ${id}, ${formatDecimal(reserve)} reserved). ` +
        `Until then nothing more is sent on its side of ${terms.symbol}: if you see at the venue that it was never ` +
        `placed, \`drover orders resolve ${id}\` ends it`,
      aboutOrder('ORDER_UNKNOWN', order),
    );
  }
}

/** True for an order that nothing has shown yet, even if it already counts as an incident. */
const isUnshown = ({ state, claim }: Order): boolean =>
  (state.kind === 'unknown' || state.kind === 'acknowledged') && (!claim || claim.end.kind === 'absent');

const ACCOUNT_DISAGREES =
  'orders.assumeGoneAfterMinutes is over, but the account does not agree that it was never placed';
/** Longest time in ms past its deadline that an order may stay unresolved before an alarm. */
const GRACE_MS = 600_000;
