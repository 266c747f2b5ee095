import { freeOf, OWED, reservedOf, UNALLOCATED, type Ledger, type Posting } from './ledger.ts';
import { assetOf, hasEnded, paidBy, type Order, type OrderId } from './order.ts';

/** What others have put up for an order that turned up late. */
type Loan = Readonly<{ spare: bigint; owed: bigint }>;

const NONE: readonly Posting[] = [];

/** Money for orders that turned up after they had been taken for never placed, and their money for free. */
export class Loans {
  readonly #ledger: Ledger;
  readonly #lent = new Map<OrderId, Loan>();

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /**
   * What the order may take, or has taken, is bound once more. Where its owner has spent it since, what nobody was given
   * pays, and where that is gone too, it is owed: the money did leave the account, and others have still been promised
   * it. Gives back how much that is.
   */
  reserveAgain(order: Order): bigint {
    const asset = assetOf(order);
    const amount = hasEnded(order) ? paidBy(order) : order.reserve;
    const own = this.#ledger.balance(order.owner, 'free', asset);
    const fromOwn = own < amount ? own : amount;
    const lent = amount - fromOwn;
    const free = this.#ledger.balance(UNALLOCATED, 'free', asset);
    const spare = free < lent ? free : lent;
    this.#lent.set(order.id, { spare, owed: lent - spare });
    this.#ledger.post(`order ${order.id} found late`, [
      { ...freeOf(order.owner), asset, amount: -fromOwn },
      { ...freeOf(UNALLOCATED), asset, amount: -spare },
      { ...OWED, asset, amount: spare - lent },
      { ...reservedOf(order.owner), asset, amount },
    ]);
    return amount;
  }

  /** What was lent to an order and not used goes back to where it came from, not to its owner. */
  giveBack({ id, owner, ...order }: Order, unused: bigint): readonly Posting[] {
    const loan = this.#lent.get(id);
    if (!loan) return NONE;
    this.#lent.delete(id);
    const asset = assetOf(order);
    const owed = loan.owed < unused ? loan.owed : unused;
    const spare = loan.spare < unused - owed ? loan.spare : unused - owed;
    return [
      { ...freeOf(owner), asset, amount: -owed - spare },
      { ...OWED, asset, amount: owed },
      { ...freeOf(UNALLOCATED), asset, amount: spare },
    ];
  }
}
