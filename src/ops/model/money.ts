import { decimalsOf } from '../../core/amount.ts';
import type { Ticker } from '../../domain/instrument.ts';
import { UNALLOCATED } from '../../domain/account/ledger.ts';
import { averageCost } from '../../domain/account/positions.ts';
import type { EngineContext } from '../../engine/state/engineContext.ts';
import {
  unrealisedOf,
  type AccountValues,
  type Earnings,
  type OwnerValues,
} from '../../engine/state/exposure.ts';
import type { PnlView, StrategyView, UnallocatedView } from './status.ts';

/** Money of a strategy as shown in the status. */
type StrategyMoney = Pick<StrategyView, 'id' | 'equity' | 'cash' | 'receivable' | 'pnl' | 'positions'>;

/**
 * Money of a run. Equity, cash and due dividends of all strategies and of `unallocated` add up exactly to those of the account, and so do
 * their profits (except today's) and the shares and values of their positions.
 */
export type Money = Readonly<{
  equity: string;
  cash: string;
  /** Dividends due, from their ex-date until payment. */
  receivable: string;
  pnl: PnlView;
  strategies: readonly StrategyMoney[];
  unallocated: UnallocatedView;
}>;

export function moneyOf(context: EngineContext, values: AccountValues): Money {
  const { equity, whole, receivable, owners } = values;
  const { fees } = context.accountState.endTotals;
  const strategies = [...owners].map(([id, own]) => ({
    id,
    equity: own.equity,
    cash: own.marks.cash,
    receivable: own.receivable,
    positions: positionsOf(context, id, own),
    pnl: pnlOf(own, own.today, fees.get(id)),
  }));
  return decimalsOf({
    equity,
    cash: whole.cash,
    receivable,
    pnl: totalPnl(context, values),
    strategies,
    unallocated: unallocatedOf(context, values),
  });
}

const pnlOf = <Today>({ realised, unrealised, pnl }: Amounts<Earnings>, today: Today, fees = 0n) => ({
  today,
  total: pnl,
  realised,
  unrealised,
  fees,
});

type Amounts<T> = Readonly<Record<keyof T, bigint>>;

function over24hOf({ over24h }: EngineContext['market'], symbol: Ticker) {
  const { change24h = null, volume24h = null } = over24h.get(symbol) ?? {};
  return { change24h, volume24h };
}

const positionsOf = ({ accountState, market }: EngineContext, id: string, { marks }: OwnerValues) =>
  [...marks.stocks].flatMap(([symbol, { shares, price, worth }]) => {
    if (shares === 0n) return [];
    const position = accountState.positions.of(id, symbol);
    return [
      {
        symbol,
        shares,
        averagePrice: averageCost(position),
        price,
        value: price === null ? null : worth,
        unrealised: unrealisedOf(position, price),
        ...over24hOf(market, symbol),
      },
    ];
  });

/**
 * Sum of the strategies and the unallocated assets; today's only of the strategies, as in the day loss limit: the journal has no
 * value of unallocated stock at the start of the day.
 */
function totalPnl({ accountState }: EngineContext, { owners, today, rest }: AccountValues) {
  const sum = { realised: 0n, unrealised: rest, pnl: rest };
  for (const { realised, unrealised, pnl } of owners.values()) {
    sum.realised += realised;
    sum.unrealised += unrealised;
    sum.pnl += pnl;
  }
  let fees = 0n;
  for (const own of accountState.endTotals.fees.values()) fees += own;
  return pnlOf(sum, today, fees);
}

/** The rest of the account after deducting every strategy. Its fees are those of manual orders. */
function unallocatedOf({ accountState, market }: EngineContext, values: AccountValues) {
  const owners = [...values.owners.values()];
  const less = (total: bigint, of: (own: OwnerValues) => bigint) =>
    owners.reduce((left, own) => left - of(own), total);
  const { cash, stocks } = values.whole;
  const restOf = (symbol: Ticker, part: 'shares' | 'worth') =>
    less(stocks.get(symbol)?.[part] ?? 0n, ({ marks }) => marks.stocks.get(symbol)?.[part] ?? 0n);
  const positions = accountState.ledger.stocks.flatMap((symbol) => {
    const shares = restOf(symbol, 'shares');
    if (shares === 0n) return [];
    const mark = stocks.get(symbol);
    const price = mark ? mark.price : market.price(symbol);
    const value = price === null ? null : restOf(symbol, 'worth');
    const row = { symbol, shares, averagePrice: null, price, value, unrealised: null };
    return [{ ...row, ...over24hOf(market, symbol) }];
  });
  const { rest } = values;
  return {
    equity: less(values.equity, ({ equity }) => equity),
    cash: less(cash, ({ marks }) => marks.cash),
    receivable: less(values.receivable, ({ receivable }) => receivable),
    positions,
    pnl: pnlOf(
      { realised: 0n, unrealised: rest, pnl: rest },
      null,
      accountState.endTotals.fees.get(UNALLOCATED),
    ),
  };
}
