import { cash, notionalOf, price, shares } from '../../core/amount.ts';
import type { EpochMs } from '../../core/brand.ts';
import { InvariantError } from '../../core/errors.ts';
import type { Address } from '../../domain/instrument.ts';
import { balanceOf, transfer, type Bucket } from '../state/ledger.ts';
import { shockOf } from '../market/actions.ts';
import type { AnnouncedAction } from '../state/state.ts';
import { priceOf, type VenueState } from '../state/venueState.ts';

export function actionOf({ state }: VenueState, id: number): AnnouncedAction {
  const action = state.corporateActions[id];
  if (!action) throw new InvariantError(`no corporate action ${id}`);
  return action;
}

/** Changes the price from the ex-date's open on, and what everyone has and owes. No order of the stock is live. */
export function applyAction(venue: VenueState, action: AnnouncedAction, at: EpochMs): void {
  const middle = priceOf(venue, action.symbol, at);
  venue.state.shocks = [...venue.state.shocks, shockOf(action, middle, at)];
  for (const { userAddress } of venue.state.accounts) {
    if (action.cashPerShare > 0n) payOut(venue, action, userAddress);
    else
      for (const bucket of ['exchange', 'wallet', 'debt'] as const)
        split(venue, action, { userAddress, bucket });
  }
  action.appliedAt = at;
}

type Holding = Readonly<{ userAddress: Address; bucket: Bucket }>;

/** Rescales a balance: holdings are rounded down and debt up, at the eighteenth place. */
function split({ state }: VenueState, action: AnnouncedAction, { userAddress, bucket }: Holding): void {
  const { symbol: asset, oldRate, newRate } = action;
  const place = { holder: userAddress, bucket };
  const before = balanceOf(state.balances, place, asset);
  const up = bucket === 'debt' ? oldRate - 1n : 0n;
  const change = (before * newRate + up) / oldRate - before;
  if (change > 0n) transfer(state.balances, { asset, amount: change, from: 'venue', to: place });
  if (change < 0n) transfer(state.balances, { asset, amount: -change, from: place, to: 'venue' });
}

/** For what is held, on the exchange and in the wallet, less what is owed; never taken from anyone. */
function payOut({ state }: VenueState, action: AnnouncedAction, holder: Address): void {
  const { symbol, cashPerShare } = action;
  const of = (bucket: Bucket) => balanceOf(state.balances, { holder, bucket }, symbol);
  const entitled = of('exchange') + of('wallet') - of('debt');
  if (entitled <= 0n) return;
  const amount = cash(notionalOf(shares(entitled), price(cashPerShare), 'down'));
  transfer(state.balances, { asset: 'mUSD', amount, from: 'venue', to: { holder, bucket: 'exchange' } });
}
