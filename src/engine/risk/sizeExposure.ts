import { cash, type Cash } from '../../core/amount.ts';
import type { Ticker } from '../../domain/instrument.ts';
import { owedWith } from '../../domain/account/deferredSells.ts';
import type { Exposure, GroupExposure, GroupLimit, Limits, OwedShares } from '../../domain/limits.ts';
import type { EngineContext } from '../state/engineContext.ts';
import { countedShares, exposureOf, notionalAt, worth } from '../state/exposure.ts';

/** `except`: the order in question, which is left out. */
type Scope = Readonly<{ symbol: Ticker; strategyId?: string; except?: string }>;

/** Exposure with what the limits of a scope need beyond it. Null while no price of the stock is known. */
export function exposureUnder(context: EngineContext, limits: Limits, scope: Scope): Exposure | null {
  const exposure = exposureOf(context, scope);
  if (!exposure || (!limits.groups && limits.turnoverPerDay === undefined && limits.debt === undefined))
    return exposure;
  return {
    ...exposure,
    ...(limits.groups && { groups: groupsOf(context, limits.groups, scope) }),
    ...(limits.turnoverPerDay !== undefined && { turnover: turnoverOf(context, scope) }),
    ...(limits.debt !== undefined && { debt: owedShares(context, scope.except) }),
  };
}

/** Positions of the groups that a stock is in. */
function groupsOf(
  context: EngineContext,
  groups: Readonly<Record<string, GroupLimit>>,
  scope: Scope,
): ReadonlyMap<string, GroupExposure> {
  const own = Object.entries(groups).filter(([, { symbols }]) => symbols.includes(scope.symbol));
  return new Map(own.map(([name, group]) => [name, groupExposure(context, group, scope)]));
}

/** Value of the stocks of a group: what is held of them, and what buys under way may take. */
export function groupExposure(
  context: EngineContext,
  { symbols }: GroupLimit,
  { strategyId, except }: Omit<Scope, 'symbol'>,
): GroupExposure {
  let position = 0n;
  let unpriced: Ticker | null = null;
  for (const symbol of symbols as readonly Ticker[]) {
    const held = countedShares(context, symbol, strategyId);
    if (held === 0n) continue;
    position += worth(context, symbol, held);
    if (context.market.price(symbol) === null) unpriced ??= symbol;
  }
  for (const order of context.accountState.open.all.values())
    if (
      order.terms.side === 'buy' &&
      order.id !== except &&
      symbols.includes(order.terms.symbol) &&
      (strategyId === undefined || order.strategyId === strategyId)
    )
      position += order.reserve;
  return { position: cash(position), unpriced };
}

/** Value of what the account owes after deferred sells, those under way included, whosever they are. `except`: as in a scope. */
export function owedShares(context: EngineContext, except?: string): OwedShares {
  const { accountState, market } = context;
  let value = 0n;
  let unpriced: Ticker | null = null;
  for (const asset of accountState.ledger.assets) {
    const owed = asset === 'mUSD' ? 0n : owedWith(accountState, asset, except);
    if (asset === 'mUSD' || owed <= 0n) continue;
    value += worth(context, asset, owed);
    if (market.price(asset) === null) unpriced ??= asset;
  }
  return { value: cash(value), unpriced };
}

/** Value of the orders of this session: what they have filled, and open ones whole. */
export function turnoverOf(
  { accountState, market }: EngineContext,
  { strategyId, except }: Omit<Scope, 'symbol'>,
): Cash {
  let value = accountState.trades.turnover.of(strategyId);
  for (const { id, terms, strategyId: whose } of accountState.open.all.values()) {
    if (id === except || (strategyId !== undefined && whose !== strategyId)) continue;
    const price = market.price(terms.symbol);
    if (price !== null) value += notionalAt(terms, price);
  }
  return cash(value);
}
