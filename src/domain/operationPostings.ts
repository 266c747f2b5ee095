import {
  freeOf,
  OUTSIDE,
  QUEUED_IN,
  QUEUED_OUT,
  DEBT,
  UNALLOCATED,
  VENUE,
  WALLET,
  type Holding,
  type Place,
  type Posting,
} from './ledger.ts';
import type { MoveTerms, Operation } from './operation.ts';

/** Takes what an operation moves out of its place, for as long as it is under way. */
export function bindOperation({ terms }: Operation): Posting[] {
  if (terms.kind === 'approve') return [];
  const { from, queue } = placesOf(terms);
  return flow(assetTaken(terms), terms.amount, [from, queue]);
}

/** Where what was under way has come: on to its goal, or back to where it was. */
export function endOperation({ terms, owner, state }: Operation): Posting[] {
  if (terms.kind === 'approve') return [];
  const { from, queue } = placesOf(terms);
  const taken = assetTaken(terms);
  if (state.kind !== 'settled') return flow(taken, terms.amount, [queue, from]);
  const { received } = state;
  switch (terms.kind) {
    case 'cashDeposit':
      return [
        ...flow(taken, terms.amount, [queue, OUTSIDE]),
        ...flow('mUSD', received, [VENUE, freeOf(UNALLOCATED)]),
      ];
    case 'stockDeposit':
      return [
        ...flow(taken, terms.amount, [queue, OUTSIDE]),
        ...flow(taken, received, [VENUE, freeOf(owner)]),
      ];
    case 'cashWithdrawal':
      return [
        ...flow(taken, terms.amount, [queue, VENUE]),
        ...flow(terms.token, received, [OUTSIDE, WALLET]),
      ];
    case 'stockWithdrawal':
      return [...flow(taken, terms.amount, [queue, VENUE]), ...flow(taken, received, [OUTSIDE, WALLET])];
    case 'repay':
      return flow(taken, terms.amount, [queue, DEBT]);
  }
}

/** Of what an operation takes. A cash token goes by its address in lower case. */
export function assetTaken(terms: MoveTerms): Holding {
  if ('symbol' in terms) return terms.symbol;
  return terms.kind === 'cashWithdrawal' ? 'mUSD' : terms.token;
}

const placesOf = ({ kind }: MoveTerms): Record<'from' | 'queue', Place> =>
  kind === 'cashWithdrawal' || kind === 'stockWithdrawal'
    ? { from: freeOf(UNALLOCATED), queue: QUEUED_OUT }
    : { from: WALLET, queue: QUEUED_IN };

const flow = (asset: Holding, amount: bigint, [from, to]: readonly [Place, Place]): Posting[] => [
  { ...from, asset, amount: -amount },
  { ...to, asset, amount },
];
