import { transferCall, type RouterCall, type RouterCodec } from '../wallet/routerAbi.ts';
import { toTokenUnits } from '../core/amount.ts';
import type { EpochSeconds } from '../core/brand.ts';
import { VenueRefusedError } from '../core/errors.ts';
import { sameAddress, type Address } from '../domain/instrument.ts';
import type {
  ApprovalTerms,
  TransferGate,
  TransferPort,
  MoveTerms,
  TransferTerms,
} from '../domain/transfers/transfer.ts';
import type { SendOutcome, Venue } from '../domain/venue.ts';
import { approvalCall } from '../wallet/ownTransactions.ts';
import { requirePlaces, type Chain } from '../wallet/chain.ts';
import type { Sender, SendRequest } from '../wallet/sender.ts';
import { ownNonce, type OnUnlinked, type Signer, type Traces, Links } from './ownOrders.ts';
import type { OperationTransactions } from '../api/transactions.ts';
import { checkCalldata } from '../wallet/checkCalldata.ts';

/** Transfers with a view of the chain, which shows why one reverted and proves that it was not mined. */
export const withTraces = (port: TransferPort, chain: Traces, signer?: Signer): TransferPort => ({
  ...port,
  async trace(_terms, txHash, nonce) {
    const trace = await chain.trace(txHash, ownNonce(signer, nonce));
    if (trace.kind === 'queued') return { kind: 'waiting' };
    if (trace.kind !== 'mined') return { kind: trace.kind };
    return trace.revert === null || trace.isDeep
      ? { kind: 'mined', revert: trace.revert }
      : { kind: 'waiting' };
  },
});

export type WalletSending = Readonly<{
  sender: Pick<Sender, 'send' | 'address' | 'offerAgain' | 'giveUp'>;
  chain: Pick<Chain, 'trace' | 'decimals'>;
  chainId: number;
  /** Time until which the bytes may be sent to the node; a transfer itself has no deadline. */
  deadline: () => EpochSeconds;
}>;

type ApprovalParts = Omit<WalletSending, 'sender' | 'chain'> &
  Readonly<{
    sender: Pick<Sender, 'send'>;
    chain: Pick<Chain, 'decimals'>;
    spender: Address;
    /** Second source of decimals besides the node, which alone would otherwise decide how much is approved. */
    venue: Pick<Venue, 'terms'>;
  }>;

/** Transfers whose approvals are sent by the wallet itself, however the rest is sent. */
export const withApprovals = (port: TransferPort, parts: WalletSending & ApprovalParts): TransferPort => ({
  ...port,
  ...nonceKeeping(parts),
  submit: (terms, gate) =>
    terms.kind === 'approve' ? sendApproval(terms, gate, parts) : port.submit(terms, gate),
});

/** Resubmits transactions of the wallet, or reuses their nonces for the next ones. */
const nonceKeeping = ({
  sender,
}: Pick<WalletSending, 'sender'>): Required<Pick<TransferPort, 'offerAgain' | 'giveUp'>> => ({
  offerAgain: (txHash) => sender.offerAgain(txHash),
  giveUp: (txHash) => sender.giveUp(txHash),
});

/** Sends an approval from the wallet. Refuses one for a contract other than the config's. */
export const sendApproval = (
  terms: Pick<ApprovalTerms, 'token' | 'spender' | 'amount'>,
  gate: TransferGate,
  parts: ApprovalParts,
): Promise<SendOutcome> =>
  sendByWallet(parts, gate, async () => {
    const { token, spender, amount } = terms;
    if (!sameAddress(spender, parts.spender))
      throw new VenueRefusedError(`it is meant for ${spender}, and the config names ${parts.spender}`);
    const units = toTokenUnits(amount, await agreedDecimals(token, parts));
    return approvalCall({ chainId: parts.chainId, token, spender, amount: units });
  });

/** Decimals of a token on which the venue and the token itself, by the node, agree. @throws what `requirePlaces` does */
async function agreedDecimals(
  address: Address,
  { chain, venue }: Pick<ApprovalParts, 'chain' | 'venue'>,
): Promise<number> {
  const terms = await venue.terms?.();
  const listed = terms?.cashTokens.find((token) => sameAddress(token.address, address));
  return requirePlaces({ address, decimals: listed?.decimals ?? null }, chain);
}

/** Sends a call through the gate of a transfer. Never throws for faults of the venue, the node or the network. */
const sendByWallet = (
  { sender, deadline }: Readonly<{ sender: Pick<Sender, 'send'> }> & Pick<WalletSending, 'deadline'>,
  gate: TransferGate,
  callFor: SendRequest['callFor'],
): Promise<SendOutcome> =>
  sender.send({
    callFor,
    gate: {
      open(prepared) {
        const permit = gate.open();
        return 'stop' in permit ? permit : { deadline: prepared ?? deadline() };
      },
      commit: (request) => gate.commit(request),
    },
  });

type CalldataOperationParts = WalletSending &
  Readonly<{
    /** Port for reads. Its own send methods are not used. */
    port: TransferPort;
    transactions: OperationTransactions;
    /** The only contract that is called. */
    router: Address;
    /** Codec of a router with non-standard functions. */
    codec?: RouterCodec;
    onUnlinked: OnUnlinked;
  }>;

/**
 * Transfers that the wallet sends itself, like its orders: the venue's calldata is signed only if it is, byte for byte, the intended
 * call, and the transaction is then linked to the key. A failed link does not affect the transfer, and is retried when it is looked
 * up.
 */
export function createCalldataOperations(parts: CalldataOperationParts): TransferPort {
  const { transactions, chainId, router, codec, onUnlinked } = parts;
  const port = withTraces(parts.port, parts.chain, parts.sender);
  const links = new Links(onUnlinked);

  async function link(terms: TransferTerms, txHash: string): Promise<void> {
    if (terms.kind !== 'approve') await links.make(txHash, () => transactions.record(terms, txHash));
  }

  return {
    ...port,
    ...nonceKeeping(parts),
    async submit(terms, gate) {
      if (terms.kind === 'approve') return port.submit(terms, gate);
      const outcome = await sendByWallet(parts, gate, async () =>
        checkCalldata(await transactions.write(terms), {
          chainId,
          router,
          codec,
          call: await callOf(terms, parts),
        }),
      );
      if (outcome.kind === 'accepted') await link(terms, outcome.txHash);
      return outcome;
    },
    async trace(terms, txHash, nonce) {
      const trace = await port.trace?.(terms, txHash, nonce);
      if (trace?.kind === 'mined' || trace?.kind === 'waiting') await link(terms, txHash);
      return trace ?? { kind: 'absent' };
    },
  };
}

/** The expected call. The decimals of a cash token are read from the chain, not taken from the calldata's author. */
async function callOf(terms: MoveTerms, { chain }: CalldataOperationParts): Promise<RouterCall> {
  return transferCall(terms, terms.kind === 'cashDeposit' ? await chain.decimals(terms.token) : undefined);
}
