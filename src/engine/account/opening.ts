import { cash, formatDecimal, type Cash } from '../../core/amount.ts';
import { ConfigError } from '../../core/errors.ts';
import { UNALLOCATED } from '../../domain/account/ledger.ts';
import type { AccountReport } from '../../domain/venue.ts';
import type { EngineContext } from '../state/engineContext.ts';
import { worth } from '../state/exposure.ts';

type Capital = Readonly<{ id: string; capital: Cash }>;

/**
 * Opens the ledger with the account's holdings, once, and gives each strategy its capital, or the change of it.
 * @throws {ConfigError} if there is too little to give or to take back
 */
export function open(context: EngineContext, account: AccountReport, strategies: readonly Capital[]): void {
  if (context.accountState.opened === null) {
    const holdings = [...account.holdings].map(([symbol, { exchange }]) => [symbol, exchange] as const);
    const values = holdings.map(([symbol, quantity]) => worth(context, symbol, quantity));
    const equity = cash(values.reduce<bigint>((sum, value) => sum + value, account.cash));
    const prices = holdings.flatMap(([symbol]) => {
      const price = context.market.price(symbol);
      return price === null ? [] : [[symbol, price] as const];
    });
    context.record({ kind: 'opened', cash: account.cash, holdings, equity, prices });
    const held = holdings.flatMap(([symbol, quantity]) =>
      quantity > 0n ? [`${formatDecimal(quantity)} ${symbol}`] : [],
    );
    if (held.length > 0)
      context.notify(
        'account',
        `held before this run: ${held.join(', ')}; no strategy has it (unallocated), and none trades it`,
      );
  }
  giveCapital(context, strategies);
  for (const strategyId of leftBehind(context, strategies)) reportLeftBehind(context, strategyId);
}

/**
 * Gives each strategy its capital, or the change of it. Capital taken back from one is available to the others in the
 * same start, in any order.
 * @throws {ConfigError} if there is too little to give or to take back
 */
export function giveCapital(context: EngineContext, strategies: readonly Capital[]): void {
  for (const strategy of strategies) takeBack(context, strategy);
  for (const strategy of strategies) give(context, strategy, leftBehind(context, strategies));
}

const leftBehind = ({ accountState }: EngineContext, strategies: readonly Capital[]): string[] =>
  [...accountState.allocations.keys()].filter(
    (strategyId) => !strategies.some(({ id }) => id === strategyId),
  );

/** Reports the holdings that a former strategy keeps, which are no longer traded. */
function reportLeftBehind(context: EngineContext, strategyId: string): void {
  const { ledger } = context.accountState;
  const has = [...ledger.assets].flatMap((asset) => {
    const held = ledger.held(strategyId, asset);
    return held === 0n ? [] : [`${formatDecimal(held)} ${asset}`];
  });
  if (has.length === 0) return;
  const { amount, least } = returnable(context, strategyId);
  const back =
    amount > 0n ? `; with capital: '${least}' there it gives back ${formatDecimal(amount)} mUSD` : '';
  context.notify(
    'alarm',
    `strategy ${strategyId} is not in the config any more and still has ${has.join(', ')}: nobody trades that. ` +
      `Put it back under strategies to go on with it${back}`,
    { code: 'STRATEGY_LEFT' },
  );
}

/** The capital in mUSD that can be taken back from an owner, and the `capital` setting that does so. */
function returnable(
  { accountState }: EngineContext,
  strategyId: string,
): Readonly<{ amount: bigint; least: string }> {
  const known = accountState.allocations.get(strategyId) ?? 0n;
  const free = accountState.ledger.balance(strategyId, 'free', 'mUSD');
  const amount = free < known ? free : known;
  return { amount, least: formatDecimal(known - amount) };
}

function takeBack(context: EngineContext, { id: strategyId, capital }: Capital): void {
  const known = context.accountState.allocations.get(strategyId) ?? 0n;
  const back = known - capital;
  if (back <= 0n) return;
  const free = context.accountState.ledger.balance(strategyId, 'free', 'mUSD');
  if (back > free)
    throw new ConfigError(
      `the capital of strategy ${strategyId} cannot go down to ${formatDecimal(capital)} mUSD: only ${formatDecimal(free)} of its ` +
        `${formatDecimal(known)} is free. Set ${formatDecimal(known - free)} or more`,
      { strategy: strategyId },
    );
  context.record({ kind: 'allocated', strategyId, amount: cash(-back) });
}

function give(context: EngineContext, { id: strategyId, capital }: Capital, others: readonly string[]): void {
  const { allocations, ledger } = context.accountState;
  const known = allocations.get(strategyId) ?? 0n;
  const amount = cash(capital - known);
  const free = ledger.balance(UNALLOCATED, 'free', 'mUSD');
  if (amount > free) {
    const parts = `: it was given ${formatDecimal(known)}, and ${formatDecimal(free)} of the account are left`;
    const ways = others.flatMap((other) => {
      const { amount: back, least } = returnable(context, other);
      return back > 0n
        ? `; strategy ${other}, which is not in the config any more, gives back ${formatDecimal(back)} mUSD when it is put back with capital: '${least}'`
        : [];
    });
    throw new ConfigError(
      `strategy ${strategyId} is given ${formatDecimal(capital)} mUSD, but can have at most ${formatDecimal(known + free)}` +
        `${known === 0n ? '' : parts}. Lower its capital${ways.join('')}`,
      { strategy: strategyId },
    );
  }
  // Recorded even without capital, because an operator may allocate stock to it.
  if (amount > 0n || !allocations.has(strategyId)) context.record({ kind: 'allocated', strategyId, amount });
}
