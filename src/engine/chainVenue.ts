import { epochMs, toSeconds, type EpochMs } from '../core/brand.ts';
import type { OrderReport, Venue } from '../domain/venue.ts';
import type { Chain } from '../wallet/chain.ts';

/** The chain, as far as a venue asks it. */
export type Traces = Pick<Chain, 'trace'>;

/**
 * A venue beside which the chain itself can be read: it tells why an order reverted, and that there is no trace of one.
 * The venue's report goes first, as long as it shows an order and not only a link to the key. A revert counts once its
 * block is deep, or when the venue says so too.
 */
export const withChain = (venue: Venue, chain: Traces): Venue => ({
  ...venue,
  async orderByTx(txHash) {
    const report = await venue.orderByTx(txHash);
    const isRevertedThere = report?.status === 'reverted';
    if (report !== null && report.status !== 'pending' && !isRevertedThere) return report;
    const trace = await chain.trace(txHash);
    if (trace.kind !== 'mined' || trace.revert === null) return report;
    if (!trace.isDeep && !isRevertedThere) return report;
    return reverted(txHash, { at: trace.at, cause: trace.revert });
  },
  async absentAt(txHash) {
    const trace = await chain.trace(txHash);
    return trace.kind === 'absent' ? trace.at : null;
  },
});

const reverted = (txHash: string, { at, cause }: Readonly<{ at: EpochMs; cause: string }>): OrderReport => ({
  ...{ txHash, orderId: null, status: 'reverted', rawStatus: cause, cause },
  createdAt: epochMs(toSeconds(at) * 1000),
  ...{ terms: null, locked: null, settlement: null },
});
