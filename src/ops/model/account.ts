import { z } from 'zod';
import { decimalsOf } from '../../core/amount.ts';
import type { Address } from '../../domain/instrument.ts';
import { UNALLOCATED, type Bucket, type Holding } from '../../domain/account/ledger.ts';
import type { EngineContext } from '../../engine/state/engineContext.ts';
import type { Status } from './status.ts';
import { cashTokenName } from '../../domain/account/pinBook.ts';

const text = z.string();
const amount = text.describe('decimal');

/** Amounts of one asset by place in the ledger, in mUSD or shares; for a cash token in whole tokens. */
export const accountSchema = z.object({
  readAt: text
    .nullable()
    .describe('when the account was last read from the venue; null before the first read'),
  assets: z.array(
    z.object({
      asset: text.describe('mUSD, the symbol of a stock, or the address of a cash token'),
      name: text.describe('readable name: for a cash token its symbol, if the venue states one'),
      owners: z.array(
        z.object({
          strategy: text.describe('empty for unallocated amounts'),
          free: amount,
          reserved: amount.describe('bound by live orders'),
          owed: amount.describe("spent from other strategies' money, as a negative amount"),
        }),
      ),
      venue: amount.describe('at the venue, free and reserved, by the ledger'),
      wallet: amount,
      queuedIn: amount.describe('has left the wallet, not yet at the venue'),
      queuedOut: amount.describe('on its way out of the venue'),
      debt: amount.describe('stock owed by deferred sells, as a negative amount'),
      difference: text.nullable().describe('what the venue shows instead; null if both agree'),
    }),
  ),
});
export type AccountView = z.infer<typeof accountSchema>;

/** All places of money and stock in the ledger, and where the venue differs. */
export function accountViewOf(
  context: EngineContext,
  differences: Status['differences'],
  readAt: string | null,
): AccountView {
  const { ledger, pins } = context.accountState;
  const nameOf = (token: Address): string => cashTokenName(pins, token) ?? token;
  const named = [
    ...[...ledger.assets].map((asset) => ({ asset, name: asset })),
    ...[...ledger.tokens].map((token) => ({ asset: token, name: nameOf(token) })),
  ];
  const sumOf = (bucket: Bucket, asset: Holding) =>
    [...ledger.strategyIds].reduce((sum, id) => sum + ledger.balance(id, bucket, asset), 0n);
  const assets = named.map(({ asset, name }) => ({
    asset,
    name,
    owners: ownersOf(context, asset),
    venue: -ledger.balance(UNALLOCATED, 'venue', asset),
    wallet: sumOf('wallet', asset),
    queuedIn: sumOf('queuedIn', asset),
    queuedOut: sumOf('queuedOut', asset),
    debt: sumOf('debt', asset),
    difference: differences.find((one) => one.asset === asset)?.text ?? null,
  }));
  return decimalsOf({ readAt, assets });
}

const ownersOf = ({ accountState: { ledger } }: EngineContext, asset: Holding) =>
  [...ledger.strategyIds].flatMap((strategy) => {
    const of = (bucket: Bucket) => ledger.balance(strategy, bucket, asset);
    const [free, reserved, owed] = [of('free'), of('reserved'), of('owed')];
    return free || reserved || owed ? [{ strategy, free, reserved, owed }] : [];
  });
