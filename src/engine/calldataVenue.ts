import type { OrderTransactions } from '../api/orderTransactions.ts';
import type { Log } from '../core/log.ts';
import type { Address } from '../domain/instrument.ts';
import type { SendOutcome, Venue } from '../domain/venue.ts';
import { checkCalldata } from '../wallet/checkCalldata.ts';
import type { RouterCodec } from '../wallet/routerAbi.ts';
import { cancelCall, orderCall } from '../wallet/routerCall.ts';
import type { Sender } from '../wallet/sender.ts';
import { withChain, type Traces } from './chainVenue.ts';
import { Links } from './links.ts';

export type CalldataVenueParts = Readonly<{
  /** Reads. Its own sends are not used. */
  venue: Venue;
  transactions: OrderTransactions;
  sender: Pick<Sender, 'send' | 'address'>;
  chain: Traces;
  chainId: number;
  /** The one contract that is called. */
  router: Address;
  /** Codec of a router whose functions are not the standard ones. */
  codec?: RouterCodec;
  log: Log;
}>;

/**
 * A venue to which the wallet sends its orders by itself. The venue writes the calldata; it is signed only when it is,
 * byte for byte, the call that is meant. Then the transaction is linked to the key, so that the order shows in the lists:
 * a link that fails leaves the order where it is, and is made again when the order is looked for.
 *
 * An order whose answer was lost, or that a run before this one has left behind, is looked for by its hash. Its bytes
 * stay in the journal and are not sent again.
 */
export function createCalldataVenue(parts: CalldataVenueParts): Venue {
  const { transactions, sender, chain, chainId, router, codec, log } = parts;
  const venue = withChain(parts.venue, chain, sender);

  const links = new Links(log);
  const link = (txHash: string) => links.make(txHash, () => transactions.record(txHash));

  return {
    ...venue,
    delegation: () => Promise.resolve({ enabled: true, status: 'the wallet sends by itself' }),
    async place(terms, gate): Promise<SendOutcome> {
      const outcome = await sender.send({
        gate,
        callFor: async (deadline) =>
          checkCalldata(await transactions.place(terms, deadline), {
            chainId,
            router,
            codec,
            call: orderCall(terms, { deadline }),
          }),
      });
      if (outcome.kind === 'accepted') await link(outcome.txHash);
      return outcome;
    },
    cancel: (orderId, gate) =>
      sender.send({
        gate,
        callFor: async (deadline) =>
          checkCalldata(await transactions.cancel(orderId, deadline), {
            chainId,
            router,
            codec,
            call: cancelCall(orderId, { deadline }),
          }),
      }),
    async orderByTx(txHash) {
      const report = await venue.orderByTx(txHash);
      if (report === null && (await chain.trace(txHash)).kind !== 'absent') await link(txHash);
      return report;
    },
  };
}
