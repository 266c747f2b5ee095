import { sameAddress, type Address, type Ticker } from './instrument.ts';
import type { AccountReport, StockHolding } from './venue.ts';

/**
 * An account in which only stock of the pinned contracts counts: rows of another contract stand in `apart`. A row that
 * names no contract counts, and so does the first row of a stock without a pin.
 */
export function countPinned(
  account: AccountReport,
  contractOf: (symbol: Ticker) => Address | undefined,
): AccountReport {
  const holdings = new Map<Ticker, StockHolding>();
  const apart: (readonly [Ticker, StockHolding])[] = [];
  for (const [symbol, holding] of [...account.holdings, ...(account.apart ?? [])]) {
    const pinned = contractOf(symbol);
    const { contract } = holding;
    const isPinned = pinned === undefined || contract === undefined || sameAddress(contract, pinned);
    if (isPinned && !holdings.has(symbol)) holdings.set(symbol, holding);
    else apart.push([symbol, holding]);
  }
  const { apart: _, ...rest } = account;
  return apart.length === 0 ? { ...rest, holdings } : { ...rest, holdings, apart };
}
