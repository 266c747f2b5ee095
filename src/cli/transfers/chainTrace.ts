import type { Clock } from '../../core/clock.ts';
import { isVenueFault, messageOf } from '../../core/errors.ts';
import type { CommandContext } from '../context.ts';
import type { Trace } from '../../wallet/traces.ts';
import { toMs, toSeconds, type EpochMs } from '../../core/brand.ts';
import { STAMP_SLACK_MS } from '../../domain/orders/reportMatching.ts';
import type { Chain } from '../../wallet/chain.ts';
import type { Account } from './account.ts';
import type { AccountNonce } from '../../wallet/replacements.ts';

/**
 * Progress of an order, transfer or transaction. `end`: null while it may still change; `unknown` where further looking
 * cannot help.
 */
export type Observation<Row> = Readonly<{
  row: Row;
  status: string;
  end: 'done' | 'failed' | 'unknown' | null;
  /** True where the venue's word for its status is in no documented table. */
  isWordUnknown?: boolean;
}>;

/** Reads once. Null while there is nothing to see yet. */
export type Look<Row> = () => Promise<Observation<Row> | null>;

/** `interrupted`: a person stopped waiting, which changes nothing at the venue. */
type WatchResult<Row> = Readonly<{ observation: Observation<Row> | null; interrupted: boolean }>;

const LOOK_EVERY_MS = 2_000;

/** Looks repeatedly until the end, and prints each change. A venue that does not answer is asked again. */
export async function watch<Row>(
  look: Look<Row>,
  { clock, context }: Readonly<{ clock: Clock; context: CommandContext }>,
): Promise<WatchResult<Row>> {
  const signal = context.stopSignal();
  let seen: Observation<Row> | null = null;
  let told = '';
  const tell = (text: string) => {
    if (text !== told) context.terminal.err(text);
    told = text;
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
    const stopped = await clock.sleep(LOOK_EVERY_MS, signal).then(
      () => false,
      () => true,
    );
    if (stopped) return { observation: seen, interrupted: true };
  }
}

const REPLACED = 'replaced: another transaction was mined with its nonce, and this one did nothing';

/** Progress of a transaction on the chain. Null while the chain shows nothing of it. */
export function traceObservation<Row>(trace: Trace, row: (status: string) => Row): Observation<Row> | null {
  if (trace.kind === 'absent' || trace.kind === 'unclear' || trace.kind === 'queued') return null;
  if (trace.kind === 'waiting') return { row: row('sent'), status: 'sent', end: null };
  if (trace.kind === 'replaced') return { row: row(REPLACED), status: REPLACED, end: 'failed' };
  if (trace.revert === null) return { row: row('success'), status: 'success', end: 'done' };
  const status = `reverted: ${trace.revert}`;
  if (trace.isDeep) return { row: row(status), status, end: 'failed' };
  return { row: row(status), status: `${status}, unless a reorganisation undoes it`, end: null };
}

export type ShownRow = Readonly<{
  status: string | null;
  orderId?: string | null;
  operationId?: string | null;
}>;

/** A transaction that the venue has answered. `lookMs`: how long to look while nobody shows it. */
type SentTransaction = Readonly<{
  txHash: string;
  /** Signer and nonce, where the wallet has sent it itself. */
  signed: AccountNonce | undefined;
  at: EpochMs;
  traceOf: Chain['trace'] | null;
  clock: Pick<Clock, 'now'>;
  lookMs: number;
}>;

type RowWatch<Row> = Readonly<{
  look: Look<Row>;
  /** Row for a transaction that has not been seen yet. */
  unseen: Row;
  /** True when the receipt of a configured node decides, not the venue. */
  byReceipt: boolean;
}>;

/**
 * Combines the views of venue and, where configured, chain. Ends as unknown when neither has shown the transaction in
 * time.
 */
export const traceWatch = <Row extends ShownRow>(seeing: RowWatch<Row>, sent: SentTransaction): Look<Row> =>
  seeing.byReceipt && sent.traceOf ? withReceipt(seeing, sent) : withReverts(seeing, sent);

/** Reports a transaction that did nothing with its cause, whether the venue shows it or not. */
function withReverts<Row extends ShownRow>(
  { look, unseen }: RowWatch<Row>,
  sent: SentTransaction,
): Look<Row> {
  return async () => {
    const observation = await look();
    if (observation?.end) return observation;
    const trace = await sent.traceOf?.(sent.txHash, sent.signed);
    if (isUnseen(observation) && isLost(trace, sent)) return lostObservation(unseen, sent);
    if (observation?.isWordUnknown && isOverdue(sent)) return unknownWordObservation(observation);
    // What the venue shows to have been mined cannot have been replaced.
    if (trace?.kind === 'replaced' && !isUnseen(observation)) return observation;
    const row = observation?.row ?? unseen;
    const traced = trace ? traceObservation(trace, (status) => ({ ...row, status })) : null;
    const didNothing = trace?.kind === 'replaced' || (trace?.kind === 'mined' && trace.revert !== null);
    if (didNothing) return traced;
    if (observation === null && trace?.kind === 'mined' && isOverdue(sent))
      return unshownObservation(unseen, sent);
    return (
      observation ?? (traced && { row, status: 'on the chain, but not shown by the venue yet', end: null })
    );
  };
}

function withReceipt<Row extends ShownRow>(
  { look, unseen }: RowWatch<Row>,
  sent: SentTransaction,
): Look<Row> {
  return async () => {
    const trace = await sent.traceOf?.(sent.txHash, sent.signed);
    const row = (await look())?.row ?? unseen;
    if (isLost(trace, sent)) return lostObservation(unseen, sent);
    return trace ? traceObservation(trace, (status) => ({ ...row, status })) : null;
  };
}

/** The venue links a transaction to the key before it has seen its effect, which gives it an id. */
const isUnseen = (observation: Observation<ShownRow> | null): boolean =>
  observation === null || observation.row.orderId === null || observation.row.operationId === null;

const isOverdue = ({ at, lookMs, clock }: SentTransaction): boolean => clock.now() >= at + lookMs;

const isLost = (trace: Trace | undefined, sent: SentTransaction): boolean =>
  (trace === undefined || traceObservation(trace, String) === null) && isOverdue(sent);

const lostObservation = <Row>(row: Row, { txHash, traceOf, lookMs }: SentTransaction): Observation<Row> => ({
  row,
  end: 'unknown',
  status:
    `${lookMs / 1000} s after the send the venue shows nothing of ${txHash}` +
    `${traceOf ? ', and the chain has no trace of it' : ''}: it may never have left`,
});

/** Ends a wait that would otherwise hold key and wallet for ever, because an unknown word is no end. */
const unknownWordObservation = <Row>({ row, status }: Observation<Row>): Observation<Row> => ({
  row,
  end: 'unknown',
  status:
    `the venue gives the status "${status}", which is not known here and so proves neither success nor failure ` +
    '(see docs/first-contact.md)',
});

const unshownObservation = <Row>(row: Row, { txHash, lookMs }: SentTransaction): Observation<Row> => ({
  row,
  end: 'unknown',
  status: `${txHash} was mined, and ${lookMs / 1000} s after the send the venue does not show what it did`,
});

/** True when a row was made before the send that it is shown for; a missing time is 0. */
export const isFromBefore = (madeAt: EpochMs, sentAt: EpochMs): boolean =>
  madeAt > 0 && madeAt < toMs(toSeconds(sentAt)) - STAMP_SLACK_MS;

/** End of a look where the venue returned the transaction of something else. */
export const otherObservation = <Row>(row: Row, what: string): Observation<Row> => ({
  row,
  end: 'unknown',
  status: `the venue returned the transaction of something else, ${what}. What became of this one is unknown`,
});

/** A transaction that only the chain is asked about. */
type OnChain = Readonly<{
  txHash: string;
  /** Signer and nonce, where known; else they are learned from a node that shows the transaction waiting. */
  signed?: AccountNonce;
  traceOf: Chain['trace'];
  clock: Pick<Clock, 'now'>;
  /** Milliseconds without any trace of it after which it counts as unknown. */
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

/** Milliseconds after its deadline for which a transaction without a trace is still searched. */
const LATE_MS = 60_000;

/** Milliseconds for which a command by hand searches for a transaction without a trace. */
export const lookMsOf = ({ loaded }: Pick<Account, 'loaded'>): number =>
  loaded.config.orders.deadlineSeconds * 1000 + LATE_MS;
