import { STAMP_SLACK_MS } from './attribution.ts';
import { sameAddress } from './instrument.ts';
import { operationTxHash, type Operation, type OperationId, type OperationReport } from './operation.ts';

/** Whose operation a row is. `none`: nobody's of ours, or not to be told yet. */
export type RowOwner = Readonly<
  | { kind: 'known'; id: OperationId }
  | { kind: 'found'; id: OperationId }
  | { kind: 'ambiguous'; ids: readonly OperationId[] }
  | { kind: 'none' }
>;

/**
 * Finds the operation that a row of the venue's list belongs to. By transaction hash where we have one; an operation whose
 * answer was lost is matched on its exact terms and time, never on less; so is one that was taken for gone.
 */
export function ownerOfRow(report: OperationReport, operations: Iterable<Operation>): RowOwner {
  const all = [...operations];
  const known = all.find((operation) => operationTxHash(operation) === report.txHash);
  if (known) return { kind: 'known', id: known.id };
  const { moved } = report;
  if (!moved) return { kind: 'none' };
  const alike = all.filter(
    (operation) =>
      inOperationTime(operation, report) &&
      operation.terms.amount === moved.amount &&
      sameAddress(operation.terms.token, moved.token),
  );
  const [first] = alike;
  if (!first || first.state.kind === 'sent') return { kind: 'none' };
  if (alike.length > 1) return { kind: 'ambiguous', ids: alike.map(({ id }) => id) };
  return { kind: 'found', id: first.id };
}

/** Whether a row could be this operation: it was sent, its transaction is not known, and the row was made after that. */
export function inOperationTime(
  operation: Operation,
  { createdAt }: Pick<OperationReport, 'createdAt'>,
): boolean {
  const { state } = operation;
  if (state.kind !== 'sent' && state.kind !== 'unknown' && state.kind !== 'neverExisted') return false;
  return operationTxHash(operation) === null && createdAt >= state.at - STAMP_SLACK_MS;
}
