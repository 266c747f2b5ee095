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
  for (const owner of desk.books.allocations.keys())
    if (!strategies.some(({ id }) => id === owner)) tellLeftBehind(desk, owner);
}

/** A strategy that is not run any more keeps what it has: nobody trades it. */
function tellLeftBehind(desk: Desk, owner: string): void {
  const { ledger } = desk.books;
  const has = [...ledger.assets].flatMap((asset) => {
    const held = ledger.held(owner, asset);
    return held === 0n ? [] : [`${formatDecimal(held)} ${asset}`];
  });
  if (has.length > 0)
    desk.tell(
      'alarm',
      `strategy ${owner} is not in the config any more and still has ${has.join(', ')}: nobody trades that`,
    );
}

function allocate(desk: Desk, { id: owner, capital }: Capital): void {
  const known = desk.books.allocations.get(owner) ?? 0n;
  const amount = cash(capital - known);
  const { ledger } = desk.books;
  const free = ledger.balance(amount > 0n ? UNALLOCATED : owner, 'free', 'mUSD');
  if (amount > free)
    throw new ConfigError(
      `strategy ${owner} is given ${formatDecimal(capital)} mUSD, but the account has only ${formatDecimal(free)} left: lower its capital`,
      { strategy: owner },
    );
  if (-amount > free)
    throw new ConfigError(
      `the capital of strategy ${owner} cannot go down to ${formatDecimal(capital)} mUSD: only ${formatDecimal(free)} of its ` +
        `${formatDecimal(known)} is free. Set ${formatDecimal(known - free)} or more`,
      { strategy: owner },
    );
  if (amount !== 0n) desk.record({ kind: 'allocated', owner, amount });
}
