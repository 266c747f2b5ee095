import { parseDecimal, wadFromNumber, WAD, formatDecimal } from '../../core/amount.ts';
import { withVenue } from '../connect.ts';
import type { CommandContext } from '../context.ts';
import { EXIT } from '../exitCodes.ts';
import { lockedStock } from '../moves/buckets.ts';
import { toJson } from '../output.ts';
import { readableRows } from '../readable.ts';
import { table } from '../table.ts';

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
      ...[row.symbol, row.exchange, row.locked ?? '?', row.wallet],
      ...[row.price ?? '-', row.value ?? '-'],
    ]);
    const numbers = ['exchange', 'locked', 'wallet', 'price', 'worth mUSD'];
    terminal.out(table(['symbol', ...numbers], rows, numbers));
  }
  return EXIT.done;
}

/** Amounts as decimal text; the value is cut to cents. `locked` is null, and not in the value, where it cannot be told. */
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
