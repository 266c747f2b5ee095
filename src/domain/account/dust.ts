import { magnitude } from '../../core/amount.ts';
import { isToken, type Holding } from './ledger.ts';

/** Largest dust of money, as a wad: 0.01. Also the largest sum of its changes in a day, in both directions. */
const DUST_CASH = 10n ** 16n;
/** The same for shares, as a wad: 0.0005. */
const DUST_SHARES = 5n * 10n ** 14n;
/** Dust is at most this fraction of the amount it is compared with: a gap in a very small holding is a difference. */
const PARTS = 1_000n;

export const dustBoundOf = (asset: Holding): bigint =>
  asset === 'mUSD' || isToken(asset) ? DUST_CASH : DUST_SHARES;

/** True for a gap too small to count, compared with an amount of the asset. */
export const isDust = (asset: Holding, gap: bigint, amount: bigint): boolean =>
  magnitude(gap) <= dustBoundOf(asset) && magnitude(gap) * PARTS <= magnitude(amount);

/** True for a difference from the ledger that is too small to count. */
export const isSmall = ({
  asset,
  actual,
  expected,
}: Readonly<{ asset: Holding; actual: bigint; expected: bigint }>): boolean =>
  isDust(asset, actual - expected, expected);

/** True for a gap that equals an amount of an asset apart from dust. */
export const isNearly = (asset: Holding, gap: bigint, amount: bigint): boolean =>
  isDust(asset, gap - amount, amount);
