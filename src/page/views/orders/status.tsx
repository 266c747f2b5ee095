import type { OrderRow } from '../../../ops/model/past.ts';
import { money, shares } from '../../parts/amounts.tsx';

/** Unrequested ends without any trade. */
const FAILED: readonly string[] = ['rejected', 'refused', 'reverted', 'unknown'];
const NAMES: Readonly<Record<string, string>> = { neverExisted: 'never placed', abandoned: 'not sent' };

/** Requested or regular ends without any trade. */
const QUIET: readonly string[] = ['cancelled', 'expired', 'neverExisted', 'abandoned'];

/** State of an order in a word; one that needs attention has its own colour. */
export const EndedWith = ({ row: { status } }: Readonly<{ row: Pick<OrderRow, 'status'> }>) => (
  <span class={FAILED.includes(status) ? 'loss' : QUIET.includes(status) ? 'none' : ''}>
    {NAMES[status] ?? status}
  </span>
);

/** Shares or money ordered; a dash if neither is known. */
export const sizeOf = ({ quantity, notional }: Pick<OrderRow, 'quantity' | 'notional'>): string =>
  notional ? `${money(notional)} mUSD` : shares(quantity ?? null);
