import type { EpochMs } from '../../core/brand.ts';
import type { Clock } from '../../core/clock.ts';
import type { Chain } from '../../wallet/chain.ts';
import type { AccountNonce } from '../../wallet/replacements.ts';
import type { Account } from './account.ts';
import { sightOfTrace } from './trace.ts';
import type { Look } from './watch.ts';

/** A transaction that the chain alone is asked about. */
type OnChain = Readonly<{
  txHash: string;
  /** Signer and nonce, where known; else they are learned from a node that shows the transaction waiting. */
  signed?: AccountNonce;
  traceOf: Chain['trace'];
  clock: Pick<Clock, 'now'>;
  /** Milliseconds without any trace of it after which it counts as unknown. */
  lookMs: number;
}>;

/** Looks at the chain alone. Ends as unknown once the chain has had no trace of the transaction for `lookMs`. */
export function lookOnChain<Row>(row: (status: string) => Row, sent: OnChain): Look<Row> {
  const { txHash, traceOf, clock, lookMs } = sent;
  let { signed } = sent;
  let absentSince: EpochMs | null = null;
  return async () => {
    const trace = await traceOf(txHash, signed);
    if (trace.kind === 'waiting') ({ signed } = trace);
    absentSince = trace.kind === 'absent' ? (absentSince ?? clock.now()) : null;
    if (absentSince === null || clock.now() < absentSince + lookMs) return sightOfTrace(trace, row);
    return { row: row('unknown'), status: statusOfLost(txHash, lookMs), end: 'unknown' };
  };
}

const statusOfLost = (txHash: string, lookMs: number): string =>
  `for ${lookMs / 1000} s the chain has shown no trace of ${txHash}: it waits unseen, was dropped, or has never arrived. It may still be ` +
  'mined while no other transaction of its wallet has used its nonce';

/** Milliseconds after its deadline during which a transaction without a trace is still looked for. */
const LATE_MS = 60_000;

/** Milliseconds for which a command by hand looks for a transaction without a trace. */
export const lookMsOf = ({ loaded }: Pick<Account, 'loaded'>): number =>
  loaded.config.orders.deadlineSeconds * 1000 + LATE_MS;
