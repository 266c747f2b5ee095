import { bytesToHex, hexToBytes, keccak256 } from 'viem/utils';
import type { Hex, Signed, Transaction } from '../state/state.ts';
import { type Log, logsOf } from './logs.ts';
import type { EpochMs } from '../../core/brand.ts';
import { hashHex } from '../../core/random.ts';
import { baseFeeAt } from '../chain/blocks.ts';
import { BASE_FEE, BLOCK_GAS_LIMIT, priceOf, TIP } from '../chain/gas.ts';
import { faceOf } from '../state/nodeFace.ts';
import { CHAIN_ID, desk } from '../state/constants.ts';
import type { World } from '../state/world.ts';
import { blockHashOf, instantOf, numberAt, quantity } from './blocks.ts';

const BYTES = 256;

/** The filter of a block's or a receipt's logs: three bits for every address and topic (yellow paper, 4.3.1). */
function bloomOf(logs: readonly Log[]): Hex {
  const bits = new Uint8Array(BYTES);
  for (const { address, topics } of logs)
    for (const item of [address as Hex, ...topics]) {
      const hash = hexToBytes(keccak256(item));
      for (const at of [0, 2, 4]) {
        const bit = (((hash[at] ?? 0) << 8) | (hash[at + 1] ?? 0)) % (BYTES * 8);
        const byte = BYTES - 1 - (bit >> 3);
        bits[byte] = (bits[byte] ?? 0) | (1 << (bit & 7));
      }
    }
  return bytesToHex(bits);
}

const ZEROS: Hex = `0x${'0'.repeat(64)}`;
/** Of a block without uncles. */
const NO_UNCLES = '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347';

/** What the venue's own wallets have signed: nobody looks. */
const UNSIGNED: Signed = {
  type: 'eip1559',
  maxFeePerGas: BASE_FEE + TIP,
  maxPriorityFeePerGas: TIP,
  r: ZEROS,
  s: ZEROS,
  yParity: 0,
};

const TYPES = { legacy: '0x0', eip1559: '0x2' } as const;

const blockOf = ({ blocks }: World, { minedAt }: Transaction): readonly Transaction[] =>
  (minedAt !== null && blocks.get(minedAt)) || [];

/** Where in the chain a transaction is; nowhere while it waits. */
function positionOf(world: World, transaction: Transaction) {
  if (transaction.minedAt === null) return { blockNumber: null, blockHash: null, transactionIndex: null };
  const number = numberAt(world, transaction.minedAt);
  return {
    blockNumber: quantity(number),
    blockHash: blockHashOf(world, number),
    transactionIndex: quantity(blockOf(world, transaction).indexOf(transaction)),
  };
}

function feesOf({ type, maxFeePerGas, maxPriorityFeePerGas, r, s, yParity }: Signed, baseFee: bigint) {
  const common = {
    type: TYPES[type],
    chainId: quantity(CHAIN_ID),
    r: quantity(BigInt(r)),
    s: quantity(BigInt(s)),
  };
  if (type === 'legacy')
    return { ...common, gasPrice: quantity(maxFeePerGas), v: quantity(CHAIN_ID * 2 + 35 + yParity) };
  return {
    ...common,
    v: quantity(yParity),
    yParity: quantity(yParity),
    accessList: [],
    gasPrice: quantity(priceOf({ maxFeePerGas, maxPriorityFeePerGas }, baseFee)),
    maxFeePerGas: quantity(maxFeePerGas),
    maxPriorityFeePerGas: quantity(maxPriorityFeePerGas),
  };
}

const transactionView = (world: World, transaction: Transaction) => ({
  hash: transaction.hash,
  ...positionOf(world, transaction),
  from: transaction.from.toLowerCase(),
  to: transaction.to.toLowerCase(),
  nonce: quantity(transaction.nonce),
  input: transaction.data,
  value: quantity(transaction.value),
  gas: quantity(transaction.gas),
  ...feesOf(transaction.signed ?? UNSIGNED, baseFeeAt(world.state, transaction.minedAt ?? world.state.now)),
});

/** The false receipt that the node shows of a mined transaction at `now`, if any. */
const lieOf = ({ lie, receipt }: Transaction, now: EpochMs): Transaction['lie'] | null =>
  lie && receipt && (lie.until === null || now < lie.until) ? lie : null;

/** The transaction as the node shows it; null where it denies that it has it, or does not show what waits. */
export function shownTransaction(world: World, transaction: Transaction, now: EpochMs) {
  const isHidden = transaction.minedAt === null && !faceOf(world.state).showsWaiting;
  return isHidden || lieOf(transaction, now)?.how === 'missing' ? null : transactionView(world, transaction);
}

/** The receipt as the node shows it; null where there is none, or it denies that it has it. */
export function shownReceipt(world: World, transaction: Transaction, now: EpochMs) {
  const view = receiptView(world, transaction);
  const lie = lieOf(transaction, now);
  if (!view || !lie || view.blockNumber === null) return view;
  if (lie.how === 'missing') return null;
  const number = Math.max(Number(view.blockNumber) - lie.depth, 0);
  const block = { blockNumber: quantity(number), blockHash: blockHashOf(world, number) };
  return { ...view, ...block, status: '0x0', logs: [], logsBloom: bloomOf([]) };
}

/** Null while the transaction waits. */
function receiptView(world: World, transaction: Transaction) {
  const { receipt, hash, from, to, signed, minedAt } = transaction;
  if (!receipt || minedAt === null) return null;
  const block = blockOf(world, transaction);
  const upTo = block.slice(0, block.indexOf(transaction) + 1);
  const logs = logsOf(world, block).filter(({ transactionHash }) => transactionHash === hash);
  return {
    transactionHash: hash,
    ...positionOf(world, transaction),
    from: from.toLowerCase(),
    to: to.toLowerCase(),
    contractAddress: null,
    status: receipt.revert === null ? '0x1' : '0x0',
    type: TYPES[(signed ?? UNSIGNED).type],
    gasUsed: quantity(receipt.gasUsed),
    cumulativeGasUsed: quantity(gasUsedBy(upTo)),
    effectiveGasPrice: quantity(priceOf(signed ?? UNSIGNED, baseFeeAt(world.state, minedAt))),
    logs,
    logsBloom: bloomOf(logs),
  };
}

export const gasUsedBy = (transactions: readonly Transaction[]): number =>
  transactions.reduce((sum, { receipt }) => sum + (receipt?.gasUsed ?? 0), 0);

/** `full` gives the transactions instead of their hashes. Roots are of no tree: they tell one block from another. */
export function blockView(world: World, number: number, full: boolean) {
  const at = instantOf(world, number);
  const block = world.blocks.get(at) ?? [];
  const root = (what: string) => hashHex(`${what} ${blockHashOf(world, number)}`);
  return {
    number: quantity(number),
    hash: blockHashOf(world, number),
    parentHash: number === 0 ? ZEROS : blockHashOf(world, number - 1),
    timestamp: quantity(at / 1000),
    transactions: block.map((each) => (full ? transactionView(world, each) : each.hash)),
    gasUsed: quantity(gasUsedBy(block)),
    gasLimit: quantity(BLOCK_GAS_LIMIT),
    baseFeePerGas: quantity(baseFeeAt(world.state, at)),
    logsBloom: bloomOf(logsOf(world, block)),
    stateRoot: root('state'),
    transactionsRoot: root('transactions'),
    receiptsRoot: root('receipts'),
    miner: desk.toLowerCase(),
    nonce: '0x0000000000000000',
    mixHash: ZEROS,
    extraData: '0x',
    difficulty: '0x0',
    totalDifficulty: '0x0',
    size: '0x400',
    sha3Uncles: NO_UNCLES,
    uncles: [],
  };
}
