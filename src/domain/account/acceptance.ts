import { cash } from '../../core/amount.ts';
import type { EpochMs } from '../../core/brand.ts';
import type { JournalEvent } from '../journalEvent.ts';
import type { Failures } from '../orders/orderActivity.ts';
import type { Freezes } from './freezes.ts';
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

/** Balances accepted so far, for telling which transfers of others are booked already. */
export class Acceptances {
  /** Transactions that have proved one. */
  readonly proofs = new Set<string>();
  /** Time of the latest without such a proof, by asset at the venue: it may have booked any transfer made before. */
  readonly unprovenAt = new Map<Holding, EpochMs>();

  note({ side, asset, txHash }: Acceptance, at: EpochMs): void {
    if (txHash !== undefined) this.proofs.add(txHash);
    else if (side === 'venue') this.unprovenAt.set(asset, at);
  }
}

/** Journal events of operator commands that change the account. */
export type OperatorJournalEvent = Extract<JournalEvent, { kind: 'released' | 'balanceAccepted' }>;
export const isOperatorEvent = (fact: JournalEvent): fact is OperatorJournalEvent =>
  fact.kind === 'released' || fact.kind === 'balanceAccepted';

type Parts = {
  ledger: Ledger;
  positions: Positions;
  freezes: Freezes;
  failures: Failures;
};

/**
 * Applies an operator's decision; gives the accepted balance if it changes the account at the venue, else null.
 * @throws {InvariantError} when its owner has less than the amount that goes
 */
export function applyDecision(fact: OperatorJournalEvent, accountState: Parts): Acceptance | null {
  if (fact.kind === 'released') {
    accountState.freezes.release(fact);
    if (fact.over === undefined) accountState.failures.clear(fact.symbol);
  }
  if (fact.kind !== 'balanceAccepted') return null;
  accountState.ledger.post('adopted by an operator', postingsOf(fact));
  const { side, asset, strategyId, amount, value } = fact;
  if (side !== 'venue') return null;
  if (asset === 'mUSD' || isToken(asset) || strategyId === UNALLOCATED) return fact;
  if (amount > 0n) accountState.positions.bring({ strategyId, symbol: asset, quantity: amount, cost: value });
  else accountState.positions.remove({ strategyId, symbol: asset, quantity: -amount, value: cash(-value) });
  return fact;
}

function postingsOf({ side, asset, strategyId, amount }: Acceptance): Posting[] {
  const [place, other] =
    side === 'venue' ? [freeOf(strategyId), VENUE] : side === 'wallet' ? [WALLET, OUTSIDE] : [OUTSIDE, DEBT];
  return [
    { ...place, asset, amount },
    { ...other, asset, amount: -amount },
  ];
}
