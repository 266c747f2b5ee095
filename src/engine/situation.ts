import { cash, price as asPrice, shares, type Cash, type Price, type Shares } from '../core/amount.ts';
import type { Instrument } from '../domain/instrument.ts';
import type { Order, OrderId } from '../domain/order.ts';
import type { Side } from '../domain/venue.ts';
import type { Wish } from '../domain/wish.ts';
import type { Desk } from './desk.ts';
import { equityOf, onTheWay } from './exposure.ts';
import { isNothing, missingOf, type Situation } from './sizing.ts';

/** Where the owner of a wish stands, read off the desk as far as sizing asks. */
export class OwnSituation implements Situation {
  readonly instrument: Instrument;
  readonly #desk: Desk;
  readonly #wish: Wish;

  constructor(desk: Desk, wish: Wish, instrument: Instrument) {
    this.instrument = instrument;
    this.#desk = desk;
    this.#wish = wish;
  }

  get price(): Price {
    return this.#desk.market.price(this.#wish.symbol) ?? asPrice(0n);
  }

  get freeCash(): Cash {
    return cash(this.#desk.books.ledger.balance(this.#wish.owner, 'free', 'mUSD'));
  }

  get freeShares(): Shares {
    return shares(this.#desk.books.ledger.balance(this.#wish.owner, 'free', this.#wish.symbol));
  }

  get heldShares(): Shares {
    return shares(this.#desk.books.ledger.held(this.#wish.owner, this.#wish.symbol));
  }

  get equity(): Cash {
    return equityOf(this.#desk, this.#wish.owner);
  }

  get onTheWay(): Shares {
    return onTheWay(this.#desk, this.#orders());
  }

  get live(): Readonly<{ buy: readonly OrderId[]; sell: readonly OrderId[] }> {
    const orders = this.#orders();
    const idsOf = (side: 'buy' | 'sell') =>
      orders.filter(({ terms }) => terms.side === side).map(({ id }) => id);
    return { buy: idsOf('buy'), sell: idsOf('sell') };
  }

  get filled(): Shares {
    return shares(this.#desk.books.filledByWish.get(this.#wish.id) ?? 0n);
  }

  get collarBps(): number {
    return this.#desk.rules.collarBps;
  }

  get plainExchange(): boolean {
    return this.#desk.rules.plainExchange ?? false;
  }

  costOf(notional: bigint): bigint {
    return this.#desk.costOf(notional);
  }

  #orders(): Order[] {
    const { owner, symbol } = this.#wish;
    return this.#desk.liveOf({ owner, symbol });
  }
}

/** Which way a wish trades: of a target, which way it would now. */
export function sideOf(desk: Desk, wish: Wish): Side {
  const { want } = wish;
  switch (want.kind) {
    case 'limit':
      return want.side;
    case 'sell':
      return 'sell';
    case 'buy':
    case 'buyShares':
      return 'buy';
    case 'target': {
      const [order] = desk.liveOf({ wish: wish.id });
      const instrument = desk.market.instruments.get(wish.symbol);
      if (order) return order.terms.side;
      if (isNothing(want.to)) return 'sell';
      if (!instrument || desk.market.price(wish.symbol) === null) return 'buy';
      return missingOf(want.to, new OwnSituation(desk, wish, instrument)).value < 0n ? 'sell' : 'buy';
    }
  }
}
