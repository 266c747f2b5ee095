import type { CommandContext } from '../../../process/context.ts';
import { debtsOf, type Debt } from '../../../api/operations.ts';
import { createVenue } from '../../../api/venue.ts';
import { amountIn, type Amounts } from '../../../domain/account/hiddenAmounts.ts';
import {
  decimalText,
  moneyText,
  priceText,
  sharesText,
  type AmountText,
} from '../../../domain/amountText.ts';
import type { VenueSide } from '../../../domain/account/locations.ts';
import { sameAddress } from '../../../domain/instrument.ts';
import type { TokenBalance } from '../../../app/environment/market.ts';
import { printResult, readableRows, table, tableOf, type Column } from '../../../process/output.ts';
import { parseDecimal, wadFromNumber, WAD, formatDecimal } from '../../../core/amount.ts';
import { withVenue, type Connection } from '../../../app/environment/connect.ts';
import { nullIfUnreported, readHidden, readLocked } from '../../../app/environment/venueSide.ts';

/** Venue port of a connection, which reads all orders and transfers of its key. */
function accessOf({ client, clock, venue: { userAddress } }: Connection) {
  const venue = createVenue(client, { userAddress });
  return { venue, transferPort: venue, clock };
}

/** Amounts that no balance shows; null if unknown. */
type HiddenAmounts = Omit<VenueSide, 'account'> & Readonly<{ debts: readonly Debt[] | null }>;

/** `drover balance`: every place that holds money or stock of the account. */
export async function balanceCommand(_options: object, context: CommandContext): Promise<number> {
  const [{ mUsdBalance, tokenBalances }, hidden, debts] = await withVenue(context, (connection) => {
    const { client, venue } = connection;
    return Promise.all([
      client.balance({ path: { userId: venue.userAddress } }),
      readHidden(accessOf(connection)),
      debtsOf(client).catch(nullIfUnreported),
    ]);
  });
  const mUsdLocked = textOf(amountIn(hidden.locked, 'mUSD'));
  const mUsdQueued = textOf(amountIn(hidden.queued.cashWithdrawal, 'mUSD'));
  const tokens = readableRows(tokenBalances, context.terminal).map((token) =>
    rowOf(token, { ...hidden, debts }),
  );
  const result = {
    mUsd: mUsdBalance,
    mUsdLocked,
    mUsdQueued,
    tokens: tokens.map(({ isStock: _, ...token }) => token),
    debts: debts && debts.map(debtRow),
  };
  const [free, locked, queued] = [mUsdBalance, mUsdLocked, mUsdQueued].map((text) => cut(text, moneyText));
  const money = `mUSD ${free} free, ${locked} locked by open orders, ${queued} on its way out`;
  const numbers = ['wallet', 'exchange', 'locked', 'on its way', 'owed'] as const;
  const rows = tokens.map(({ isStock, ...token }) => {
    const amounts = [token.wallet, token.exchange, token.locked, token.queued, token.debt];
    const text = isStock ? sharesText : moneyText;
    return [token.symbol, ...amounts.map((amount) => cut(amount, text)), token.address];
  });
  const list = table(['token', ...numbers, 'address'], rows, numbers);
  return printResult(context, result, `${money}\n\n${list}`);
}

/** Amounts as decimal text; null if unknown. `locked` and `debt` apply to stock. */
function rowOf(token: TokenBalance, { locked, queued, debts }: HiddenAmounts) {
  const { symbol, stockSymbol, address, walletBalance: wallet, exchangeBalance: exchange } = token;
  const owed = debts?.filter(({ contract }) => sameAddress(contract, address));
  return {
    symbol,
    stockSymbol: stockSymbol ?? null,
    address,
    isStock: token.isStock,
    wallet,
    exchange,
    locked: textOf(amountIn(locked, stockSymbol ?? symbol)),
    queued: textOf(
      token.isStock ? queuedStock(token, queued) : amountIn(queued.cashDeposit, address.toLowerCase()),
    ),
    debt: textOf(owed ? owed.reduce((sum, { quantity }) => sum + quantity, 0n) : null),
  };
}

/** Shares in transit between wallet and exchange, in either direction. */
function queuedStock({ stockSymbol, symbol }: TokenBalance, queued: VenueSide['queued']): bigint | null {
  const name = stockSymbol ?? symbol;
  const [coming, leaving] = [amountIn(queued.stockDeposit, name), amountIn(queued.stockWithdrawal, name)];
  return coming === null || leaving === null ? null : coming + leaving;
}

/** An amount for people, rounded down so that it is really available; a question mark if unknown. */
const cut = (amount: string | null, text: AmountText): string =>
  amount === null ? '?' : decimalText(amount, text, 'down');

const textOf = (amount: bigint | null): string | null => (amount === null ? null : formatDecimal(amount));

/** A debt as printed; `symbol` is the stock's address if the venue names no symbol. */
export const debtRow = ({ symbol, contract, quantity }: Debt) => ({
  symbol: symbol ?? contract,
  quantity: formatDecimal(quantity),
});

type Holding = Readonly<{
  symbol: string;
  stockSymbol?: string | null | undefined;
  exchangeBalance: string;
  walletBalance: string;
  price?: number | null | undefined;
}>;

/** `drover positions`: shares on the exchange, locked by open sells, and in the wallet, with their value. */
export async function positionsCommand(_options: object, context: CommandContext): Promise<number> {
  const [answer, locked] = await withVenue(context, (connection) => {
    const { client, venue } = connection;
    return Promise.all([
      client.positions({ path: { userId: venue.userAddress } }),
      readLocked(accessOf(connection)),
    ]);
  });
  const positions = readableRows(answer, context.terminal)
    .map((row) => positionOf(row, locked))
    .filter((row) => [row.exchange, row.locked ?? '0', row.wallet].some((amount) => amount !== '0'));
  return printResult(context, positions, tableOf(positions, POSITIONS, { empty: 'no stock' }));
}

const POSITIONS: readonly Column<ReturnType<typeof positionOf>>[] = [
  ['symbol', ({ symbol }) => symbol],
  ['exchange', ({ exchange }) => cut(exchange, sharesText), 'right'],
  ['locked', ({ locked }) => cut(locked, sharesText), 'right'],
  ['wallet', ({ wallet }) => cut(wallet, sharesText), 'right'],
  ['price', ({ price }) => price && decimalText(price, priceText), 'right'],
  ['worth mUSD', ({ value }) => value && cut(value, moneyText), 'right'],
];

/** Amounts as decimal text; the value is rounded down to cents. An unknown `locked` is null and left out of the value. */
function positionOf(
  { symbol, stockSymbol, exchangeBalance, walletBalance, price }: Holding,
  lockedAmounts: Amounts,
) {
  const name = stockSymbol ?? symbol;
  const locked = amountIn(lockedAmounts, name);
  const [exchange, wallet] = [exchangeBalance, walletBalance].map((text) =>
    parseDecimal(text, { signed: true }),
  );
  const all = (exchange ?? 0n) + (wallet ?? 0n) + (locked ?? 0n);
  const at = price === null || price === undefined ? null : wadFromNumber(price);
  const worth = at === null ? null : (all * at) / WAD;
  return {
    symbol: name,
    exchange: formatDecimal(exchange ?? 0n),
    locked: textOf(locked),
    wallet: formatDecimal(wallet ?? 0n),
    price: at === null ? null : formatDecimal(at),
    value: worth === null ? null : formatDecimal(worth - (worth % (WAD / 100n))),
  };
}
