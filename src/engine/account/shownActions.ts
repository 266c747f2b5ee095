import { WAD, magnitude } from '../../core/amount.ts';
import type { AccountState } from '../../domain/account/accountState.ts';
import { compareAccount } from '../../domain/account/comparison.ts';
import { DEBT, WALLET } from '../../domain/account/ledger.ts';
import { rescale, type Split } from '../../domain/corporateAction.ts';
import type { Ticker } from '../../domain/instrument.ts';
import type { AccountReport } from '../../domain/venue.ts';

/** Stock by location, in the ledger and on the account. A location that the account does not state is left out. */
function placesOf(
  { ledger, transfers }: AccountState,
  { holdings, debts }: AccountReport,
  symbol: Ticker,
): Readonly<{ before: bigint; actual: bigint }>[] {
  const { exchange = 0n, wallet = 0n } = holdings.get(symbol) ?? {};
  return [
    { before: ledger.total(symbol), actual: exchange },
    ...(transfers.opened.wallet ? [{ before: ledger.at(WALLET, symbol), actual: wallet }] : []),
    ...(transfers.opened.debts && debts
      ? [{ before: ledger.at(DEBT, symbol), actual: -(debts.get(symbol) ?? 0n) }]
      : []),
  ];
}

/** True when a split of the stock would change an amount. */
export const isHeld = ({ ledger }: AccountState, symbol: Ticker): boolean =>
  ledger.total(symbol) !== 0n || ledger.at(WALLET, symbol) !== 0n || ledger.at(DEBT, symbol) !== 0n;

/**
 * True when the account shows these splits at every location. A fraction of a share that the venue pays out may be missing: the
 * reconciliation finds it.
 */
export const showsSplits = (
  accountState: AccountState,
  report: AccountReport,
  splits: readonly Split[],
): boolean =>
  placesOf(accountState, report, (splits[0] as Split).symbol).every(({ before, actual }) => {
    const after = splits.reduce(rescale, before);
    if (after === before) return true;
    const off = magnitude(actual - after);
    return off === 0n || (off < WAD && off < magnitude(actual - before));
  });

/** mUSD in the account beyond the amount that the ledger expects now. */
export function cashGap(accountState: AccountState, report: AccountReport): bigint {
  const found = compareAccount(accountState, report).find(
    ({ side, asset }) => side === 'venue' && asset === 'mUSD',
  );
  return found ? found.actual - found.expected : 0n;
}
