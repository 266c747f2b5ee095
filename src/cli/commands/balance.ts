import { withVenue } from '../connect.ts';
import type { CommandContext } from '../context.ts';
import { EXIT } from '../exitCodes.ts';
import { toJson } from '../output.ts';
import { readableRows } from '../readable.ts';
import { table } from '../table.ts';

/** `drover balance`: cash in the cashier, and what the wallet holds of each token. */
export async function balanceCommand(_options: object, context: CommandContext): Promise<number> {
  const { terminal, json } = context;
  const { mUsdBalance, tokenBalances } = await withVenue(context, ({ client, venue }) =>
    client.balance({ path: { userId: venue.userAddress } }),
  );
  const tokens = readableRows(tokenBalances, terminal);
  if (json) {
    terminal.out(
      toJson({
        mUsd: mUsdBalance,
        tokens: tokens.map(({ symbol, stockSymbol, address, walletBalance, exchangeBalance }) => ({
          ...{
            symbol,
            stockSymbol: stockSymbol ?? null,
            address,
            wallet: walletBalance,
            exchange: exchangeBalance,
          },
        })),
      }),
    );
    return EXIT.done;
  }
  terminal.out(`mUSD ${mUsdBalance} (free of what open orders lock)\n`);
  const rows = tokens.map((token) => [
    token.symbol,
    token.walletBalance,
    token.exchangeBalance,
    token.address,
  ]);
  terminal.out(table(['token', 'wallet', 'exchange', 'address'], rows, ['wallet', 'exchange']));
  return EXIT.done;
}
