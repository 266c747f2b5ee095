import type { VenueClient } from '../../api/client.ts';
import { formatDecimal, parseDecimal } from '../../core/amount.ts';
import { sameAddress, type Address } from '../../domain/instrument.ts';
import { readableOf } from './market.ts';

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
