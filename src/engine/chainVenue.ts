import { epochMs, toSeconds, type EpochMs } from '../core/brand.ts';
import type { Address } from '../domain/instrument.ts';
import type { OrderReport, Venue } from '../domain/venue.ts';
import type { Chain } from '../wallet/chain.ts';
import type { AccountNonce } from '../wallet/replacements.ts';

/** The chain, as far as a venue asks it. */
export type Traces = Pick<Chain, 'trace'>;

/** The wallet that sends by itself. Absent where only the venue sends. */
export type Signer = Readonly<{ address: Address }>;

/**
 * A venue beside which the chain itself can be read: it tells why an order reverted, and that there is no trace of one.
 * The venue's report goes first, as long as it shows an order and not only a link to the key. A revert counts once its
 * block is deep, or when the venue says so too.
 */
export const withChain = (venue: Venue, chain: Traces, signer?: Signer): Venue => ({
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
  async absence(txHash, nonce) {
    const trace = await chain.trace(txHash, ownNonce(signer, nonce));
    if (trace.kind === 'mined' || trace.kind === 'waiting') return null;
    return { at: trace.at, isReplaced: trace.kind === 'replaced' };
  },
});

/** Undefined for a transaction of the venue's: it may send the same again with another fee, so that its nonce proves nothing. */
export const ownNonce = (signer: Signer | undefined, nonce: number | undefined): AccountNonce | undefined =>
  signer === undefined || nonce === undefined ? undefined : { from: signer.address, nonce };

const reverted = (txHash: string, { at, cause }: Readonly<{ at: EpochMs; cause: string }>): OrderReport => ({
  ...{ txHash, orderId: null, status: 'reverted', rawStatus: cause, cause },
  createdAt: epochMs(toSeconds(at) * 1000),
  ...{ terms: null, locked: null, settlement: null },
});
