import type { ListedKind } from '../../domain/transfers/transfer.ts';
import { transferRow, transferRows, type TransferRow } from '../../api/operations.ts';
import type { VenueClient } from '../../api/client.ts';
import { sleepUnless, type Clock } from '../../core/clock.ts';
import { isVenueFault, messageOf, NotSentError, VenueRefusedError } from '../../core/errors.ts';
import type { CommandContext } from '../../process/context.ts';
import { EXIT } from '../../process/exitCodes.ts';
import type { Trace } from '../../wallet/traces.ts';
import type { EpochMs } from '../../core/brand.ts';
import type { Chain } from '../../wallet/chain.ts';
import type { Connection } from '../environment/connect.ts';
import type { AccountNonce } from '../../wallet/replacements.ts';

/**
 * Progress of an order, transfer or transaction. `end`: null while it may still change; `unknown` if further polling
 * cannot help.
 */
export type Observation<Row> = Readonly<{
  row: Row;
  status: string;
  end: 'done' | 'failed' | 'unknown' | null;
}>;

const EXITS = { done: EXIT.done, failed: EXIT.failed, unknown: EXIT.venue } as const;

export const exitOf = (observation: Observation<unknown> | null): number => EXITS[observation?.end ?? 'done'];

/** Reads once. Null while there is nothing to show yet. */
export type Look<Row> = () => Promise<Observation<Row> | null>;

/** `interrupted`: a person stopped waiting, which changes nothing at the venue. */
type WatchResult<Row> = Readonly<{ observation: Observation<Row> | null; interrupted: boolean }>;

const LOOK_EVERY_MS = 2_000;

/**
 * Polls until the end, and prints each change. If the venue does not respond, it is polled again.
 * @param wait false to read only once
 */
export async function watch<Row>(
  look: Look<Row>,
  { clock, context }: Readonly<{ clock: Clock; context: CommandContext }>,
  wait = true,
): Promise<WatchResult<Row>> {
  if (!wait) return { observation: await look(), interrupted: false };
  const signal = context.stopSignal();
  let seen: Observation<Row> | null = null;
  let lastText = '';
  const tell = (text: string) => {
    if (text !== lastText) context.terminal.err(text);
    lastText = text;
  };
  for (;;) {
    try {
      seen = (await look()) ?? seen;
      if (seen?.end) return { observation: seen, interrupted: false };
      tell(seen ? `${seen.status} …` : 'not seen by the venue yet …');
    } catch (error) {
      if (!isVenueFault(error)) throw error;
      tell(`${messageOf(error)}; looking again …`);
    }
    if (!(await sleepUnless(signal, clock, LOOK_EVERY_MS))) return { observation: seen, interrupted: true };
  }
}

const REPLACED = 'replaced: another transaction was mined with its nonce, and this one did nothing';

/** Progress of a transaction on the chain. Null while the chain has no trace of it. */
export function traceObservation<Row>(trace: Trace, row: (status: string) => Row): Observation<Row> | null {
  if (trace.kind === 'absent' || trace.kind === 'unclear' || trace.kind === 'queued') return null;
  if (trace.kind === 'waiting') return { row: row('sent'), status: 'sent', end: null };
  if (trace.kind === 'replaced') return { row: row(REPLACED), status: REPLACED, end: 'failed' };
  if (trace.revert === null) return { row: row('success'), status: 'success', end: 'done' };
  const status = `reverted: ${trace.revert}`;
  if (trace.isDeep) return { row: row(status), status, end: 'failed' };
  return { row: row(status), status: `${status}, unless a reorganisation undoes it`, end: null };
}

/** A transaction that is read only from the chain. */
type OnChain = Readonly<{
  txHash: string;
  /** Signer and nonce, if known; otherwise they are learned from a node that shows the pending transaction. */
  signed?: AccountNonce;
  traceOf: Chain['trace'];
  clock: Pick<Clock, 'now'>;
  /** Milliseconds without any trace of it, after which it counts as unknown. */
  lookMs: number;
}>;

/** Reads only the chain. Ends as unknown once the chain has had no trace of the transaction for `lookMs`. */
export function lookOnChain<Row>(row: (status: string) => Row, sent: OnChain): Look<Row> {
  const { txHash, traceOf, clock, lookMs } = sent;
  let { signed } = sent;
  let absentSince: EpochMs | null = null;
  return async () => {
    const trace = await traceOf(txHash, signed);
    if (trace.kind === 'waiting') ({ signed } = trace);
    absentSince = trace.kind === 'absent' ? (absentSince ?? clock.now()) : null;
    if (absentSince === null || clock.now() < absentSince + lookMs) return traceObservation(trace, row);
    return { row: row('unknown'), status: statusOfLost(txHash, lookMs), end: 'unknown' };
  };
}

const statusOfLost = (txHash: string, lookMs: number): string =>
  `for ${lookMs / 1000} s the chain has shown no trace of ${txHash}: it waits unseen, was dropped, or has never arrived. It may still be ` +
  'mined while no other transaction of its wallet has used its nonce';

/** Milliseconds after its deadline during which a transaction without a trace is still searched for. */
const LATE_MS = 60_000;

/** Milliseconds for which a manual command searches for a transaction without a trace. */
export const lookMsOf = ({ loaded }: Pick<Connection, 'loaded'>): number =>
  loaded.config.orders.deadlineSeconds * 1000 + LATE_MS;

const PAGE = 100;
const PAGES_MAX = 20;

/** The list to search, and what to find in it: a transaction hash or an operation id. */
type TransferQuery = Readonly<{ kind: ListedKind; name: string }>;

/** The transfer, or null while the venue does not know it. */
export async function findTransfer(
  client: VenueClient,
  { kind, name: wanted }: TransferQuery,
): Promise<TransferRow | null> {
  const name = wanted.toLowerCase();
  for (let page = 1, seen = 0; page <= PAGES_MAX; page++) {
    const { total, rows, read } = await transferRows(client, kind, { page, limit: PAGE });
    const found = rows.find(({ txHash, operationId }) =>
      [txHash, operationId].some((each) => each?.toLowerCase() === name),
    );
    if (found) return found;
    seen += read;
    if (read === 0 || seen >= total) break;
  }
  // It is older than the lists reach.
  return transferRow(client, kind, wanted).catch((error: unknown) => {
    if (error instanceof VenueRefusedError || error instanceof NotSentError) return null;
    throw error;
  });
}

/** Progress of a transfer. An unknown status does not end it. */
export function transferObservation(row: TransferRow): Observation<TransferRow> {
  const word = row.status?.toLowerCase();
  const end = word === 'success' ? 'done' : word === 'failed' ? 'failed' : null;
  return { row, status: row.status ?? 'sent', end };
}
