import { cash } from '../../core/amount.ts';
import type { EpochMs } from '../../core/brand.ts';
import type { Address, Ticker } from '../../domain/instrument.ts';
import { exchangeEvent } from '../state/events.ts';
import { balanceOf, transfer, type Bucket, type Place } from '../state/ledger.ts';
import type { Operation } from '../state/state.ts';
import { spendAllowance, spendingProblem, type TokenAmount, type TokenCall } from '../state/tokens.ts';
import { accountOf, keepOperation, listingOf, operationIdOf, type VenueState } from '../state/venueState.ts';

const isUnknown = ({ listings }: VenueState, token: Address): boolean => !listings.has(token.toUpperCase());

/** Reason why a deposit of stock reverts, or null. */
export function stockDepositProblem(venue: VenueState, call: TokenAmount): string | null {
  if (isUnknown(venue, call.token)) return 'unknown stock';
  return call.amount === 0n ? 'amount is zero' : spendingProblem(venue, call);
}

/** Moves stock from the wallet to the exchange. The caller has checked that this is possible. */
export function depositStock(venue: VenueState, call: TokenCall, at: EpochMs): void {
  spendAllowance(venue, call);
  move(venue, call, { from: 'wallet', to: 'exchange' });
  record(venue, { call, type: 'stock_deposit' }, at);
  report(call, 'StockDeposited');
}

/** Reason why a withdrawal of stock reverts, or null. */
export function stockWithdrawalProblem(
  venue: VenueState,
  { user, token, amount }: TokenAmount,
): string | null {
  if (isUnknown(venue, token)) return 'unknown stock';
  if (amount === 0n) return 'amount is zero';
  if (accountOf(venue, user).deferredSell.restricted) return 'address is restricted';
  const held = balanceOf(venue.state.balances, { holder: user, bucket: 'exchange' }, symbolOf(venue, token));
  return held < amount ? 'insufficient exchangeBalance' : null;
}

/** Moves stock from the exchange to the wallet. The caller has checked that this is possible. */
export function withdrawStock(venue: VenueState, call: TokenCall, at: EpochMs): void {
  move(venue, call, { from: 'exchange', to: 'wallet' });
  record(venue, { call, type: 'stock_withdraw' }, at);
  report(call, 'StockWithdrawn');
}

/** Reason why a repayment reverts, or null. */
export function repaymentProblem(venue: VenueState, call: TokenAmount): string | null {
  if (isUnknown(venue, call.token)) return 'unknown stock';
  if (call.amount === 0n) return 'amount is zero';
  const debt = { holder: call.user, bucket: 'debt' } as const;
  const owed = balanceOf(venue.state.balances, debt, symbolOf(venue, call.token));
  return call.amount > owed ? 'amount exceeds the debt' : spendingProblem(venue, call);
}

/** Burns stock in the wallet, reducing the debt. Stock on the exchange does not count. */
export function repay(venue: VenueState, call: TokenCall): void {
  spendAllowance(venue, call);
  move(venue, call, { from: 'wallet', to: 'venue' });
  move(venue, call, { from: 'debt', to: 'venue' });
  report(call, 'DeferredSellDebtRepaid');
}

type StockEvent = 'StockDeposited' | 'StockWithdrawn' | 'DeferredSellDebtRepaid';

const report = ({ user, token: stockToken, amount, emit }: TokenCall, name: StockEvent): void =>
  emit(exchangeEvent(name, { user, stockToken, amount }));

const symbolOf = (venue: VenueState, token: Address): Ticker => listingOf(venue, token).symbol;

type Way = Readonly<{ from: Bucket; to: Bucket | 'venue' }>;

function move(venue: VenueState, { user: holder, token, amount }: TokenCall, { from, to }: Way): void {
  const place = (bucket: Bucket): Place => ({ holder, bucket });
  transfer(venue.state.balances, {
    asset: symbolOf(venue, token),
    amount,
    from: place(from),
    to: to === 'venue' ? to : place(to),
  });
}

/** Records an operation that completes immediately, because stock moves immediately. */
function record(
  venue: VenueState,
  { call: { user, token, amount, hash }, type }: Readonly<{ call: TokenCall; type: Operation['type'] }>,
  at: EpochMs,
): void {
  keepOperation(venue, {
    operationId: operationIdOf(hash),
    txHash: hash,
    type,
    userAddress: user,
    token,
    asset: symbolOf(venue, token),
    amount,
    credit: cash(0n),
    fee: cash(0n),
    isInstant: true,
    settleTxHash: hash,
    changes: [{ at, word: 'success' }],
  });
}
