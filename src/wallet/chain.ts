import { z } from 'zod';
import { epochMs, type EpochMs } from '../core/brand.ts';
import { isVenueFault, messageOf, NoAnswerError, VenueRefusedError } from '../core/errors.ts';
import type { Address } from '../domain/instrument.ts';
import { Replacements, type AccountNonce } from './replacements.ts';
import { revertCause } from './revert.ts';
import { decodeRouterCall, type Hex } from './routerAbi.ts';
import type { Rpc } from './rpc.ts';

const quantity = z
  .string()
  .regex(/^0x[0-9a-fA-F]+$/, 'not a quantity')
  .transform((text) => BigInt(text));
const bytes = z
  .string()
  .regex(/^0x[0-9a-fA-F]*$/, 'not bytes')
  .transform((text) => text as Hex);

/** A word of 32 bytes that says at most 18: no token of the venue has more. */
const places = z.string().regex(/^0x0{62}(0[0-9a-fA-F]|1[0-2])$/, 'not a number of places up to 18');

const block = z.object({ number: quantity, timestamp: quantity, baseFeePerGas: quantity.nullish() });
const firstBlock = z.object({ hash: bytes });
const transaction = z.object({
  from: bytes,
  to: bytes.nullable(),
  input: bytes,
  value: quantity,
  gas: quantity,
  nonce: quantity,
});
const receipt = z.object({ status: quantity, blockNumber: quantity });

/** Code of a wallet that EIP-7702 has given that of a contract, with the contract's address. */
const DELEGATED = /^0xef0100([0-9a-f]{40})$/i;

/** The call of `decimals()`. */
const DECIMALS = '0x313ce567';

/** Blocks upon that of a transaction after which it counts as final. */
const DEEP_BLOCKS = 12n;

/** How long a node is asked again for the cause of a revert, in seconds since its block; an order lives no longer. */
const REPLAY_SECONDS = 120n;

/** Prices of gas in wei. */
export type GasPrices = Readonly<{ baseFee: bigint; tip: bigint }>;
export type Trial = Readonly<{ from: Address; to: Address; data: Hex }>;

/** What has become of a transaction. */
export type Trace = Readonly<
  /** `revert`: why it did nothing; null when it did what it says. `isDeep`: so many blocks stand upon its own that no other comes in its place. */
  | { kind: 'mined'; at: EpochMs; revert: string | null; isDeep: boolean }
  /** `signed`: by whom, and with which nonce. */
  | { kind: 'waiting'; signed: AccountNonce }
  /** The chain has no trace of it; `at` is the time of the newest block that was known before the question. */
  | { kind: 'absent'; at: EpochMs }
  /** The same, and another transaction has been mined with its nonce: unless a reorganisation goes deeper, it never will be. */
  | { kind: 'replaced'; at: EpochMs }
>;

/** The questions this program has for a chain. Each throws what `Rpc.ask` throws. */
export interface Chain {
  chainId(): Promise<number>;
  /** Hash of the first block. */
  genesis(): Promise<string>;
  /** Transactions of a wallet that the newest block has, or those that wait too as far as the node counts them: not all do. */
  transactionCount(wallet: Address, at: 'latest' | 'pending'): Promise<number>;
  /** @throws {VenueRefusedError} when the chain has no base fee */
  gasPrices(): Promise<GasPrices>;
  /**
   * Gas of a call on the newest block: what waits counts for some nodes and not for others, and may never be mined.
   * @throws {VenueRefusedError} when it would revert: `revertCause` names the cause
   */
  estimateGas(trial: Trial): Promise<bigint>;
  /**
   * What has become of a transaction. `signed`: by whom and with which nonce, where the transaction is the wallet's own;
   * nothing else is ever found `replaced`. That takes two questions to the same chain object, a minute and twelve blocks apart.
   */
  trace(txHash: string, signed?: AccountNonce): Promise<Trace>;
  /** Places of a token. */
  decimals(token: Address): Promise<number>;
  /** The contract whose code a wallet carries by EIP-7702; null for a wallet without one. */
  delegate(wallet: Address): Promise<Address | null>;
}

type Block = z.output<typeof block>;

/** A reverted transaction's block, and the seconds between it and the newest one. */
type Reverted = Readonly<{ mined: Block; age: bigint }>;

export function createChain(rpc: Rpc): Chain {
  const replacements = new Replacements(DEEP_BLOCKS);
  const blockAt = (tag: string) => rpc.ask('eth_getBlockByNumber', [tag, false], block);

  /** What a replay in its block says; the gas that a receipt names as used proves nothing, as chains charge the limit. */
  async function causeOf(txHash: string, { mined, age }: Reverted): Promise<string> {
    const { from, to, input: data, gas } = await rpc.ask('eth_getTransactionByHash', [txHash], transaction);
    const call = decodeRouterCall(data);
    if (call && 'deadline' in call && mined.timestamp > BigInt(call.deadline)) return 'deadline has passed';
    const trial = { from, to, data, gas: toHex(gas) };
    return rpc.ask('eth_call', [trial, toHex(mined.number)], bytes).then(
      () => 'cause unknown',
      (error: unknown) => {
        if (error instanceof VenueRefusedError) return revertCause(error);
        if (!(error instanceof NoAnswerError) || age < REPLAY_SECONDS) throw error;
        return `cause unknown, as the node could not replay it: ${messageOf(error)}`;
      },
    );
  }

  /**
   * Whether another transaction has been mined with its nonce, for good. Asked at a block by its number, which a node that
   * has not reached it, or keeps its state no longer, refuses: that proves nothing.
   */
  async function isReplacedAt(
    newest: Block,
    txHash: string,
    { from, nonce }: AccountNonce,
  ): Promise<boolean> {
    const count = await rpc
      .ask('eth_getTransactionCount', [from, toHex(newest.number)], quantity)
      .catch((error: unknown) => {
        if (isVenueFault(error)) return null;
        throw error;
      });
    return count !== null && replacements.note(txHash, { block: newest, isNonceUsed: count > BigInt(nonce) });
  }

  return {
    chainId: async () => Number(await rpc.ask('eth_chainId', [], quantity)),
    genesis: async () => (await rpc.ask('eth_getBlockByNumber', ['0x0', false], firstBlock)).hash,
    transactionCount: async (wallet, at) =>
      Number(await rpc.ask('eth_getTransactionCount', [wallet, at], quantity)),
    async gasPrices() {
      const [{ baseFeePerGas }, tip] = await Promise.all([
        blockAt('latest'),
        rpc.ask('eth_maxPriorityFeePerGas', [], quantity),
      ]);
      if (baseFeePerGas == null) throw new VenueRefusedError('the chain has no base fee (EIP-1559)');
      return { baseFee: baseFeePerGas, tip };
    },
    estimateGas: (trial) => rpc.ask('eth_estimateGas', [trial, 'latest'], quantity),
    async trace(txHash, signed) {
      const newest = await blockAt('latest');
      const mined = await rpc.ask('eth_getTransactionReceipt', [txHash], receipt.nullable());
      if (mined) {
        replacements.forget(txHash);
        const own = await blockAt(toHex(mined.blockNumber));
        const isDeep = newest.number >= mined.blockNumber + DEEP_BLOCKS;
        const reverted = { mined: own, age: newest.timestamp - own.timestamp };
        const revert = mined.status === 1n ? null : await causeOf(txHash, reverted);
        return { kind: 'mined', at: timeOf(own), revert, isDeep };
      }
      const known = await rpc.ask('eth_getTransactionByHash', [txHash], transaction.nullable());
      if (known) {
        replacements.forget(txHash);
        return { kind: 'waiting', signed: { from: known.from, nonce: Number(known.nonce) } };
      }
      const isReplaced = signed !== undefined && (await isReplacedAt(newest, txHash, signed));
      return { kind: isReplaced ? 'replaced' : 'absent', at: timeOf(newest) };
    },
    async decimals(token) {
      const call = { to: token, data: DECIMALS };
      return Number(await rpc.ask('eth_call', [call, 'latest'], places));
    },
    async delegate(wallet) {
      const code = await rpc.ask('eth_getCode', [wallet, 'latest'], bytes);
      const address = DELEGATED.exec(code)?.[1];
      return address === undefined ? null : `0x${address}`;
    },
  };
}

const toHex = (value: bigint): Hex => `0x${value.toString(16)}`;
const timeOf = ({ timestamp }: Block): EpochMs => epochMs(Number(timestamp) * 1000);
