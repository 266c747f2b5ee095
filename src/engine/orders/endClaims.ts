import { aboutOrder } from '../state/alarmCodes.ts';
import { epochMs, toIso, type EpochMs } from '../../core/brand.ts';
import { formatDecimal } from '../../core/amount.ts';
import { FENCE_SLACK_MS } from '../../domain/orders/fence.ts';
import type { Asset } from '../../domain/account/ledger.ts';
import {
  hasEnded,
  mostPaid,
  type EndClaim,
  type Order,
  type OrderId,
  assetOf,
  unfilledOf,
  type EndEvent,
} from '../../domain/orders/order.ts';
import { claimText, transition } from '../../domain/orders/orderMachine.ts';
import { describeTerms } from '../../domain/describe.ts';
import type { EngineContext } from '../state/engineContext.ts';
import { dayEndsOf } from '../state/tradingWindow.ts';

/** Longest time in ms that an end may stay unconfirmed by the account before an alarm. */
const UNCONFIRMED_MS = 120_000;

type ClaimedOrder = Order & Readonly<{ claim: EndClaim }>;

/** Time in ms for which a requested or scheduled end remains in doubt after the account has agreed. */
const SOLICITED_MS = 900_000;
/** Time in ms before the close within which the expiry of a DAY order is not early: clocks differ. */
const EARLY_MS = 60_000;

/** Divisor of a reserve: an unused remainder below this fraction needs no read of the account. */
const LEFT_OVER_PARTS = 50n;

/**
 * Ends without a fill that only one source reports, which is no proof that no money moved. Such an order keeps its
 * reserve, its place under every limit and its side of the symbol until an account read begun after that end agrees.
 * List and account are still one source, so the order is then in doubt, which the limits count for a while.
 */
export class EndClaims {
  readonly #context: EngineContext;
  readonly #agreesWithout: (order: Order) => boolean;
  readonly #alarmed = new Set<OrderId>();
  /** Assets whose unused reserve was freed by an end, and since when. */
  readonly #freed = new Map<Asset, EpochMs>();

  constructor(context: EngineContext, agreesWithout: (order: Order) => boolean) {
    this.#context = context;
    this.#agreesWithout = agreesWithout;
  }

  /** True when an account read that begins now could confirm an end. */
  get areDue(): boolean {
    return (
      this.#freed.size > 0 ||
      this.#claimed().some(
        (order) =>
          confirmableFrom(order) <= this.#context.now && (!isIncident(order) || this.#isVouched(order)),
      )
    );
  }

  /** Ends the order, or records its end as claimed and requests a read of the account. */
  take(id: OrderId, end: EndEvent): void {
    const order = this.#context.accountState.order(id);
    if (!endsWithoutFill(order, end)) return this.#end(id, end);
    if (!this.#context.move(id, { kind: 'endClaimed', at: this.#context.now, end })) return;
    this.#context.ask({ kind: 'readAccount' });
  }

  /** Confirms claimed ends with an account that was read and compared; `asked`: when its request was sent. */
  confirm(asked: EpochMs): void {
    for (const [asset, at] of this.#freed) {
      if (asked < at) continue;
      this.#freed.delete(asset);
      this.#context.holds.lift('end', asset);
    }
    for (const order of this.#claimed()) {
      if (asked >= confirmableFrom(order) && this.#isConfirmed(order)) {
        this.#context.move(order.id, this.#doubted(order, order.claim.end));
      } else {
        this.#context.operatorWords.noteMissing(order.id, lackOf(order));
        this.#alarmIfLate(order);
      }
    }
    this.#clearAlarms();
  }

  #clearAlarms(): void {
    for (const id of this.#alarmed) {
      const { claim, strategyId, terms } = this.#context.accountState.order(id);
      if (claim || !this.#alarmed.delete(id)) continue;
      const text = `${describeTerms(terms)}: its end is no longer in doubt (order ${id})`;
      this.#context.allClear(`claim ${id}`, text, strategyId);
    }
  }

  /** True when the account agrees or an operator vouches for the end. An accepted order that was never shown needs both. */
  #isConfirmed(order: ClaimedOrder): boolean {
    const [agrees, isVouched] = [this.#agreesWithout(order), this.#isVouched(order)];
    return isIncident(order) ? agrees && isVouched : agrees || isVouched;
  }

  /** Records that an accepted order was never shown: it keeps its reserve until an operator states its outcome. */
  vanished({ id }: Order): void {
    this.#context.move(id, {
      kind: 'endClaimed',
      at: this.#context.now,
      end: { kind: 'absent', assumed: true },
    });
  }

  /** Adds to the event of an end the doubt about what the order could still have filled. */
  #doubted(order: Order, end: EndEvent): EndEvent {
    const { now, calendar, rules, operatorWords } = this.#context;
    const report = end.kind === 'reported' ? end.report : null;
    const isProved = operatorWords.isGiven(order.id) || this.#isProved(order, end);
    if (rules.answersAtOnce || isProved || unfilledOf(order, report?.settlement ?? null) <= 0n) return end;
    const isSolicited = this.#isSolicited(order, end);
    const until = isSolicited ? epochMs(now + SOLICITED_MS) : calendar.nextSession(now).close;
    return { ...end, doubt: { isSolicited, until } };
  }

  /** Ends an order as never placed, with its doubt. */
  absent(order: Order, end: Extract<EndEvent, { kind: 'absent' }>): void {
    this.#context.move(order.id, this.#doubted(order, end));
  }

  /**
   * True if an end is shown by more than the venue's word: a documented refusal before anything was built, or a node's
   * view of a transaction whose hash was computed here.
   */
  #isProved({ state }: Order, end: EndEvent): boolean {
    if (end.kind === 'refused') return !end.unproven;
    const { nonces } = this.#context.accountState;
    if (end.kind === 'absent') return !end.assumed && 'txHash' in state && nonces.has(state.txHash ?? '');
    return (
      end.report.status === 'reverted' && end.report.cause !== undefined && nonces.has(end.report.txHash)
    );
  }

  /** True for a requested cancel, and for a DAY limit expired by its session. */
  #isSolicited(order: Order, end: EndEvent): boolean {
    if (end.kind !== 'reported') return false;
    const { cancel, claim, terms } = order;
    if (end.report.status === 'cancelled') return cancel.kind !== 'none';
    if (end.report.status !== 'expired' || terms.type !== 'limit') return false;
    return (claim?.at ?? this.#context.now) >= dayEndsOf(this.#context, order).first - EARLY_MS;
  }

  /** True when an operator's statement replaces the account, and complete lists read since have not shown the order open. */
  #isVouched({ id }: ClaimedOrder): boolean {
    return this.#context.operatorWords.isGiven(id) && this.#context.operatorWords.hasLists(id);
  }

  /** Ends the order. Holds a large unused reserve, or a symbol whose order was thought reverted, until the account is read. */
  #end(id: OrderId, end: EndEvent): void {
    const before = this.#context.accountState.order(id);
    if (
      !this.#context.move(
        id,
        end.kind === 'reported' && end.report.settlement ? this.#doubted(before, end) : end,
      )
    )
      return;
    const order = this.#context.accountState.order(id);
    if (leavesMuch(order)) this.#holdUntilRead(assetOf(order), `with ${assetOf(order)} left over`);
    if (before.state.kind === 'reverted' && order.state.kind === 'closed')
      this.#holdUntilRead(order.terms.symbol, 'after its revert was undone');
  }

  #holdUntilRead(asset: Asset, how: string): void {
    this.#freed.set(asset, this.#context.now);
    const why = `the venue says that an order has ended ${how}: the account is read first`;
    this.#context.holds.put('end', why, asset);
    this.#context.ask({ kind: 'readAccount' });
  }

  #claimed(): ClaimedOrder[] {
    return [...this.#context.accountState.live.values()].filter(isClaimed);
  }

  #alarmIfLate(order: ClaimedOrder): void {
    const { id } = order;
    if (this.#alarmed.has(id)) return;
    if (!isIncident(order) && this.#context.now - confirmableFrom(order) <= UNCONFIRMED_MS) return;
    this.#alarmed.add(id);
    const text = isIncident(order) ? incidentText(order) : unconfirmedText(order);
    const code = isIncident(order) ? 'ORDER_CONTRADICTED' : 'END_UNCONFIRMED';
    this.#context.alarm(`claim ${id}`, text, aboutOrder(code, order));
  }
}

const unconfirmedText = ({ id, terms, claim }: ClaimedOrder): string =>
  `${describeTerms(terms)}: the venue says that it ended without a fill (${describeEnd(claim.end)}), and the ` +
  `account does not agree: its money stays reserved and nothing more is sent on its side of ${terms.symbol} ` +
  `until it does (order ${id}). "drover reconcile" shows both; where the venue's own page says the same of the order, ` +
  `"drover orders resolve ${id}" ends it`;

const incidentText = ({ id, terms, reserve }: ClaimedOrder): string =>
  `${describeTerms(terms)}: the venue has accepted it, and nothing of it was shown until a minute after its deadline. It may still ` +
  `be carried out: its ${formatDecimal(reserve)} ${terms.side === 'buy' ? 'mUSD' : 'shares'} stay reserved, ${terms.symbol} is ` +
  `frozen, and nothing is sent in its place (order ${id}). Where you see at the venue that it was never placed, ` +
  `"drover orders resolve ${id}" ends it`;

const isClaimed = (order: Order): order is ClaimedOrder => order.claim !== undefined;

/** True for an order that the venue accepted and never showed. */
const isIncident = ({ claim }: ClaimedOrder): boolean => claim.end.kind === 'absent';

/** True for an ended order with more money left than a better price and fees explain. */
function leavesMuch(order: Order): boolean {
  const { state } = order;
  if (state.kind !== 'closed' || !state.settlement) return false;
  const most = mostPaid(order);
  return (most - state.settlement.pay) * LEFT_OVER_PARTS > most;
}

/** True for an event that ends the order without a fill on the word of its source alone. */
function endsWithoutFill(order: Order, end: EndEvent): boolean {
  if (hasEnded(order) || order.state.kind === 'planned') return false;
  const ended = transition(order, end);
  if (ended.kind !== 'moved' || !hasEnded(ended.order)) return false;
  return ended.order.state.kind !== 'closed' || ended.order.state.settlement === null;
}

/**
 * Time from which an account read shows whether the order moved anything. An order that was shown open has locked its
 * money by then. Any other may be mined until its deadline, whatever venue or node report, and until then the account
 * looks the same either way.
 */
function confirmableFrom({ state, claim: { at } }: ClaimedOrder): EpochMs {
  if (!('deadline' in state)) return at;
  return epochMs(Math.max(at, state.deadline * 1000 + FENCE_SLACK_MS));
}

const lackOf = (order: ClaimedOrder): string =>
  `it may still be mined until ${toIso(confirmableFrom(order))}, and two complete order lists are needed after that`;

const describeEnd = (end: EndEvent): string =>
  end.kind === 'refused' ? `refused, ${end.reason}` : claimText(end);
