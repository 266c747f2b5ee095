import { least } from '../../core/amount.ts';
import {
  freeOf,
  OWED,
  reservedOf,
  UNALLOCATED,
  VENUE,
  type Asset,
  type Ledger,
  type StrategyId,
  type Posting,
} from './ledger.ts';
import { hasEnded, type Order, type OrderId, assetOf, paidBy } from '../orders/order.ts';

/** Amounts covered by other owners for an order that appeared late or took more than its reserve. */
type Cover = Readonly<{ spare: bigint; owed: bigint }>;

const NONE: readonly Posting[] = [];

/** Covers orders that take more than their owner has left, first from unallocated money. */
export class ShortfallCover {
  readonly #ledger: Ledger;
  private readonly covered = new Map<OrderId, Cover>();
  /** Cover for proceeds that were reversed. */
  private readonly missing = new Map<OrderId, Cover>();

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /**
   * Reserves again the amount that an order closed as never placed may take, or has taken, after it has appeared. If
   * its owner has spent the money since, unallocated money pays, and the rest is booked as owed, because the money did
   * leave the account. Returns the reserved amount.
   */
  reserveAgain(order: Order): bigint {
    const asset = assetOf(order);
    const amount = hasEnded(order) ? paidBy(order) : order.reserve;
    const { own, spare, owed } = this.#spread(order.strategyId, asset, amount);
    this.covered.set(order.id, { spare, owed });
    this.#ledger.post(`order ${order.id} found late`, [
      { ...freeOf(order.strategyId), asset, amount: -own },
      { ...freeOf(UNALLOCATED), asset, amount: -spare },
      { ...OWED, asset, amount: -owed },
      { ...reservedOf(order.strategyId), asset, amount },
    ]);
    return amount;
  }

  /** Returns unused cover to the owners who provided it, not to the owner of the order. */
  returnUnused(order: Order, unused: bigint): readonly Posting[] {
    return this.#settle(this.covered, { order, asset: assetOf(order), amount: unused });
  }

  /**
   * Reverses the proceeds of an order that the chain has undone: first from its owner, then covered as above. The cover
   * is repaid as soon as the proceeds arrive after all.
   */
  takeBack({ id, strategyId }: Order, asset: Asset, amount: bigint): readonly Posting[] {
    const { own, spare, owed } = this.#spread(strategyId, asset, amount);
    if (spare + owed > 0n) this.missing.set(id, { spare, owed });
    return [
      { ...freeOf(strategyId), asset, amount: -own },
      { ...freeOf(UNALLOCATED), asset, amount: -spare },
      { ...OWED, asset, amount: -owed },
      { ...VENUE, asset, amount },
    ];
  }

  /** Returns the cover of reversed proceeds that have arrived after all, up to `amount`. */
  repay(order: Order, asset: Asset, amount: bigint): readonly Posting[] {
    return this.#settle(this.missing, { order, asset, amount });
  }

  /** Pays back the cover of an order, up to `amount`: owed amounts first. */
  #settle(
    covers: Map<OrderId, Cover>,
    { order: { id, strategyId }, asset, amount }: Readonly<{ order: Order; asset: Asset; amount: bigint }>,
  ): readonly Posting[] {
    const cover = covers.get(id);
    if (!cover) return NONE;
    covers.delete(id);
    const owed = least(cover.owed, amount);
    const spare = least(cover.spare, amount - owed);
    return [
      { ...freeOf(strategyId), asset, amount: -owed - spare },
      { ...OWED, asset, amount: owed },
      { ...freeOf(UNALLOCATED), asset, amount: spare },
    ];
  }

  /** Splits an amount: paid first by its owner, then from unallocated money; the rest is owed. */
  #spread(strategyId: StrategyId, asset: Asset, amount: bigint): Cover & Readonly<{ own: bigint }> {
    const own = least(this.#ledger.balance(strategyId, 'free', asset), amount);
    const unallocated = strategyId === UNALLOCATED ? 0n : this.#ledger.balance(UNALLOCATED, 'free', asset);
    const spare = least(unallocated, amount - own);
    return { own, spare, owed: amount - own - spare };
  }

  /** Books the amount beyond the reserve that its owner cannot pay as owed. */
  cover(order: Order, more: bigint): readonly Posting[] {
    const asset = assetOf(order);
    const owed = more - this.#ledger.balance(order.strategyId, 'free', asset);
    if (owed <= 0n) return NONE;
    this.covered.set(order.id, { spare: 0n, owed });
    return [
      { ...freeOf(order.strategyId), asset, amount: owed },
      { ...OWED, asset, amount: -owed },
    ];
  }
}
