import { cash, formatDecimal, type Cash } from '../core/amount.ts';
import { ConfigError } from '../core/errors.ts';
import { UNALLOCATED } from '../domain/ledger.ts';
import type { AccountReport } from '../domain/venue.ts';
import type { Desk } from './desk.ts';
import { worth } from './exposure.ts';

type Capital = Readonly<{ id: string; capital: Cash }>;

/**
 * Opens the books on what the account holds, once, and gives each strategy its capital, or what has changed of it.
 * @throws {ConfigError} when there is not so much to give or to take back
 */
export function open(desk: Desk, account: AccountReport, strategies: readonly Capital[]): void {
  if (desk.books.opened === null) {
    const holdings = [...account.holdings].map(([symbol, { exchange }]) => [symbol, exchange] as const);
    const values = holdings.map(([symbol, quantity]) => worth(desk, symbol, quantity));
    const equity = cash(values.reduce<bigint>((sum, value) => sum + value, account.cash));
    desk.record({ kind: 'opened', cash: account.cash, holdings, equity });
  }
  for (const strategy of strategies) allocate(desk, strategy);
}

function allocate(desk: Desk, { id: owner, capital }: Capital): void {
  const amount = cash(capital - (desk.books.allocations.get(owner) ?? 0n));
  const { ledger } = desk.books;
  const [giver, what] = amount > 0n ? [UNALLOCATED, 'the account has'] : [owner, 'it has free'];
  const free = ledger.balance(giver, 'free', 'mUSD');
  if (amount > free || -amount > free)
    throw new ConfigError(
      `strategy ${owner} is given ${formatDecimal(capital)} mUSD, but ${what} only ${formatDecimal(free)} left: lower its capital`,
      { strategy: owner },
    );
  if (amount !== 0n) desk.record({ kind: 'allocated', owner, amount });
}
