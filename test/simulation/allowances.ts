import { isDeepStrictEqual } from 'node:util';
import type { AccountState } from '../../src/domain/account/accountState.ts';
import type { Asset } from '../../src/domain/account/ledger.ts';
import { isUnanswered, type Order } from '../../src/domain/orders/order.ts';

/** The false statements of a run, as a judge knows them. */
export type Lies = Readonly<{
  /** Stocks about which venue or node have made false statements. */
  lied: ReadonlySet<string>;
  /** True when an alarm about an order was raised. */
  isTold: (id: string) => boolean;
}>;

/** Allowances of a run without false statements. */
export const NO_LIES: Lies = { lied: new Set(), isTold: () => false };

/** True for an order that the venue denies: it stays unknown, its money reserved and an alarm raised. */
export const isDenied = ({ lied, isTold }: Lies, order: Order | undefined): boolean =>
  order !== undefined && lied.has(order.terms.symbol) && isUnanswered(order) && isTold(order.id);

/** True when a false statement may explain an account's amount of an asset. */
export const isLiedAbout = ({ lied }: Pick<Lies, 'lied'>, asset: string): boolean =>
  asset === 'mUSD' ? lied.size > 0 : lied.has(asset);

/** True when an order under way can explain a difference of an asset. */
export const isMoving = ({ live }: AccountState, asset: Asset): boolean =>
  [...live.values()].some(({ terms }) => asset === 'mUSD' || terms.symbol === asset);

/** True when a difference of an asset was reported (mUSD), or keeps its symbol frozen. */
export const isHalted = ({ differences, frozen }: AccountState, asset: Asset): boolean =>
  asset === 'mUSD' ? differences.some((told) => told.asset === asset) : frozen.has(asset);

/**
 * True for two orders of one strategy on the same terms: after false responses, nothing that the venue shows
 * distinguishes them.
 */
export const areAlike = (order: Order, other: Order | undefined): boolean =>
  other?.strategyId === order.strategyId && isDeepStrictEqual(other.terms, order.terms);
