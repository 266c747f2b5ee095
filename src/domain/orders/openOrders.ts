import type { Asset } from '../account/ledger.ts';
import type { Ticker } from '../instrument.ts';
import { assetOf, notionalOfBuy, type Order, type OrderId } from './order.ts';

/** Number of counts of 0 that are kept, because V8 rebuilds a map whose last entry is deleted. */
const SPARE = 64;

/**
 * Orders that have not ended, and the amounts they bind. The sums are updated with each change, so that checks of limits, buying
 * power and intents need not go through all orders. An order's reserve, terms and strategy never change while it is open.
 */
export class OpenOrders {
  /** Oldest first. The type is written out because an inferred one would be declared through the whole package. */
  readonly all: Map<OrderId, Order> = new Map();
  private readonly byIntent = new Map<string, number>();
  private readonly buysByStrategy = new Map<string, bigint>();
  private allBuys = 0n;
  private readonly sentByAsset = new Map<Asset, bigint>();

  /** Stores an order in its new state. */
  keep(order: Order, hasEnded: boolean): void {
    const before = this.all.get(order.id);
    if (hasEnded) {
      if (before) this.#drop(before);
      return;
    }
    this.all.set(order.id, order);
    if (!before) this.#bind(order, 1);
    const wasSent = before !== undefined && isSent(before);
    if (wasSent !== isSent(order)) this.#bindSent(order, wasSent ? -1 : 1);
  }

  /** Open orders of a stock, oldest first. */
  inSymbol(symbol: Ticker): readonly Order[] {
    const found: Order[] = [];
    for (const order of this.all.values()) if (order.terms.symbol === symbol) found.push(order);
    return found;
  }

  has(intent: string): boolean {
    return (this.byIntent.get(intent) ?? 0) > 0;
  }

  /** Oldest open order of an intent. */
  of(intent: string): Order | undefined {
    if (this.has(intent)) for (const order of this.all.values()) if (order.intentId === intent) return order;
    return undefined;
  }

  /** Value that open buys may acquire, in mUSD before fees, of one strategy or of all. */
  buys(strategyId?: string): bigint {
    return strategyId === undefined ? this.allBuys : (this.buysByStrategy.get(strategyId) ?? 0n);
  }

  /** Amount of an asset that sent orders may take. */
  sent(asset: Asset): bigint {
    return this.sentByAsset.get(asset) ?? 0n;
  }

  #drop(order: Order): void {
    this.all.delete(order.id);
    this.#bind(order, -1);
    if (isSent(order)) this.#bindSent(order, -1);
  }

  #bind({ intentId, strategyId, terms }: Order, times: 1 | -1): void {
    const orders = (this.byIntent.get(intentId) ?? 0) + times;
    if (orders > 0 || this.byIntent.size <= SPARE) this.byIntent.set(intentId, orders);
    else this.byIntent.delete(intentId);
    if (terms.side !== 'buy') return;
    const notional = notionalOfBuy(terms);
    const amount = times === 1 ? notional : -notional;
    this.allBuys += amount;
    this.buysByStrategy.set(strategyId, this.buys(strategyId) + amount);
  }

  #bindSent(order: Order, times: 1 | -1): void {
    const asset = assetOf(order);
    this.sentByAsset.set(asset, this.sent(asset) + (times === 1 ? order.reserve : -order.reserve));
  }
}

const isSent = ({ state }: Order): boolean => state.kind !== 'planned';
