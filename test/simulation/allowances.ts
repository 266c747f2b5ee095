import { isDeepStrictEqual } from 'node:util';
import type { AccountState } from '../../src/domain/account/accountState.ts';
import type { Asset } from '../../src/domain/account/ledger.ts';
import { isUnanswered, type Order } from '../../src/domain/orders/order.ts';

/** The lies of a run, as a judge knows them. */
export type Lies = Readonly<{
  /** Stocks of which venue or node have said what is not so. */
  lied: ReadonlySet<string>;
  /** Whether a person was told of an order. */
  isTold: (id: string) => boolean;
}>;

/** Of a run in which nobody lies. */
export const NO_LIES: Lies = { lied: new Set(), isTold: () => false };

/** True for an order that the venue does not own up to: it stays unknown with its money, and a person was told. */
export const isDenied = ({ lied, isTold }: Lies, order: Order | undefined): boolean =>
  order !== undefined && lied.has(order.terms.symbol) && isUnanswered(order) && isTold(order.id);

/** Whether a lie may be behind what an account has of an asset. */
export const isLiedAbout = ({ lied }: Pick<Lies, 'lied'>, asset: string): boolean =>
  asset === 'mUSD' ? lied.size > 0 : lied.has(asset);

/** Whether an order under way can explain a difference of an asset. */
export const isMoving = ({ live }: AccountState, asset: Asset): boolean =>
  [...live.values()].some(({ terms }) => asset === 'mUSD' || terms.symbol === asset);

/** Whether a difference of an asset was told (mUSD), or keeps its symbol frozen. */
export const isHalted = ({ differences, frozen }: AccountState, asset: Asset): boolean =>
  asset === 'mUSD' ? differences.some((told) => told.asset === asset) : frozen.has(asset);

/** Two orders of one strategy on the same terms: where their answers were false, nothing that the venue shows tells which is which. */
export const areAlike = (order: Order, other: Order | undefined): boolean =>
  other?.owner === order.owner && isDeepStrictEqual(other.terms, order.terms);
