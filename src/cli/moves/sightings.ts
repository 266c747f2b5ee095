import { toMs, toSeconds, type EpochMs } from '../../core/brand.ts';
import type { Clock } from '../../core/clock.ts';
import { STAMP_SLACK_MS } from '../../domain/attribution.ts';
import type { AccountNonce } from '../../wallet/replacements.ts';
import type { Trace } from '../../wallet/traces.ts';
import type { Sending } from './sending.ts';
import { sightOfTrace } from './trace.ts';
import type { Look, Sight } from './watch.ts';

export type Told = Readonly<{
  status: string | null;
  orderId?: string | null;
  operationId?: string | null;
}>;

/** A transaction that the venue has answered. `lookMs`: how long it is looked for while nobody shows it. */
export type Sent = Readonly<{
  txHash: string;
  /** Signer and nonce, where the wallet has sent it itself. */
  signed: AccountNonce | undefined;
  at: EpochMs;
  traceOf: Sending['traceOf'];
  clock: Pick<Clock, 'now'>;
  lookMs: number;
}>;

type Seeing<Row> = Readonly<{
  look: Look<Row>;
  /** What is told of a transaction of which nothing has been seen yet. */
  unseen: Row;
  /** Whether the receipt decides where a node is named, and not what the venue shows. */
  byReceipt: boolean;
}>;

/** What the venue shows of a transaction, and the chain where it can be asked. Ends as unknown where neither has shown it in time. */
export const sightings = <Row extends Told>(seeing: Seeing<Row>, sent: Sent): Look<Row> =>
  seeing.byReceipt && sent.traceOf ? withReceipt(seeing, sent) : withReverts(seeing, sent);

/** A transaction that did nothing is told with its cause, whether the venue shows it or not. */
function withReverts<Row extends Told>({ look, unseen }: Seeing<Row>, sent: Sent): Look<Row> {
  return async () => {
    const sight = await look();
    if (sight?.end) return sight;
    const trace = await sent.traceOf?.(sent.txHash, sent.signed);
    if (isUnseen(sight) && isLost(trace, sent)) return sightOfLost(unseen, sent);
    if (sight?.isWordUnknown && isOverdue(sent)) return sightOfUnknownWord(sight);
    // What the venue shows to have been mined cannot have been replaced.
    if (trace?.kind === 'replaced' && !isUnseen(sight)) return sight;
    const row = sight?.row ?? unseen;
    const traced = trace ? sightOfTrace(trace, (status) => ({ ...row, status })) : null;
    const didNothing = trace?.kind === 'replaced' || (trace?.kind === 'mined' && trace.revert !== null);
    if (didNothing) return traced;
    if (sight === null && trace?.kind === 'mined' && isOverdue(sent)) return sightOfUnshown(unseen, sent);
    return sight ?? (traced && { row, status: 'known to the chain, and not to the venue yet', end: null });
  };
}

function withReceipt<Row extends Told>({ look, unseen }: Seeing<Row>, sent: Sent): Look<Row> {
  return async () => {
    const trace = await sent.traceOf?.(sent.txHash, sent.signed);
    const row = (await look())?.row ?? unseen;
    if (isLost(trace, sent)) return sightOfLost(unseen, sent);
    return trace ? sightOfTrace(trace, (status) => ({ ...row, status })) : null;
  };
}

/** The venue links a transaction to the key before it has seen what it did, which gives it an id. */
const isUnseen = (sight: Sight<Told> | null): boolean =>
  sight === null || sight.row.orderId === null || sight.row.operationId === null;

const isOverdue = ({ at, lookMs, clock }: Sent): boolean => clock.now() >= at + lookMs;

const isLost = (trace: Trace | undefined, sent: Sent): boolean =>
  (trace === undefined || trace.kind === 'absent') && isOverdue(sent);

const sightOfLost = <Row>(row: Row, { txHash, traceOf, lookMs }: Sent): Sight<Row> => ({
  row,
  end: 'unknown',
  status:
    `${lookMs / 1000} s after the send the venue shows nothing that ${txHash} did` +
    `${traceOf ? ', and the chain has no trace of it' : ''}: it may never have left`,
});

/** Ends a wait that otherwise would hold key and wallet for ever: a word that is not known is no end. */
const sightOfUnknownWord = <Row>({ row, status }: Sight<Row>): Sight<Row> => ({
  row,
  end: 'unknown',
  status:
    `the venue says "${status}" of it, a word that is not known here, so it proves neither that it was done nor that it failed ` +
    '(docs/first-contact.md says what that means)',
});

const sightOfUnshown = <Row>(row: Row, { txHash, lookMs }: Sent): Sight<Row> => ({
  row,
  end: 'unknown',
  status: `${txHash} was mined, and ${lookMs / 1000} s after the send the venue does not show what it did`,
});

/** Whether a row was made before the send that it is shown for; untold is 0. */
export const isFromBefore = (madeAt: EpochMs, sentAt: EpochMs): boolean =>
  madeAt > 0 && madeAt < toMs(toSeconds(sentAt)) - STAMP_SLACK_MS;

/** The end of looking for what was sent where the venue has named the transaction of something else. */
export const sightOfOther = <Row>(row: Row, what: string): Sight<Row> => ({
  row,
  end: 'unknown',
  status: `the venue has named a transaction that is another's, ${what}. What became of this one is not known`,
});
