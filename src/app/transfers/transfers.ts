import type { VenueClient } from '../../api/client.ts';
import { transferRow, transferRows, type TransferRow } from '../../api/operations.ts';
import type { ListedKind } from '../../domain/transfers/transfer.ts';
import { NotSentError, VenueRefusedError } from '../../core/errors.ts';
import type { Observation } from './chainTrace.ts';

const PAGE = 100;
const PAGES_MAX = 20;

/** List to search, and the name to search for: a transaction's hash or an operation's id. */
type TransferQuery = Readonly<{ kind: ListedKind; name: string }>;

/** The transfer, or null while the venue does not know it. */
export async function findTransfer(
  client: VenueClient,
  { kind, name: wanted }: TransferQuery,
): Promise<TransferRow | null> {
  const name = wanted.toLowerCase();
  for (let page = 1; page <= PAGES_MAX; page++) {
    const { total, rows, read } = await transferRows(client, kind, { page, limit: PAGE });
    const found = rows.find(({ txHash, operationId }) =>
      [txHash, operationId].some((each) => each?.toLowerCase() === name),
    );
    if (found) return found;
    if (read === 0 || page * PAGE >= total) break;
  }
  // Older than the lists reach.
  return transferRow(client, kind, wanted).catch((error: unknown) => {
    if (error instanceof VenueRefusedError || error instanceof NotSentError) return null;
    throw error;
  });
}

/** Progress of a transfer. An unknown word is no end. */
export function transferObservation(row: TransferRow): Observation<TransferRow> {
  const word = row.status?.toLowerCase();
  const end = word === 'success' ? 'done' : word === 'failed' ? 'failed' : null;
  return { row, status: row.status ?? 'sent', end };
}
