import { encodeAbiParameters, encodeEventTopics, bytesToHex, hexToBytes, keccak256 } from 'viem/utils';
import type { Abi } from 'viem';
import { InvariantError } from '../../core/errors.ts';
import { eventAbi, type ChainEvent } from '../state/events.ts';
import type { Hex, Transaction, SignatureFields } from '../state/state.ts';
import type { VenueState } from '../state/venueState.ts';
import { blockHashOf, numberAt, quantity, instantOf } from './blocks.ts';
import type { EpochMs } from '../../core/brand.ts';
import { hashHex } from '../../core/random.ts';
import { baseFeeAt, BASE_FEE, BLOCK_GAS_LIMIT, priceOf, TIP } from '../chain/gas.ts';
import { faceOf } from '../state/nodeFace.ts';
import { CHAIN_ID, operatorWallet } from '../state/constants.ts';

/** Logs of a block, in the order of its transactions. */
export function logsOf(venue: VenueState, block: readonly Transaction[]) {
  const entries = block.flatMap((transaction, index) =>
    (transaction.receipt?.events ?? []).map((event) => ({ transaction, index, event })),
  );
  return entries.map(({ transaction, index, event }, logIndex) => {
    const number = numberAt(venue, transaction.minedAt ?? venue.state.start);
    return {
      address: event.address.toLowerCase(),
      ...encodeEvent(event),
      blockNumber: quantity(number),
      blockHash: blockHashOf(venue, number),
      transactionHash: transaction.hash,
      transactionIndex: quantity(index),
      logIndex: quantity(logIndex),
      removed: false,
    };
  });
}

export type Log = Readonly<ReturnType<typeof logsOf>[number]>;

function encodeEvent({ name, args }: ChainEvent) {
  const item = eventAbi.find((each) => each.name === name);
  if (!item) throw new InvariantError(`no event ${name}`);
  const values = new Map<string, unknown>(Object.entries(args));
  const plain = item.inputs.filter((input) => !('indexed' in input));
  const abi: Abi = [item];
  return {
    topics: encodeEventTopics({ abi, eventName: name, args }) as Hex[],
    data: encodeAbiParameters(
      plain,
      plain.map((input) => values.get(input.name)),
    ),
  };
}

export type LogFilter = Readonly<{
  /** Addresses in lower case; empty for any contract. */
  addresses: readonly string[];
  /** Topics by position: one of these in lower case, any if null. */
  topics: readonly (readonly string[] | null)[];
}>;

export const matches = ({ addresses, topics }: LogFilter, log: Log): boolean =>
  (addresses.length === 0 || addresses.includes(log.address)) &&
  topics.length <= log.topics.length &&
  topics.every((wanted, index) => wanted === null || wanted.includes(log.topics[index] ?? ''));

const BYTES = 256;

/** Bloom filter of the logs of a block or receipt: three bits for every address and topic (yellow paper, 4.3.1). */
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
/** Hash of an empty list of uncles. */
const NO_UNCLES = '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347';

/** Placeholder signature of the venue's own wallets, which is never verified. */
const UNSIGNED: SignatureFields = {
  type: 'eip1559',
  maxFeePerGas: BASE_FEE + TIP,
  maxPriorityFeePerGas: TIP,
  r: ZEROS,
  s: ZEROS,
  yParity: 0,
};

const TYPES = { legacy: '0x0', eip1559: '0x2' } as const;

const blockOf = ({ blocks }: VenueState, { minedAt }: Transaction): readonly Transaction[] =>
  (minedAt !== null && blocks.get(minedAt)) || [];

/** Position of a transaction in the chain; fields are null while it is pending. */
function positionOf(venue: VenueState, transaction: Transaction) {
  if (transaction.minedAt === null) return { blockNumber: null, blockHash: null, transactionIndex: null };
  const number = numberAt(venue, transaction.minedAt);
  return {
    blockNumber: quantity(number),
    blockHash: blockHashOf(venue, number),
    transactionIndex: quantity(blockOf(venue, transaction).indexOf(transaction)),
  };
}

function feesOf(
  { type, maxFeePerGas, maxPriorityFeePerGas, r, s, yParity }: SignatureFields,
  baseFee: bigint,
) {
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

const transactionView = (venue: VenueState, transaction: Transaction) => ({
  hash: transaction.hash,
  ...positionOf(venue, transaction),
  from: transaction.from.toLowerCase(),
  to: transaction.to.toLowerCase(),
  nonce: quantity(transaction.nonce),
  input: transaction.data,
  value: quantity(transaction.value),
  gas: quantity(transaction.gas),
  ...feesOf(transaction.signed ?? UNSIGNED, baseFeeAt(venue.state, transaction.minedAt ?? venue.state.now)),
});

/** The false receipt that the node shows of a mined transaction at `now`, if any. */
const lieOf = ({ lie, receipt }: Transaction, now: EpochMs): Transaction['lie'] | null =>
  lie && receipt && (lie.until === null || now < lie.until) ? lie : null;

/** The transaction as the node shows it; null if it denies having it, or hides pending ones. */
export function shownTransaction(venue: VenueState, transaction: Transaction, now: EpochMs) {
  const isHidden =
    transaction.minedAt === null && (transaction.hidden === true || !faceOf(venue.state).showsWaiting);
  return isHidden || lieOf(transaction, now)?.how === 'missing' ? null : transactionView(venue, transaction);
}

/** The receipt as the node shows it; null if there is none, or the node denies having it. */
export function shownReceipt(venue: VenueState, transaction: Transaction, now: EpochMs) {
  const view = receiptView(venue, transaction);
  const lie = lieOf(transaction, now);
  if (!view || !lie || view.blockNumber === null) return view;
  if (lie.how === 'missing') return null;
  const number = Math.max(Number(view.blockNumber) - lie.depth, 0);
  const block = { blockNumber: quantity(number), blockHash: blockHashOf(venue, number) };
  return { ...view, ...block, status: '0x0', logs: [], logsBloom: bloomOf([]) };
}

/** The true receipt; null while the transaction waits. */
function receiptView(venue: VenueState, transaction: Transaction) {
  const { receipt, hash, from, to, signed, minedAt } = transaction;
  if (!receipt || minedAt === null) return null;
  const block = blockOf(venue, transaction);
  const upTo = block.slice(0, block.indexOf(transaction) + 1);
  const logs = logsOf(venue, block).filter(({ transactionHash }) => transactionHash === hash);
  return {
    transactionHash: hash,
    ...positionOf(venue, transaction),
    from: from.toLowerCase(),
    to: to.toLowerCase(),
    contractAddress: null,
    status: receipt.revert === null ? '0x1' : '0x0',
    type: TYPES[(signed ?? UNSIGNED).type],
    gasUsed: quantity(receipt.gasUsed),
    cumulativeGasUsed: quantity(gasUsedBy(upTo)),
    effectiveGasPrice: quantity(priceOf(signed ?? UNSIGNED, baseFeeAt(venue.state, minedAt))),
    logs,
    logsBloom: bloomOf(logs),
  };
}

export const gasUsedBy = (transactions: readonly Transaction[]): number =>
  transactions.reduce((sum, { receipt }) => sum + (receipt?.gasUsed ?? 0), 0);

/** A block. `full` lists the transactions instead of their hashes. Roots are not Merkle roots; they only distinguish blocks. */
export function blockView(venue: VenueState, number: number, full: boolean) {
  const at = instantOf(venue, number);
  const block = venue.blocks.get(at) ?? [];
  const root = (what: string) => hashHex(`${what} ${blockHashOf(venue, number)}`);
  return {
    number: quantity(number),
    hash: blockHashOf(venue, number),
    parentHash: number === 0 ? ZEROS : blockHashOf(venue, number - 1),
    timestamp: quantity(at / 1000),
    transactions: block.map((each) => (full ? transactionView(venue, each) : each.hash)),
    gasUsed: quantity(gasUsedBy(block)),
    gasLimit: quantity(BLOCK_GAS_LIMIT),
    baseFeePerGas: quantity(baseFeeAt(venue.state, at)),
    logsBloom: bloomOf(logsOf(venue, block)),
    stateRoot: root('state'),
    transactionsRoot: root('transactions'),
    receiptsRoot: root('receipts'),
    miner: operatorWallet.toLowerCase(),
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
