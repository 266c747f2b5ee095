import { aboutOrder } from '../state/alarmCodes.ts';
import {
  contradictsEnd,
  isReopening,
  isSettledIn,
  isUndone,
  settlementChange,
} from '../../domain/orders/contradiction.ts';
import { describeTerms } from '../../domain/describe.ts';
import { assetOf, assetReceived, type Order, type OrderId } from '../../domain/orders/order.ts';
import type { OrderReport } from '../../domain/venue.ts';
import type { Reconciliation } from '../account/reconciliation.ts';
import type { EngineContext } from '../state/engineContext.ts';

/** Number of consecutive lists that must show an ended order as open, settled differently or undone before that counts. */
const BACK_MIN = 2;

const undoneText = ({ id }: Order): string =>
  `order ${id}: it had settled, and the venue shows its transaction unmined again: a reorganisation of the chain has undone the fill`;

/** Ends of orders that later lists contradict, as after a chain reorganisation. */
export class ContradictedEnds {
  readonly #context: EngineContext;
  readonly #reconciliation: Pick<Reconciliation, 'hasMoved' | 'gapOf'>;
  /** Number of consecutive lists that contradicted the end of an order. */
  readonly #seen = new Map<OrderId, number>();

  constructor(context: EngineContext, reconciliation: Pick<Reconciliation, 'hasMoved' | 'gapOf'>) {
    this.#context = context;
    this.#reconciliation = reconciliation;
  }

  /**
   * Reopens an order that consecutive lists show as open or settled differently, if the account shows that too; the
   * symbol is frozen by the first of them. Freezes the symbol of a fill that was undone for good. True if the report
   * says nothing else.
   */
  take(id: OrderId, report: OrderReport): boolean {
    const seen = this.#seen.get(id) ?? 0;
    this.#seen.delete(id);
    const order = this.#context.accountState.order(id);
    if (isSettledIn(order, report)) this.#thaw(order);
    const isGone = this.#isGone(order, report);
    if (!isGone && !contradictsEnd(order, report)) return false;
    const isCertain = seen + 1 >= BACK_MIN;
    if (isCertain && isGone) this.#freeze(order);
    else if (isCertain && this.#reconciliation.hasMoved(settlementChange(order, report)))
      return this.#takeBack(order, report) && isReopening(order, report);
    this.#seen.set(id, seen + 1);
    return false;
  }

  /** True while the account still has what an undone fill paid, or lacks what it brought; not so while an indexer starts over. */
  #isGone(order: Order, report: OrderReport): boolean {
    if (!isUndone(order, report, this.#context.now)) return false;
    return (
      this.#reconciliation.gapOf(assetOf(order)) > 0n || this.#reconciliation.gapOf(assetReceived(order)) < 0n
    );
  }

  /** Freezes buying only: protective sells continue, since they only sell shares that the venue also has. */
  #freeze(order: Order): void {
    const why = undoneText(order);
    this.#context.freeze(order.terms.symbol, why, { shown: why, guards: 'buys' });
  }

  #thaw(order: Order): void {
    const { symbol } = order.terms;
    const why = undoneText(order);
    if (this.#context.accountState.freezes.has(symbol, why))
      this.#context.unfreeze(symbol, why, `the venue shows order ${order.id} settled again`);
  }

  #takeBack(order: Order, report: OrderReport): boolean {
    const { id, terms, state } = order;
    const taken = state.kind === 'closed' ? ': what it had settled is taken back' : '';
    const how = isReopening(order, report) ? 'is open again' : 'has settled again, otherwise';
    this.#context.notify(
      'alarm',
      `${describeTerms(terms)} ${how}${taken} (order ${id})`,
      aboutOrder('ORDER_CONTRADICTED', order),
    );
    return this.#context.move(id, { kind: 'reopened', report });
  }
}
