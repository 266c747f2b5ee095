import { cash } from '../../core/amount.ts';
import type { EpochMs } from '../../core/brand.ts';
import {
  DEBT,
  freeOf,
  isToken,
  OUTSIDE,
  UNALLOCATED,
  VENUE,
  WALLET,
  type Holding,
  type Ledger,
  type Posting,
  type Acceptance,
} from './ledger.ts';
import type { Positions } from './positions.ts';

type AcceptedStock = Pick<Acceptance, 'asset' | 'strategyId' | 'amount' | 'txHash'> &
  Readonly<{ at: EpochMs }>;

/** Balances accepted so far, which show which external transfers are already booked. */
export class Acceptances {
  /** Accepted stock, oldest first. */
  readonly stock: AcceptedStock[] = [];
  /** Transactions that proved an acceptance. */
  readonly proofs = new Set<string>();
  /** Time of the latest unproven acceptance, by asset at the venue: it may have booked any transfer made before it. */
  readonly unprovenAt = new Map<Holding, EpochMs>();

  note({ side, asset, strategyId, amount, txHash }: Acceptance, at: EpochMs): void {
    if (side === 'venue' && asset !== 'mUSD')
      this.stock.push({ asset, strategyId, amount, at, ...(txHash === undefined ? {} : { txHash }) });
    if (txHash !== undefined) this.proofs.add(txHash);
    else if (side === 'venue') this.unprovenAt.set(asset, at);
  }
}

/** Books an accepted balance. @throws {InvariantError} if its owner has less than the amount that leaves */
export function bookAcceptance(
  acceptance: Acceptance,
  { ledger, positions }: Readonly<{ ledger: Ledger; positions: Positions }>,
): void {
  ledger.post('adopted by an operator', postingsOf(acceptance));
  const { side, asset, strategyId, amount, value } = acceptance;
  if (side !== 'venue' || asset === 'mUSD' || isToken(asset) || strategyId === UNALLOCATED) return;
  if (amount > 0n) positions.bring({ strategyId, symbol: asset, quantity: amount, cost: value });
  else positions.remove({ strategyId, symbol: asset, quantity: -amount, value: cash(-value) });
}

function postingsOf({ side, asset, strategyId, amount }: Acceptance): Posting[] {
  const [place, other] =
    side === 'venue' ? [freeOf(strategyId), VENUE] : side === 'wallet' ? [WALLET, OUTSIDE] : [OUTSIDE, DEBT];
  return [
    { ...place, asset, amount },
    { ...other, asset, amount: -amount },
  ];
}
