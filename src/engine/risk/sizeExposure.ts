import { cash, type Cash } from '../../core/amount.ts';
import { epochMs, type EpochMs } from '../../core/brand.ts';
import type { Ticker } from '../../domain/instrument.ts';
import { owedWith } from '../../domain/account/deferredSells.ts';
import type { Exposure, GroupLimit, Limits, OwedShares } from '../../domain/limits.ts';
import { notionalOfBuy } from '../../domain/orders/order.ts';
import type { EngineContext } from '../state/engineContext.ts';
import { countedWorth, exposureOf, notionalAt, worth, type ExposureScope } from '../state/exposure.ts';

/** Exposure with the additional values that a scope's limits need. Null while no price of the stock is known. */
export function exposureUnder(context: EngineContext, limits: Limits, scope: ExposureScope): Exposure | null {
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

function groupsOf(
  context: EngineContext,
  groups: Readonly<Record<string, GroupLimit>>,
  scope: ExposureScope,
): ReadonlyMap<string, Cash> {
  const own = Object.entries(groups).filter(([, { symbols }]) => symbols.includes(scope.symbol));
  return new Map(own.map(([name, group]) => [name, groupExposure(context, group, scope)]));
}

/** Value of a group's stocks: holdings, plus buys under way or in doubt after an unrequested end. */
export function groupExposure(
  context: EngineContext,
  { symbols }: Pick<GroupLimit, 'symbols'>,
  { strategyId, except }: Omit<ExposureScope, 'symbol'>,
): Cash {
  let position = 0n;
  for (const symbol of symbols as readonly Ticker[]) position += countedWorth(context, symbol, strategyId);
  for (const { id, terms, strategyId: owner } of context.accountState.open.all.values())
    if (
      terms.side === 'buy' &&
      id !== except &&
      symbols.includes(terms.symbol) &&
      (strategyId === undefined || owner === strategyId)
    )
      position += notionalOfBuy(terms);
  for (const { order, amount, doubt } of context.accountState.doubts.buys(context.now, strategyId))
    if (!doubt.isSolicited && symbols.includes(order.terms.symbol)) position += amount;
  return cash(position);
}

/** Value of the account's debt from deferred sells, including those under way, of all strategies. `except`: as in a scope. */
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

/** Value of the orders of this session: filled amounts, open orders in full, and amounts that are or were in doubt. */
export function turnoverOf(
  { accountState, market }: EngineContext,
  { strategyId, except }: Omit<ExposureScope, 'symbol'>,
): Cash {
  let value = accountState.trades.turnover.of(strategyId);
  for (const { id, terms, strategyId: owner } of accountState.open.all.values()) {
    if (id === except || (strategyId !== undefined && owner !== strategyId)) continue;
    const price = market.price(terms.symbol);
    if (price !== null) value += notionalAt(terms, price);
  }
  for (const { order, amount } of accountState.doubts.counted(strategyId)) {
    const { side, symbol } = order.terms;
    value += side === 'buy' ? amount : worth({ market }, symbol, amount);
  }
  return cash(value);
}

type OwnerScope = Readonly<{ strategyId?: string }>;

/** Amount in mUSD, and the time at which its first part is no longer in doubt. */
type InDoubt = Readonly<{ amount: bigint; until: EpochMs }>;

/** Buys in doubt, by stock, whose end was requested or whose DAY is over. */
export function solicitedDoubt(
  { accountState, now }: EngineContext,
  { strategyId }: OwnerScope,
): ReadonlyMap<Ticker, InDoubt> {
  const byStock = new Map<Ticker, InDoubt>();
  for (const { order, amount, doubt } of accountState.doubts.buys(now, strategyId)) {
    if (!doubt.isSolicited) continue;
    const { symbol } = order.terms;
    const known = byStock.get(symbol);
    const until = known && known.until < doubt.until ? known.until : doubt.until;
    byStock.set(symbol, { amount: (known?.amount ?? 0n) + amount, until });
  }
  return byStock;
}

/** Amount of a stock's buys in doubt that does not count against size limits; undefined for any amount. */
export const doubtLimitOf = (
  { doubt, symbols, positionNotional }: Limits,
  symbol: Ticker,
): Cash | undefined => doubt ?? symbols?.[symbol]?.positionNotional ?? positionNotional;

/**
 * Exposure including amounts in doubt beyond `limits.doubt`, and until when; null if there are none. An order that
 * breaks a limit only with them has to wait.
 */
export function beyondDoubt(
  context: EngineContext,
  limits: Limits,
  { exposure, symbol, ...scope }: OwnerScope & Readonly<{ exposure: Exposure; symbol: Ticker }>,
): Readonly<{ exposure: Exposure; until: EpochMs }> | null {
  let [position, gross, until]: [bigint, bigint, number] = [exposure.position, exposure.gross, Infinity];
  const groups = new Map(exposure.groups);
  for (const [stock, inDoubt] of solicitedDoubt(context, scope)) {
    const beyond = inDoubt.amount - (doubtLimitOf(limits, stock) ?? inDoubt.amount);
    if (beyond <= 0n) continue;
    until = Math.min(until, inDoubt.until);
    gross += beyond;
    if (stock === symbol) position += beyond;
    for (const [name, group] of groups)
      if (limits.groups?.[name]?.symbols.includes(stock)) groups.set(name, cash(group + beyond));
  }
  if (until === Infinity) return null;
  return {
    exposure: { ...exposure, position: cash(position), gross: cash(gross), groups },
    until: epochMs(until),
  };
}
