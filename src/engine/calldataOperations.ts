import type { OperationTransactions } from '../api/operationTransactions.ts';
import { cash } from '../core/amount.ts';
import type { Log } from '../core/log.ts';
import type { Address } from '../domain/instrument.ts';
import type { MoveTerms, OperationPort, OperationTerms } from '../domain/operation.ts';
import { checkCalldata } from '../wallet/checkCalldata.ts';
import type { RouterCall, RouterCodec } from '../wallet/routerAbi.ts';
import * as calls from '../wallet/routerCall.ts';
import { nonceKeeping, sendByWallet, withTraces, type WalletSending } from './chainOperations.ts';
import { Links } from './links.ts';

export type CalldataOperationParts = WalletSending &
  Readonly<{
    /** Reads. Its own sends are not used. */
    port: OperationPort;
    transactions: OperationTransactions;
    /** The one contract that is called. */
    router: Address;
    /** Codec of a router whose functions are not the standard ones. */
    codec?: RouterCodec;
    log: Log;
  }>;

/**
 * Operations that the wallet sends by itself, as it does its orders: what the venue writes is signed only when it is, byte
 * for byte, the call that is meant, and its transaction is then linked to the key. A link that fails leaves the operation
 * where it is, and is made again when it is looked for.
 */
export function createCalldataOperations(parts: CalldataOperationParts): OperationPort {
  const { transactions, chainId, router, codec, log } = parts;
  const port = withTraces(parts.port, parts.chain, parts.sender);
  const links = new Links(log);

  async function link(terms: OperationTerms, txHash: string): Promise<void> {
    if (terms.kind !== 'approve') await links.make(txHash, () => transactions.record(terms, txHash));
  }

  return {
    ...port,
    ...nonceKeeping(parts),
    async operate(terms, gate) {
      if (terms.kind === 'approve') return port.operate(terms, gate);
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

/** The very call that is meant. How many places a cash token has is asked of the chain, not of who writes the calldata. */
async function callOf(terms: MoveTerms, { chain }: CalldataOperationParts): Promise<RouterCall> {
  const { token: address } = terms;
  switch (terms.kind) {
    case 'cashDeposit':
      return calls.depositCall({ address, decimals: await chain.decimals(address) }, terms.amount);
    case 'cashWithdrawal':
      return calls.withdrawCall({ address, decimals: await chain.decimals(address) }, cash(terms.amount));
    case 'stockDeposit':
      return calls.depositStockCall(address, terms.amount);
    case 'stockWithdrawal':
      return calls.withdrawStockCall(address, terms.amount);
    case 'repay':
      return calls.repayCall(address, terms.amount);
  }
}
