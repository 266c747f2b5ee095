import { epochMs, toSeconds, type EpochMs } from '../core/brand.ts';
import type { Address } from '../domain/instrument.ts';
import type { FundedTerms, OrderReport, Venue, SendOutcome } from '../domain/venue.ts';
import type { Chain } from '../wallet/chain.ts';
import { atVenueFault, messageOf } from '../core/errors.ts';
import type { OrderTransactions } from '../api/transactions.ts';
import { checkCalldata } from '../wallet/checkCalldata.ts';
import { type RouterCodec, cancelCall, orderCall } from '../wallet/routerAbi.ts';
import type { Sender } from '../wallet/sender.ts';
import type { AccountNonce } from '../wallet/replacements.ts';

/** Access to traces of transactions on the chain. */
export type Traces = Pick<Chain, 'trace'>;

/** Wallet that sends its own transactions. Absent if only the venue sends. */
export type Signer = Readonly<{ address: Address }>;

/**
 * Venue with a view of the chain, which shows why an order reverted and proves that it was not mined. The venue's report takes
 * precedence if it shows an order and not only a link to the key. A revert counts once its block is deep, or when the venue
 * reports it too.
 */
export const withChain = (
  venue: Venue,
  chain: Traces & Pick<Chain, 'multipliers'>,
  signer?: Signer,
): Venue => ({
  ...venue,
  tokenMultipliers: (token) => chain.multipliers(token),
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
    if (trace.kind === 'unclear') return undefined;
    if (trace.kind !== 'absent' && trace.kind !== 'replaced') return null;
    return { at: trace.at, isReplaced: trace.kind === 'replaced' };
  },
});

/**
 * Signer and nonce of the wallet's own transaction. Undefined for one sent by the venue, whose nonce proves nothing: it
 * may be resent with another fee.
 */
export const ownNonce = (signer: Signer | undefined, nonce: number | undefined): AccountNonce | undefined =>
  signer === undefined || nonce === undefined ? undefined : { from: signer.address, nonce };

const reverted = (txHash: string, { at, cause }: Readonly<{ at: EpochMs; cause: string }>): OrderReport => ({
  txHash,
  orderId: null,
  status: 'reverted',
  rawStatus: cause,
  cause,
  createdAt: epochMs(toSeconds(at) * 1000),
  terms: null,
  locked: null,
  settlement: null,
});

/** Receives a transaction that could not be linked to the key, and the reason: the venue's lists do not show it yet. */
export type OnUnlinked = (txHash: string, why: string) => void;

/** Links the wallet's own transactions to the key, each once. A failed link is retried at the next request. */
export class Links {
  readonly #onUnlinked: OnUnlinked;
  readonly #linked = new Set<string>();

  constructor(onUnlinked: OnUnlinked) {
    this.#onUnlinked = onUnlinked;
  }

  async make(txHash: string, record: () => Promise<unknown>): Promise<void> {
    if (this.#linked.has(txHash)) return;
    await record().then(
      () => this.#linked.add(txHash),
      atVenueFault((error) => this.#onUnlinked(txHash, messageOf(error))),
    );
  }
}

/** Decimals of the cash token that an order deposits, read from the chain, not taken from the calldata's author. */
async function depositDecimals(
  { funding }: FundedTerms,
  chain: Pick<Chain, 'decimals'>,
): Promise<{ decimals?: number }> {
  const token = funding?.kind === 'deposit' ? funding.token : null;
  return token === null ? {} : { decimals: await chain.decimals(token) };
}

type CalldataVenueParts = Readonly<{
  /** Venue for reads. Its own send methods are not used. */
  venue: Venue;
  transactions: OrderTransactions;
  sender: Pick<Sender, 'send' | 'address'>;
  chain: Pick<Chain, 'trace' | 'multipliers' | 'decimals'>;
  chainId: number;
  /** The only contract that is called. */
  router: Address;
  /** Codec of a router with non-standard functions. */
  codec?: RouterCodec;
  onUnlinked: OnUnlinked;
}>;

/**
 * Venue where the wallet sends its orders itself. The venue writes the calldata; it is signed only if it is, byte for byte, the
 * intended call. Then the transaction is linked to the key, so that the order appears in the lists: a failed link does not affect
 * the order, and is retried when the order is looked up.  An order whose response was lost, or that an earlier run left behind, is
 * looked up by its hash. Its bytes stay in the journal and are not sent again.
 */
export function createCalldataVenue(parts: CalldataVenueParts): Venue {
  const { transactions, sender, chain, chainId, router, codec, onUnlinked } = parts;
  const venue = withChain(parts.venue, chain, sender);
  const target = { chainId, router, codec };

  const links = new Links(onUnlinked);
  const link = (txHash: string) => links.make(txHash, () => transactions.record(txHash));

  return {
    ...venue,
    delegation: () => Promise.resolve({ enabled: true, status: 'the wallet sends by itself' }),
    async place(terms, gate): Promise<SendOutcome> {
      const outcome = await sender.send({
        gate,
        reduces: terms.side === 'sell',
        callFor: async (deadline) => {
          const call = orderCall(terms, { deadline, ...(await depositDecimals(terms, chain)) });
          return checkCalldata(await transactions.place(terms, deadline), { ...target, call });
        },
      });
      if (outcome.kind === 'accepted') await link(outcome.txHash);
      return outcome;
    },
    cancel: (orderId, gate) =>
      sender.send({
        gate,
        reduces: true,
        callFor: async (deadline) => {
          const call = cancelCall(orderId, { deadline });
          return checkCalldata(await transactions.cancel(orderId, deadline), { ...target, call });
        },
      }),
    async orderByTx(txHash) {
      const report = await venue.orderByTx(txHash);
      if (report === null && (await chain.trace(txHash)).kind !== 'absent') await link(txHash);
      return report;
    },
  };
}
