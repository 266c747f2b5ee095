import type { Asset } from '../account/ledger.ts';
import type { Ticker } from '../instrument.ts';
import { assetOf, hasEnded, type Order, type OrderId } from './order.ts';

const NONE: ReadonlyMap<OrderId, Order> = new Map();

/**
 * Orders that have not ended, and their reserves. The sums follow each change of an order, so that limits, buying power
 * and intents need not scan all orders.
 */
export class OpenOrders {
  /** Open orders, oldest first. */
  readonly all = new Map<OrderId, Order>();
  readonly #bySymbol = new Map<Ticker, Map<OrderId, Order>>();
  readonly #byIntent = new Map<string, number>();
  readonly #buys = new Map<string, bigint>();
  #allBuys = 0n;
  readonly #sent = new Map<Asset, bigint>();

  /** Replaces an order by its present state. */
  keep(order: Order): void {
    const { id, terms } = order;
    const before = this.all.get(id);
    const group = this.#bySymbol.get(terms.symbol) ?? new Map<OrderId, Order>();
    if (before && hasEnded(order)) {
      this.#count(before, -1);
      this.all.delete(id);
      group.delete(id);
    } else if (!hasEnded(order)) {
      if (!before || isSent(before) !== isSent(order)) {
        if (before) this.#count(before, -1);
        this.#count(order, 1);
      }
      this.all.set(id, order);
      this.#bySymbol.set(terms.symbol, group.set(id, order));
    }
  }

  /** Open orders of a stock, oldest first. */
  inSymbol(symbol: Ticker): readonly Order[] {
    return [...(this.#bySymbol.get(symbol) ?? NONE).values()];
  }

  /** True while an intent has an open order. */
  has(intent: string): boolean {
    return this.#byIntent.has(intent);
  }

  /** Oldest open order of an intent. */
  of(intent: string): Order | undefined {
    if (this.has(intent)) for (const order of this.all.values()) if (order.intentId === intent) return order;
    return undefined;
  }

  /** mUSD that open buys may take, of one strategy or of all. */
  buys(strategyId?: string): bigint {
    return strategyId === undefined ? this.#allBuys : (this.#buys.get(strategyId) ?? 0n);
  }

  /** Amount of an asset that orders which have been sent may take. */
  sent(asset: Asset): bigint {
    return this.#sent.get(asset) ?? 0n;
  }

  #count(order: Order, times: 1 | -1): void {
    const { intentId: intent, strategyId, terms, reserve } = order;
    const amount = times === 1 ? reserve : -reserve;
    if (terms.side === 'buy') {
      this.#allBuys += amount;
      this.#buys.set(strategyId, this.buys(strategyId) + amount);
    }
    if (isSent(order)) this.#sent.set(assetOf(order), this.sent(assetOf(order)) + amount);
    const orders = (this.#byIntent.get(intent) ?? 0) + times;
    if (orders > 0) this.#byIntent.set(intent, orders);
    else this.#byIntent.delete(intent);
  }
}

const isSent = ({ state }: Order): boolean => state.kind !== 'planned';
