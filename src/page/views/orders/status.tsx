import type { OrderRow } from '../../../ops/model/past.ts';
import { money, shares } from '../../parts/amounts.tsx';

/** Ends that took no stock and no money, and were not asked for. */
const FAILED: readonly string[] = ['rejected', 'refused', 'reverted', 'unknown'];
const NAMES: Readonly<Record<string, string>> = { neverExisted: 'never placed', abandoned: 'not sent' };

/** Ends that were asked for, or come by themselves, and moved nothing. */
const QUIET: readonly string[] = ['cancelled', 'expired', 'neverExisted', 'abandoned'];

/** State of an order in a word; one that wants a look in a colour of its own. */
export const EndedWith = ({ row: { status } }: Readonly<{ row: Pick<OrderRow, 'status'> }>) => (
  <span class={FAILED.includes(status) ? 'loss' : QUIET.includes(status) ? 'none' : ''}>
    {NAMES[status] ?? status}
  </span>
);

/** Shares or money that an order asks for; a dash where neither is known. */
export const sizeOf = ({ quantity, notional }: Pick<OrderRow, 'quantity' | 'notional'>): string =>
  notional ? `${money(notional)} mUSD` : shares(quantity ?? null);
