import type { Trace } from '../../wallet/traces.ts';
import type { Sight } from './watch.ts';

const REPLACED = 'replaced: another transaction was mined with its nonce, and this one did nothing';

/** How far a transaction is on the chain. Null while the chain has no trace of it. */
export function sightOfTrace<Row>(trace: Trace, row: (status: string) => Row): Sight<Row> | null {
  if (trace.kind === 'absent') return null;
  if (trace.kind === 'waiting') return { row: row('sent'), status: 'sent', end: null };
  if (trace.kind === 'replaced') return { row: row(REPLACED), status: REPLACED, end: 'failed' };
  if (trace.revert === null) return { row: row('success'), status: 'success', end: 'done' };
  const status = `reverted: ${trace.revert}`;
  if (trace.isDeep) return { row: row(status), status, end: 'failed' };
  return { row: row(status), status: `${status}, as long as no reorganisation undoes it`, end: null };
}
