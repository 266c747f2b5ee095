import { WAD } from '../core/amount.ts';
import type { Books } from '../domain/books.ts';
import { compareAccount } from '../domain/comparison.ts';
import { rescale, type Split } from '../domain/corporateAction.ts';
import type { Ticker } from '../domain/instrument.ts';
import { DEBT, WALLET } from '../domain/ledger.ts';
import type { AccountReport } from '../domain/venue.ts';

type Place = Readonly<{ before: bigint; actual: bigint }>;

/** Where stock lies by the books, and what the account has there. What it does not tell is left out. */
function placesOf(
  { ledger, operations }: Books,
  { holdings, debts }: AccountReport,
  symbol: Ticker,
): Place[] {
  const { exchange = 0n, wallet = 0n } = holdings.get(symbol) ?? {};
  return [
    { before: ledger.total(symbol), actual: exchange },
    ...(operations.opened.wallet ? [{ before: ledger.at(WALLET, symbol), actual: wallet }] : []),
    ...(operations.opened.debts && debts
      ? [{ before: ledger.at(DEBT, symbol), actual: -(debts.get(symbol) ?? 0n) }]
      : []),
  ];
}

/** Whether a split of the stock would move anything. */
export const isHeld = ({ ledger }: Books, symbol: Ticker): boolean =>
  ledger.total(symbol) !== 0n || ledger.at(WALLET, symbol) !== 0n || ledger.at(DEBT, symbol) !== 0n;

/**
 * Whether the account is where these splits take it, everywhere. What the venue pays out for a fraction of a share may be
 * missing: it is for the comparison to find.
 */
export const showsSplits = (books: Books, report: AccountReport, splits: readonly Split[]): boolean =>
  placesOf(books, report, (splits[0] as Split).symbol).every(({ before, actual }) => {
    const after = splits.reduce(rescale, before);
    if (after === before) return true;
    const off = distance(actual, after);
    return off === 0n || (off < WAD && off < distance(actual, before));
  });

const distance = (a: bigint, b: bigint): bigint => (a > b ? a - b : b - a);

/** mUSD that the account has beyond what the ledger says it shows now. */
export function cashGap(books: Books, report: AccountReport): bigint {
  const found = compareAccount(books, report).find(({ side, asset }) => side === 'venue' && asset === 'mUSD');
  return found ? found.actual - found.expected : 0n;
}
