import type { Bucket, Ledger } from '../../../src/domain/account/ledger.ts';

const BUCKETS = [
  'free',
  'reserved',
  'owed',
  'venue',
  'wallet',
  'queuedIn',
  'queuedOut',
  'debt',
  'outside',
] as const satisfies readonly Bucket[];

/** Every amount of a ledger that is not 0, by owner, asset and bucket. */
export const amountsIn = (ledger: Ledger): ReadonlyMap<string, bigint> =>
  new Map(
    [...ledger.strategyIds]
      .flatMap((id) =>
        [...ledger.assets, ...ledger.tokens].flatMap((asset) =>
          BUCKETS.map((bucket) => [`${id} ${asset} ${bucket}`, ledger.balance(id, bucket, asset)] as const),
        ),
      )
      .filter(([, amount]) => amount !== 0n),
  );
