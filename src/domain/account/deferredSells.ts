import { shares, type Shares } from '../../core/amount.ts';
import type { Ticker } from '../instrument.ts';
import { isDeferred } from '../orders/order.ts';
import { sumOfTransfers, type Transfer } from '../transfers/transfer.ts';
import type { AccountState } from './accountState.ts';
import { DEBT, WALLET } from './ledger.ts';

/** Shares of a stock that open deferred sells may owe. `except`: an order to leave out. */
export function deferredUnderWay({ open }: AccountState, symbol: Ticker, except?: string): bigint {
  let sum = 0n;
  for (const { id, terms } of open.inSymbol(symbol))
    if (id !== except && isDeferred(terms) && 'quantity' in terms) sum += terms.quantity ?? 0n;
  return sum;
}

/** Shares of a stock that are owed, plus those that open deferred sells may owe. `except`: an order to leave out. */
export const owedWith = (state: AccountState, symbol: Ticker, except?: string): bigint =>
  deferredUnderWay(state, symbol, except) - state.ledger.at(DEBT, symbol);

/**
 * Shares in the wallet that neither a debt nor an open deferred sell needs; null if the wallet or the debts are unknown. Negative
 * if more is owed than the wallet has. A repayment under way has already left the wallet, but not yet reduced the debt.
 */
export function uncommittedShares(state: AccountState, symbol: Ticker, except?: string): Shares | null {
  const { ledger, transfers } = state;
  if (!transfers.opened.wallet || !transfers.opened.debts) return null;
  const repaid = sumOfTransfers(transfers.live, (terms) => terms.kind === 'repay' && terms.symbol === symbol);
  return shares(ledger.at(WALLET, symbol) + repaid - owedWith(state, symbol, except));
}

/** Repayment of a stock under way; undefined if there is none. */
export function repaymentOf({ transfers }: AccountState, symbol: Ticker): Transfer | undefined {
  for (const transfer of transfers.live.values())
    if (transfer.terms.kind === 'repay' && transfer.terms.symbol === symbol) return transfer;
  return undefined;
}
