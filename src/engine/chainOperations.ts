import { toTokenUnits } from '../core/amount.ts';
import type { EpochSeconds } from '../core/brand.ts';
import { VenueRefusedError } from '../core/errors.ts';
import { sameAddress, type Address } from '../domain/instrument.ts';
import type { ApprovalTerms, OperationGate, OperationPort } from '../domain/operation.ts';
import type { SendOutcome } from '../domain/venue.ts';
import { approvalCall } from '../wallet/approval.ts';
import type { Chain } from '../wallet/chain.ts';
import type { Sender, SendRequest } from '../wallet/sender.ts';
import { ownNonce, type Signer, type Traces } from './chainVenue.ts';

/** Operations beside which the chain itself can be read: it tells why one reverted, and that there is no trace of one. */
export const withTraces = (port: OperationPort, chain: Traces, signer?: Signer): OperationPort => ({
  ...port,
  async trace(_terms, txHash, nonce) {
    const trace = await chain.trace(txHash, ownNonce(signer, nonce));
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
  /** Until when the node may be asked to take the bytes; an operation itself has no end. */
  deadline: () => EpochSeconds;
}>;

export type ApprovalParts = WalletSending & Readonly<{ spender: Address }>;

/** Operations whose approvals the wallet sends by itself, whichever way the rest goes. */
export const withApprovals = (port: OperationPort, parts: ApprovalParts): OperationPort => ({
  ...port,
  ...nonceKeeping(parts),
  operate: (terms, gate) =>
    terms.kind === 'approve' ? approve(terms, gate, parts) : port.operate(terms, gate),
});

/** Offers transactions of the wallet again, or gives their nonces to the next ones. */
export const nonceKeeping = ({
  sender,
}: Pick<WalletSending, 'sender'>): Required<Pick<OperationPort, 'offerAgain' | 'giveUp'>> => ({
  offerAgain: (txHash) => sender.offerAgain(txHash),
  giveUp: (txHash) => sender.giveUp(txHash),
});

const approve = (terms: ApprovalTerms, gate: OperationGate, parts: ApprovalParts): Promise<SendOutcome> =>
  sendByWallet(parts, gate, async () => {
    const { token, spender, amount } = terms;
    if (!sameAddress(spender, parts.spender))
      throw new VenueRefusedError(`it is meant for ${spender}, and the config names ${parts.spender}`);
    const units = toTokenUnits(amount, await parts.chain.decimals(token));
    return approvalCall({ chainId: parts.chainId, token, spender, amount: units });
  });

/** Sends a call behind the gate of an operation. Never throws for what the venue, the node or the network does. */
export const sendByWallet = (
  { sender, deadline }: Readonly<{ sender: Pick<Sender, 'send'> }> & Pick<WalletSending, 'deadline'>,
  gate: OperationGate,
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
