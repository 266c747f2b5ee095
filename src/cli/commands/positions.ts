import { parseDecimal, wadFromNumber, WAD, formatDecimal } from '../../core/amount.ts';
import { withVenue } from '../connect.ts';
import type { CommandContext } from '../context.ts';
import { EXIT } from '../exitCodes.ts';
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

/** `drover positions`: shares on the exchange and in the wallet, and what they are worth. */
export async function positionsCommand(_options: object, context: CommandContext): Promise<number> {
  const { terminal, json } = context;
  const answer = await withVenue(context, ({ client, venue }) =>
    client.positions({ path: { userId: venue.userAddress } }),
  );
  const positions = readableRows(answer, terminal)
    .map(positionOf)
    .filter(({ exchange, wallet }) => exchange !== '0' || wallet !== '0');
  if (json) terminal.out(toJson(positions));
  else if (positions.length === 0) terminal.out('no stock');
  else {
    const rows = positions.map((row) => [
      row.symbol,
      row.exchange,
      row.wallet,
      row.price ?? '-',
      row.value ?? '-',
    ]);
    const numbers = ['exchange', 'wallet', 'price', 'worth mUSD'];
    terminal.out(table(['symbol', ...numbers], rows, numbers));
  }
  return EXIT.done;
}

/** Amounts as decimal text; the value is cut to cents. */
function positionOf({ symbol, stockSymbol, exchangeBalance, walletBalance, price }: Holding) {
  const [exchange, wallet] = [exchangeBalance, walletBalance].map((text) =>
    parseDecimal(text, { signed: true }),
  );
  const at = price === null || price === undefined ? null : wadFromNumber(price);
  const worth = at === null ? null : (((exchange ?? 0n) + (wallet ?? 0n)) * at) / WAD;
  return {
    symbol: stockSymbol ?? symbol,
    exchange: formatDecimal(exchange ?? 0n),
    wallet: formatDecimal(wallet ?? 0n),
    price: at === null ? null : formatDecimal(at),
    value: worth === null ? null : formatDecimal(worth - (worth % (WAD / 100n))),
  };
}
