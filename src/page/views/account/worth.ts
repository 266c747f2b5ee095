import { formatDecimal, WAD, parseSigned } from '../../../core/amount.ts';
import type { AccountView } from '../../../ops/model/account.ts';
import type { Status } from '../../../ops/model/status.ts';

/** Amount and worth of an asset in all places together, as decimals. Null: of unknown price. `share`: of the sum. */
export type Worth = Readonly<{
  asset: string;
  name: string;
  amount: string;
  price: string | null;
  worth: string | null;
  share: number | null;
}>;

/** Worth in mUSD of each asset at the last prices, and their sum, which leaves out what has no price. */
export function worthsOf(
  assets: readonly AccountView['assets'][number][],
  { strategies, unallocated }: Pick<Status, 'strategies' | 'unallocated'>,
): Readonly<{ worths: readonly Worth[]; sum: string }> {
  const held = [...strategies, unallocated].flatMap(({ positions }) => positions);
  const prices = new Map(held.map(({ symbol, price }) => [symbol, price]));
  const valued = assets.map(({ asset, name, venue, wallet, queuedIn, queuedOut, debt }) => {
    const amount = [venue, wallet, queuedIn, queuedOut, debt].reduce(
      (sum, text) => sum + parseSigned(text),
      0n,
    );
    const price = asset === 'mUSD' ? '1' : (prices.get(asset) ?? null);
    return { asset, name, amount, price, worth: price === null ? null : (amount * parseSigned(price)) / WAD };
  });
  const sum = valued.reduce((total, { worth }) => total + (worth ?? 0n), 0n);
  const worths = valued.map(({ amount, worth, ...rest }) => ({
    ...rest,
    amount: formatDecimal(amount),
    worth: worth === null ? null : formatDecimal(worth),
    share: worth === null || sum <= 0n ? null : Number((worth * 10_000n) / sum) / 10_000,
  }));
  return { worths, sum: formatDecimal(sum) };
}
