import { cash, type Cash, type Price } from '../../core/amount.ts';
import type { EpochMs } from '../../core/brand.ts';
import type { AccountState } from '../../domain/account/accountState.ts';
import type { Ticker } from '../../domain/instrument.ts';
import {
  accountEquity,
  bookedEquityOf,
  earningsOf,
  transfersOf,
  worth,
  type Valuation,
} from '../../engine/state/exposure.ts';
import type { RecordOwner } from './owner.ts';

/**
 * Money of an owner at one instant. `capital`: initial capital plus later inflows without trading, less outflows, so
 * that equity less capital is the profit.
 */
export type OwnerMark = Readonly<{
  equity: Cash;
  capital: Cash;
  cash: Cash;
  /** Value of its shares, for those with a price. */
  positions: ReadonlyMap<Ticker, Cash>;
}>;

/** Money of the account and of each strategy at one instant. */
export type OwnerMarks = Readonly<{ account: OwnerMark; strategies: ReadonlyMap<string, OwnerMark> }>;

/** Money of the account and of each strategy at the close of a session, or at the end of the journal. */
export type AccountMark = Readonly<{
  /** Session date in New York. */
  date: string;
  at: EpochMs;
  account: OwnerMark;
  strategies: ReadonlyMap<string, OwnerMark>;
  /** Money just after each change of capital since the previous mark. */
  flows: readonly OwnerMarks[];
  /** Latest prices of the stocks that the account holds or has held. */
  prices: ReadonlyMap<Ticker, Price>;
}>;

/** Current money of an account. */
export function accountMark(
  valuation: Valuation,
  { date, at, flows }: Pick<AccountMark, 'date' | 'at' | 'flows'>,
): AccountMark {
  const { accountState, market } = valuation;
  const prices = accountState.ledger.stocks.flatMap((symbol) => {
    const price = market.price(symbol);
    return price === null ? [] : [[symbol, price] as const];
  });
  return {
    date,
    at,
    flows,
    ...ownerMarks(valuation),
    prices: new Map(prices),
  };
}

export const ownerMarks = (valuation: Valuation): OwnerMarks => ({
  account: ofAccount(valuation),
  strategies: new Map(
    [...valuation.accountState.allocations.keys()].map((id) => [id, ofStrategy(valuation, id)]),
  ),
});

/** Money of an owner. For strategies, the total of those with capital; null if none has any. */
export function markOf({ account, strategies }: OwnerMarks, owner: RecordOwner): OwnerMark | null {
  if (owner === null) return account;
  const own = owner.flatMap((id) => strategies.get(id) ?? []);
  return own.length === 0 ? null : own.reduce(added);
}

function added(one: OwnerMark, other: OwnerMark): OwnerMark {
  const positions = new Map(one.positions);
  for (const [symbol, value] of other.positions)
    positions.set(symbol, cash((positions.get(symbol) ?? 0n) + value));
  return {
    equity: cash(one.equity + other.equity),
    capital: cash(one.capital + other.capital),
    cash: cash(one.cash + other.cash),
    positions,
  };
}

/** Shares of a stock that an owner holds. */
export const heldBy = (owner: RecordOwner, ledger: AccountState['ledger'], symbol: Ticker): bigint =>
  owner === null ? ledger.total(symbol) : owner.reduce((sum, id) => sum + ledger.held(id, symbol), 0n);

function ofAccount(valuation: Valuation): OwnerMark {
  const { ledger, opened } = valuation.accountState;
  const { deposited, withdrawn, adopted } = transfersOf(valuation.accountState);
  return {
    equity: accountEquity(valuation),
    capital: cash((opened?.equity ?? 0n) + deposited - withdrawn + adopted),
    cash: cash(ledger.total('mUSD')),
    positions: worthBy(valuation, (symbol) => ledger.total(symbol)),
  };
}

function ofStrategy(valuation: Valuation, id: string): OwnerMark {
  const { ledger } = valuation.accountState;
  const equity = bookedEquityOf(valuation, id);
  return {
    equity,
    capital: cash(equity - earningsOf(valuation, id).pnl),
    cash: cash(ledger.held(id, 'mUSD')),
    positions: worthBy(valuation, (symbol) => ledger.held(id, symbol)),
  };
}

function worthBy(valuation: Valuation, quantityOf: (symbol: Ticker) => bigint): ReadonlyMap<Ticker, Cash> {
  const worths = valuation.accountState.ledger.stocks.map(
    (symbol) => [symbol, worth(valuation, symbol, quantityOf(symbol))] as const,
  );
  return new Map(worths.filter(([, value]) => value !== 0n));
}
