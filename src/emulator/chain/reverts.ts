import { encodeErrorResult, parseAbi } from 'viem/utils';
import type { Hex } from './call.ts';
import type { Client } from './clientWords.ts';
import type { NodeFace } from './nodeFace.ts';
import { NodeRefusal, RPC_CODES } from './nodeRefusal.ts';

const errors = parseAbi(['error Error(string reason)', 'error TradeRejected(string cause)']);

/** The bytes that the contract reverts with. */
function dataOf(form: NodeFace['reverts'], cause: string): Hex {
  if (form === 'bare') return '0x';
  const errorName = form === 'custom' ? 'TradeRejected' : 'Error';
  return encodeErrorResult({ abi: errors, errorName, args: [cause] });
}

type Revert = Readonly<{ form: NodeFace['reverts']; cause: string; data: Hex }>;

/** A client's answer to a call that reverts. */
const ANSWERS: Partial<Record<Client, (revert: Revert) => NodeRefusal>> = {
  /** RpcErrorType.java: REVERT_ERROR */
  besu: ({ data }) => new NodeRefusal('Execution reverted', RPC_CODES.node, data),
  /** Nethermind.JsonRpc, up to 1.34: the bytes stand behind a word of its own */
  nethermind: ({ data }) => new NodeRefusal('VM execution error.', -32_015, `Reverted ${data}`),
  /** edr: crates/edr_solidity */
  hardhat: ({ form, cause, data }) => {
    const message = {
      text: `VM Exception while processing transaction: reverted with reason string '${cause}'`,
      custom: `VM Exception while processing transaction: reverted with an unrecognized custom error (return data: ${data})`,
      bare: 'Transaction reverted without a reason string',
    }[form];
    return new NodeRefusal(message, -32_603, { message, data });
  },
};

/** The answer of a node to a call that reverts, with the cause in its form. */
export function reverted({ client, reverts: form }: NodeFace, cause: string): NodeRefusal {
  const data = dataOf(form, cause);
  const own = ANSWERS[client];
  if (own) return own({ form, cause, data });
  const words = form === 'text' ? `execution reverted: ${cause}` : 'execution reverted';
  return new NodeRefusal(words, RPC_CODES.revert, data);
}
