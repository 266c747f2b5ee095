import { keccak256, parseTransaction, recoverAddress, serializeTransaction } from 'viem/utils';
import type { Address } from '../../domain/instrument.ts';
import type { RawTransaction } from '../chain/acceptance.ts';
import type { Hex } from '../state/calls.ts';
import type { Fees } from '../chain/gas.ts';
import { NodeRefusal } from '../state/nodeFace.ts';

/** Half the order of the curve: a signature with a greater `s` has a valid twin and is refused (EIP-2). */
const HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

const INVALID_SIGNATURE = 'invalid transaction v, r, s values';

/** Decodes a signed transaction and recovers its signer. @throws {NodeRefusal} */
export async function recoverTransaction(raw: Hex): Promise<RawTransaction> {
  const { r = '0x', s = '0x', yParity = 0, ...unsigned } = parse(raw);
  const { type, chainId, to, nonce = 0, data = '0x', value = 0n, gas = 0n } = unsigned;
  if (type !== 'legacy' && type !== 'eip1559') throw new NodeRefusal('transaction type not supported');
  if (chainId === undefined)
    throw new NodeRefusal('only replay-protected (EIP-155) transactions allowed over RPC');
  if (!to) throw new NodeRefusal('contracts cannot be created on this chain');
  if (s === '0x' || BigInt(s) > HALF_ORDER) throw new NodeRefusal(INVALID_SIGNATURE);
  const digest = keccak256(serializeTransaction(unsigned));
  return {
    hash: keccak256(raw),
    from: await signerOf(digest, { r, s, yParity }),
    to,
    nonce,
    data,
    value,
    gas,
    chainId,
    signed: { type, ...feesOf(unsigned), r, s, yParity },
  };
}

function parse(raw: Hex) {
  try {
    return parseTransaction(raw);
  } catch {
    throw new NodeRefusal('rlp: not a transaction');
  }
}

/** Fees of a transaction; the price of a legacy one is both. */
function feesOf(unsigned: ReturnType<typeof parse>): Fees {
  if (unsigned.type === 'legacy') {
    const { gasPrice = 0n } = unsigned;
    return { maxFeePerGas: gasPrice, maxPriorityFeePerGas: gasPrice };
  }
  const { maxFeePerGas = 0n, maxPriorityFeePerGas = 0n } = unsigned;
  return { maxFeePerGas, maxPriorityFeePerGas };
}

type Signature = Readonly<{ r: Hex; s: Hex; yParity: number }>;

async function signerOf(hash: Hex, signature: Signature): Promise<Address> {
  try {
    return await recoverAddress({ hash, signature });
  } catch {
    throw new NodeRefusal(INVALID_SIGNATURE);
  }
}
