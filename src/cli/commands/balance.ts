import type { CommandContext } from '../context.ts';
import { EXIT } from '../exitCodes.ts';
import { withAccount } from '../moves/account.ts';
import { hiddenBuckets, type Hidden } from '../moves/buckets.ts';
import type { TokenBalance } from '../moves/market.ts';
import { toJson } from '../output.ts';
import { readableRows } from '../readable.ts';
import { table } from '../table.ts';

/** `drover balance`: every place where money or stock of the account lies. */
export async function balanceCommand(_options: object, context: CommandContext): Promise<number> {
  const { terminal, json } = context;
  const [{ mUsdBalance, tokenBalances }, hidden] = await withAccount(context, ({ client, venue }) =>
    Promise.all([client.balance({ path: { userId: venue.userAddress } }), hiddenBuckets(client)]),
  );
  const { mUsdLocked, mUsdQueued } = hidden;
  const tokens = readableRows(tokenBalances, terminal).map((token) => rowOf(token, hidden));
  if (json) {
    terminal.out(toJson({ mUsd: mUsdBalance, mUsdLocked, mUsdQueued, tokens, debts: debtsOf(hidden) }));
    return EXIT.done;
  }
  const parts = [`mUSD ${mUsdBalance} free`, `${mUsdLocked ?? '?'} locked by open orders`];
  terminal.out(`${[...parts, `${mUsdQueued ?? '?'} on its way out`].join(', ')}\n`);
  const numbers = ['wallet', 'exchange', 'locked', 'on its way', 'owed'] as const;
  const rows = tokens.map((token) => [
    token.symbol,
    ...[token.wallet, token.exchange, token.locked, token.queued, token.debt].map((cell) => cell ?? '?'),
    token.address,
  ]);
  terminal.out(table(['token', ...numbers, 'address'], rows, numbers));
  return EXIT.done;
}

/** `locked` and `debt` are of stock, `queued` of cash tokens; null where it cannot be told. */
function rowOf(token: TokenBalance, { stockLocked, tokenQueued, debts }: Hidden) {
  const { symbol, stockSymbol, address, walletBalance: wallet, exchangeBalance: exchange } = token;
  const name = stockSymbol ?? symbol;
  return {
    ...{ symbol, stockSymbol: stockSymbol ?? null, address, wallet, exchange },
    locked: stockLocked && (stockLocked.get(name) ?? '0'),
    queued: tokenQueued && (tokenQueued.get(address.toLowerCase()) ?? '0'),
    debt: debts && (debts.get(name) ?? '0'),
  };
}

/** Also of stocks that lie nowhere. */
const debtsOf = ({ debts }: Hidden) =>
  debts && [...debts].map(([symbol, quantity]) => ({ symbol, quantity }));
