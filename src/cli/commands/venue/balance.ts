import type { CommandContext } from '../../context.ts';
import { EXIT } from '../../exitCodes.ts';
import { withAccount } from '../../transfers/account.ts';
import { hiddenBuckets, type HiddenAmounts, lockedStock } from '../../transfers/locations.ts';
import type { TokenBalance } from '../../transfers/market.ts';
import { toJson, readableRows, table } from '../../output.ts';
import { parseDecimal, wadFromNumber, WAD, formatDecimal } from '../../../core/amount.ts';
import { withVenue } from '../../environment/connect.ts';

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

/** `locked` and `debt` are of stock, `queued` of cash tokens; null where unknown. */
function rowOf(token: TokenBalance, { stockLocked, tokenQueued, debts }: HiddenAmounts) {
  const { symbol, stockSymbol, address, walletBalance: wallet, exchangeBalance: exchange } = token;
  const name = stockSymbol ?? symbol;
  return {
    symbol,
    stockSymbol: stockSymbol ?? null,
    address,
    wallet,
    exchange,
    locked: stockLocked && (stockLocked.get(name) ?? '0'),
    queued: tokenQueued && (tokenQueued.get(address.toLowerCase()) ?? '0'),
    debt: debts && (debts.get(name) ?? '0'),
  };
}

/** Also of stocks that lie nowhere. */
const debtsOf = ({ debts }: HiddenAmounts) =>
  debts && [...debts].map(([symbol, quantity]) => ({ symbol, quantity }));

type Holding = Readonly<{
  symbol: string;
  stockSymbol?: string | null | undefined;
  exchangeBalance: string;
  walletBalance: string;
  price?: number | null | undefined;
}>;

/** `drover positions`: shares on the exchange, locked by open sells and in the wallet, and what they are worth. */
export async function positionsCommand(_options: object, context: CommandContext): Promise<number> {
  const { terminal, json } = context;
  const [answer, locked] = await withVenue(context, ({ client, venue }) =>
    Promise.all([client.positions({ path: { userId: venue.userAddress } }), lockedStock(client)]),
  );
  const positions = readableRows(answer, terminal)
    .map((row) => positionOf(row, locked))
    .filter((row) => [row.exchange, row.locked ?? '0', row.wallet].some((amount) => amount !== '0'));
  if (json) terminal.out(toJson(positions));
  else if (positions.length === 0) terminal.out('no stock');
  else {
    const rows = positions.map((row) => [
      row.symbol,
      row.exchange,
      row.locked ?? '?',
      row.wallet,
      row.price ?? '-',
      row.value ?? '-',
    ]);
    const numbers = ['exchange', 'locked', 'wallet', 'price', 'worth mUSD'];
    terminal.out(table(['symbol', ...numbers], rows, numbers));
  }
  return EXIT.done;
}

/** Amounts as decimal text; the value is cut to cents. `locked` is null, and not in the value, where unknown. */
function positionOf(
  { symbol, stockSymbol, exchangeBalance, walletBalance, price }: Holding,
  lockedOf: Awaited<ReturnType<typeof lockedStock>>,
) {
  const name = stockSymbol ?? symbol;
  const locked = lockedOf && (lockedOf.get(name) ?? '0');
  const [exchange, wallet] = [exchangeBalance, walletBalance].map((text) =>
    parseDecimal(text, { signed: true }),
  );
  const all = (exchange ?? 0n) + (wallet ?? 0n) + parseDecimal(locked ?? '0');
  const at = price === null || price === undefined ? null : wadFromNumber(price);
  const worth = at === null ? null : (all * at) / WAD;
  return {
    symbol: name,
    exchange: formatDecimal(exchange ?? 0n),
    locked,
    wallet: formatDecimal(wallet ?? 0n),
    price: at === null ? null : formatDecimal(at),
    value: worth === null ? null : formatDecimal(worth - (worth % (WAD / 100n))),
  };
}
