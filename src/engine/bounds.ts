import { breachOf, type Breach, type Limits } from '../domain/limits.ts';
import type { Order } from '../domain/order.ts';
import type { Desk } from './desk.ts';
import { exposureOf, notionalAt } from './exposure.ts';
import { spacingOf } from './failures.ts';

/** The limits of the account and of each strategy, held against an order. */
export class Bounds {
  readonly #desk: Desk;
  /** Of the account, then by strategy; those that bind nothing are left out. */
  readonly #scopes: readonly Readonly<{ limits: Limits; owner?: string }>[];

  constructor(desk: Desk) {
    this.#desk = desk;
    const { limits, ownLimits } = desk.rules;
    const own = [...ownLimits].map(([owner, limits]) => ({ limits, owner }));
    this.#scopes = [{ limits }, ...own].filter((scope) => binds(scope.limits));
  }

  /** The limit an order would break, of the account or of its strategy. */
  breach({ id, owner, terms }: Pick<Order, 'id' | 'owner' | 'terms'>): Breach | null {
    if (!this.#desk.market.quote(terms.symbol))
      return { limit: 'quoteAgeMs', message: `no price of ${terms.symbol} is known` };
    const spacing = spacingOf(this.#desk, { owner, terms });
    if (spacing !== null) return { limit: 'failureSpacing', message: spacing };
    for (const { limits, ...scope } of this.#scopes) {
      if (scope.owner !== undefined && scope.owner !== owner) continue;
      const exposure = exposureOf(this.#desk, { symbol: terms.symbol, except: id, ...scope });
      if (!exposure) continue;
      const breach = breachOf({ terms, notional: notionalAt(terms, exposure.quote.price) }, limits, exposure);
      if (breach) return breach;
    }
    return null;
  }
}

const binds = (limits: Limits): boolean => Object.values(limits).some((limit) => limit !== undefined);

/** Time alone lifts it. */
export const isPassing = (breach: Breach | null): boolean =>
  breach?.limit === 'ordersPerMinute' || breach?.limit === 'quoteAgeMs' || breach?.limit === 'failureSpacing';
