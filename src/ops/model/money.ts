import { formatDecimal, type Cash } from '../../core/amount.ts';
import type { Ticker } from '../../domain/instrument.ts';
import { UNALLOCATED } from '../../domain/account/ledger.ts';
import { averageCost } from '../../domain/account/positions.ts';
import type { StockMark } from '../../engine/state/accountSnapshot.ts';
import type { EngineContext } from '../../engine/state/engineContext.ts';
import {
  accountEquity,
  bookedEquityOf,
  dayProfit,
  earningsOf,
  unallocatedPnl,
  unrealisedOf,
  type Earnings,
} from '../../engine/state/exposure.ts';
import type { PnlView, PositionView, StrategyView, UnallocatedView } from './status.ts';

/** Money of a strategy as the status shows it. */
type StrategyMoney = Pick<StrategyView, 'id' | 'equity' | 'cash' | 'receivable' | 'pnl' | 'positions'>;

/**
 * Money of a run. To the last digit, equity, cash and dividends due of all strategies and of `unallocated` add up to those of the account,
 * and so do their profits, except today's, and the shares and values of their positions.
 */
export type Money = Readonly<{
  equity: string;
  cash: string;
  /** Dividends from their ex-date until they are paid. */
  receivable: string;
  pnl: PnlView;
  strategies: readonly StrategyMoney[];
  unallocated: UnallocatedView;
}>;

/** @param ids strategies of the run; others that have capital on the journal follow them */
export function moneyOf(context: EngineContext, ids: readonly string[]): Money {
  const { allocations, actions } = context.accountState;
  const known = [...new Set([...ids, ...allocations.keys()])];
  const earned = known.map((id) => ({ id, earnings: earningsOf(context, id) }));
  const earnings = earned.map((each) => each.earnings);
  const rest = unallocatedPnl(context, earnings);
  const strategies = earned.map((each) => ({
    ...strategyMoney(context, each.id),
    pnl: pnlOf(context, each.id, each.earnings),
  }));
  return {
    equity: formatDecimal(accountEquity(context)),
    cash: formatDecimal(context.snapshot.whole.cash),
    receivable: formatDecimal(actions.receivables),
    pnl: totalPnl(context, earnings, rest),
    strategies,
    unallocated: {
      ...unallocatedMoney(context, known),
      pnl: pnlOfUnallocated(context, rest),
    },
  };
}

function strategyMoney(context: EngineContext, id: string): Omit<StrategyMoney, 'pnl'> {
  const { cash: held, stocks } = context.snapshot.of(id);
  return {
    id,
    equity: formatDecimal(bookedEquityOf(context, id)),
    cash: formatDecimal(held),
    receivable: formatDecimal(context.accountState.actions.receivable(id)),
    positions: [...stocks].flatMap(([symbol, mark]) =>
      mark.shares === 0n ? [] : [positionOf(context, { id, symbol, mark })],
    ),
  };
}

function pnlOf(context: EngineContext, id: string, { realised, unrealised, pnl }: Earnings): PnlView {
  return {
    today: formatDecimal(dayProfit(context, id)),
    total: formatDecimal(pnl),
    realised: formatDecimal(realised),
    unrealised: formatDecimal(unrealised),
    fees: formatDecimal(context.accountState.endTotals.fees.get(id) ?? 0n),
  };
}

function over24hOf({ over24h }: EngineContext['market'], symbol: Ticker) {
  const { change24h = null, volume24h = null } = over24h.get(symbol) ?? {};
  return { change24h, volume24h };
}

type Holding = Readonly<{ id: string; symbol: Ticker; mark: StockMark }>;

function positionOf({ accountState, market }: EngineContext, { id, symbol, mark }: Holding): PositionView {
  const position = accountState.positions.of(id, symbol);
  const { shares: quantity, price, worth } = mark;
  return {
    symbol,
    shares: formatDecimal(quantity),
    averagePrice: textOf(averageCost(position)),
    price: textOf(price),
    value: price === null ? null : formatDecimal(worth),
    unrealised: textOf(unrealisedOf(position, price)),
    ...over24hOf(market, symbol),
  };
}

/**
 * Sum of the strategies and of what is unallocated; today's of the strategies alone, as the limit of the day's loss counts it: the
 * journal has no worth of unallocated stock at the start of the day.
 */
function totalPnl(context: EngineContext, earnings: readonly Earnings[], unallocated: Cash): PnlView {
  const sum = (of: keyof Earnings) => earnings.reduce((total, each) => total + each[of], 0n);
  return {
    today: formatDecimal(dayProfit(context)),
    total: formatDecimal(sum('pnl') + unallocated),
    realised: formatDecimal(sum('realised')),
    unrealised: formatDecimal(sum('unrealised') + unallocated),
    fees: formatDecimal(
      [...context.accountState.endTotals.fees.values()].reduce((total, fees) => total + fees, 0n),
    ),
  };
}

/** The rest of the account: what is left when every strategy has its own. */
function unallocatedMoney(context: EngineContext, ids: readonly string[]): Omit<UnallocatedView, 'pnl'> {
  const { snapshot, accountState, market } = context;
  const { whole } = snapshot;
  const rest = (total: bigint, of: (id: string) => bigint): bigint =>
    ids.reduce((left, id) => left - of(id), total);
  const restOf = (symbol: Ticker, part: 'shares' | 'worth') =>
    rest(whole.stocks.get(symbol)?.[part] ?? 0n, (id) => snapshot.of(id).stocks.get(symbol)?.[part] ?? 0n);
  const positions = accountState.ledger.stocks.flatMap((symbol): PositionView[] => {
    const quantity = restOf(symbol, 'shares');
    if (quantity === 0n) return [];
    const price = market.price(symbol);
    return [
      {
        symbol,
        shares: formatDecimal(quantity),
        averagePrice: null,
        price: textOf(price),
        value: price === null ? null : formatDecimal(restOf(symbol, 'worth')),
        unrealised: null,
        ...over24hOf(market, symbol),
      },
    ];
  });
  return {
    equity: formatDecimal(rest(accountEquity(context), (id) => bookedEquityOf(context, id))),
    cash: formatDecimal(rest(whole.cash, (id) => snapshot.of(id).cash)),
    receivable: formatDecimal(
      rest(accountState.actions.receivables, (id) => accountState.actions.receivable(id)),
    ),
    positions,
  };
}

/** Earnings of what is unallocated; its fees are those of orders by hand. */
function pnlOfUnallocated(context: EngineContext, pnl: Cash): UnallocatedView['pnl'] {
  const earned = formatDecimal(pnl);
  return {
    today: null,
    total: earned,
    realised: '0',
    unrealised: earned,
    fees: formatDecimal(context.accountState.endTotals.fees.get(UNALLOCATED) ?? 0n),
  };
}

export const textOf = (wad: bigint | null): string | null => (wad === null ? null : formatDecimal(wad));
