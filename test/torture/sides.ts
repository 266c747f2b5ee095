import type { Truth } from '../../src/emulator/index.ts';
import { markOf, type JournalSide } from './journalSide.ts';

export type TrueOrder = Truth['orders'][number];

/** The journal and the real account. */
export type TrueSides = Readonly<{ journal: JournalSide; truth: Truth; userAddress: string }>;

export const ordersOf = ({ truth, userAddress }: Omit<TrueSides, 'journal'>): TrueOrder[] =>
  truth.orders.filter((order) => order.userAddress === userAddress);

export const markOfTrue = (order: TrueOrder): string =>
  markOf(Math.round(Date.parse(order.deadline) / 1_000), {
    symbol: order.symbol,
    side: order.side.toLowerCase(),
    type: order.type.toLowerCase(),
    size: order.quantity ?? order.notional ?? '',
    price: order.price,
  });

/** True when the chain accepted it. */
export const isReal = ({ status, minedAt }: TrueOrder): boolean => minedAt !== null && status !== 'Failed';

/** Strategy of the order by the journal; null for an order that the journal does not know. */
export const ownerIn =
  ({ sends, books }: JournalSide) =>
  (order: TrueOrder): string | null => {
    const [send] = sends.get(markOfTrue(order)) ?? [];
    return send ? books.order(send.id).strategyId : null;
  };
