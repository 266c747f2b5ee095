import type { VenueClient } from '../../api/client.ts';
import { formatDecimal, parseDecimal } from '../../core/amount.ts';
import { sameAddress, type Address } from '../../domain/instrument.ts';
import { readableOf } from './market.ts';
import { isUnreadable } from '../../api/wire.ts';
import { NoAnswerError, VenueRefusedError } from '../../core/errors.ts';
import { toReport } from '../../api/convert.ts';
import type { OrderView } from '../../api/views.ts';
import { operationsOf, operationObservation, type OperationRow } from './transfers.ts';

/** The printed JSON is an array of these. */
type DebtRow = Readonly<{ symbol: string; quantity: string }>;

export async function debtRows(client: VenueClient): Promise<DebtRow[]> {
  const rows = readableOf(await client.debts());
  return rows.map(({ stockSymbol, stockAddress, debtQuantity }) => ({
    symbol: stockSymbol ?? stockAddress,
    quantity: formatDecimal(parseDecimal(debtQuantity)),
  }));
}

/** Shares of a stock that deferred sells still owe, as a wad. */
export async function owedOf(client: VenueClient, stock: Address): Promise<bigint> {
  const rows = readableOf(await client.debts());
  const row = rows.find(({ stockAddress }) => sameAddress(stockAddress, stock));
  return row ? parseDecimal(row.debtQuantity) : 0n;
}

/** Amounts that no balance shows, as decimal text. `null` where unknown. */
export type HiddenAmounts = Readonly<{
  /** mUSD and stock that open orders of this key lock, by symbol. */
  mUsdLocked: string | null;
  stockLocked: ReadonlyMap<string, string> | null;
  /** mUSD of withdrawals that are on their way, and tokens of deposits that are, by token address. */
  mUsdQueued: string | null;
  tokenQueued: ReadonlyMap<string, string> | null;
  debts: ReadonlyMap<string, string> | null;
}>;

const PAGE = 100;
const PAGES_MAX = 10;

export async function hiddenBuckets(client: VenueClient): Promise<HiddenAmounts> {
  const [open, deposits, withdrawals, debts] = await Promise.all([
    openOrders(client).catch(nullIfNotTold),
    queued(client, 'deposit').catch(nullIfNotTold),
    queued(client, 'withdrawal').catch(nullIfNotTold),
    debtRows(client).catch(nullIfNotTold),
  ]);
  const buys = open?.filter(({ side }) => side === 'Buy');
  return {
    mUsdLocked: buys ? formatDecimal(buys.reduce((sum, { pay }) => sum + pay, 0n)) : null,
    stockLocked: open && lockedBy(open),
    mUsdQueued: withdrawals && formatDecimal(withdrawals.reduce((sum, row) => sum + wad(row.credit), 0n)),
    tokenQueued: deposits && sumBy(deposits.map((row) => [(row.asset ?? '').toLowerCase(), wad(row.amount)])),
    debts: debts && new Map(debts.map(({ symbol, quantity }) => [symbol, quantity])),
  };
}

/** Stock locked by open orders of this key, by symbol, as decimal text. `null` where unknown. */
export async function lockedStock(client: VenueClient): Promise<HiddenAmounts['stockLocked']> {
  const open = await openOrders(client).catch(nullIfNotTold);
  return open && lockedBy(open);
}

type OpenOrders = NonNullable<Awaited<ReturnType<typeof openOrders>>>;

function lockedBy(open: OpenOrders): ReadonlyMap<string, string> {
  const sells = open.filter(({ side, deferred }) => side === 'Sell' && !deferred);
  return sumBy(sells.map(({ symbol, pay }) => [symbol, pay]));
}

/** Not every deployment has all of it: the rest of the balance is shown all the same. */
function nullIfNotTold(error: unknown): null {
  if (error instanceof VenueRefusedError || error instanceof NoAnswerError) return null;
  throw error;
}

const wad = (text: string | null | undefined): bigint => parseDecimal(text ?? '0');

function sumBy(parts: readonly (readonly [string, bigint])[]): ReadonlyMap<string, string> {
  const sums = new Map<string, bigint>();
  for (const [name, amount] of parts) sums.set(name, (sums.get(name) ?? 0n) + amount);
  return new Map([...sums].map(([name, amount]) => [name, formatDecimal(amount)]));
}

/** Orders live for a session, so the open ones are among the newest. Null when the lock of one of them is unknown. */
async function openOrders(client: VenueClient) {
  const views: OrderView[] = [];
  for (let page = 1; page <= PAGES_MAX; page++) {
    const { total, rows } = await client.orders({ query: { page, limit: PAGE } });
    if (rows.some(isUnreadable)) return null;
    const readable = readableOf(rows);
    views.push(...readable);
    if (page * PAGE >= total || readable.every(hasEnded)) break;
  }
  const open = views.filter((view) => !hasEnded(view));
  // One that is no more than a link may lock something or not.
  if (open.some(({ openOrder }) => !openOrder)) return null;
  return open.flatMap(({ openOrder }) =>
    openOrder
      ? [
          {
            side: openOrder.side,
            symbol: openOrder.symbol,
            deferred: openOrder.deferred,
            pay: wad(openOrder.pay),
          },
        ]
      : [],
  );
}

const LIVE: readonly string[] = ['pending', 'open', 'canceling', 'unrecognised'];
const hasEnded = (view: OrderView): boolean => !LIVE.includes(toReport(view).status);

/** Operations that have not ended. Null when there are more than a page of them, or one cannot be read. */
async function queued(
  client: VenueClient,
  operation: OperationRow['operation'],
): Promise<OperationRow[] | null> {
  const { rows, read } = await operationsOf(client, { family: 'cash', operation }, { page: 1, limit: PAGE });
  const waiting = rows.filter((row) => operationObservation(row).end === null);
  const known =
    rows.length === read && waiting.every(({ amount, credit }) => amount !== null && credit !== null);
  return known && waiting.length < PAGE ? waiting : null;
}
