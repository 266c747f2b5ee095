import { WAD, magnitude, notionalOf, price as asPrice, shares } from '../../core/amount.ts';
import type { AccountState } from '../../domain/account/accountState.ts';
import { compareAccount, type Mismatch } from '../../domain/account/comparison.ts';
import { isDust } from '../../domain/account/dust.ts';
import { DEBT, WALLET, type Holding, type Side } from '../../domain/account/ledger.ts';
import { rescale, type Split } from '../../domain/corporateAction.ts';
import type { Ticker } from '../../domain/instrument.ts';
import type { AccountReport } from '../../domain/venue.ts';
import type { EngineContext } from '../state/engineContext.ts';

/** Stock by location, in the ledger and in the account. Locations that the account does not state are left out. */
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
 * True when the account shows these splits at every location. A fraction of a share that the venue pays out may be
 * missing: the reconciliation finds it.
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

/** mUSD in the account beyond what the ledger expects now. */
export function cashGap(accountState: AccountState, report: AccountReport): bigint {
  const found = compareAccount(accountState, report).find(
    ({ side, asset }) => side === 'venue' && asset === 'mUSD',
  );
  return found ? found.actual - found.expected : 0n;
}

/** Surplus of shares over the ledger: at the venue, in the wallet, and owed. */
export type Growth = Readonly<Record<Side, bigint>>;

/** Growth of a stock over the ledger; null if orders or transfers under way may be its cause, or anything is missing. */
export function growthOf(
  { accountState, reads: { account }, market }: EngineContext,
  report: AccountReport,
  symbol: Ticker,
): Growth | null {
  const isMoving =
    [...accountState.transfers.live.values()].some(
      ({ terms }) => 'symbol' in terms && terms.symbol === symbol,
    ) ||
    [...accountState.live.values()].some(
      ({ terms, state, claim }) =>
        terms.symbol === symbol &&
        state.kind !== 'planned' &&
        (terms.side === 'buy' || state.kind !== 'working' || claim !== undefined),
    );
  if (isMoving) return null;
  const all = compareAccount(accountState, report);
  const gap = (of: Holding, side: Mismatch['side']) => {
    const one = all.find((each) => each.asset === of && each.side === side);
    const amount = one ? one.actual - one.expected : 0n;
    return one && amount < 0n && isDust(of, amount, one.expected) ? 0n : amount;
  };
  const growth = { venue: gap(symbol, 'venue'), wallet: gap(symbol, 'wallet'), debt: gap(symbol, 'debt') };
  const worth = notionalOf(shares(growth.venue), market.price(symbol) ?? asPrice(0n), 'down');
  const lacked = -gap('mUSD', 'venue');
  // While the money of a sell is missing, the account does not show yet that its shares are gone. Missing money that
  // counts as a difference and is far from their worth is something else.
  const isOther = lacked === account?.missing && (lacked > 2n * worth || 2n * lacked < worth);
  if (lacked > 0n && !isOther) return null;
  return Object.values(growth).some((amount) => amount < 0n) ? null : growth;
}
