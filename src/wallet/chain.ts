import { decodeAbiParameters, hexToString } from 'viem/utils';
import { z } from 'zod';
import { VenueRefusedError, orElse } from '../core/errors.ts';
import type { Address } from '../domain/instrument.ts';
import type { TokenMultipliers } from '../domain/premium.ts';
import type { Hex } from './routerAbi.ts';
import { type Rpc, block, bytes, quantity } from './rpc.ts';
import { MultiplierReader } from './tokenMultipliers.ts';
import { Tracer, type Trace } from './traces.ts';
import type { AccountNonce } from './replacements.ts';

/** 32-byte word with a value of at most 18: no token of the venue has more decimals. */
const places = z.string().regex(/^0x0{62}(0[0-9a-fA-F]|1[0-2])$/, 'not a number of decimals up to 18');

/** Gas of a call: no correct node returns zero. */
const gasUnits = quantity.refine((gas) => gas > 0n, 'no gas');

/** Number of transactions, which is the next nonce. */
const nonceCount = quantity.transform(Number).refine(Number.isSafeInteger, 'not a count of transactions');

const firstBlock = z.object({ hash: bytes });

/** Code of a wallet to which EIP-7702 has assigned a contract's code, with the contract's address. */
const DELEGATED = /^0xef0100([0-9a-f]{40})$/i;

/** The call of `decimals()`. */
const DECIMALS = '0x313ce567';

/** The call of `symbol()`. */
const SYMBOL = '0x95d89b41';

/** Prices of gas in wei. */
export type GasPrices = Readonly<{ baseFee: bigint; tip: bigint }>;
export type Trial = Readonly<{ from: Address; to: Address; data: Hex }>;

/** Reads of a chain. Each throws what `Rpc.ask` throws. */
export interface Chain {
  chainId(): Promise<number>;
  /** Hash of the first block. */
  genesis(): Promise<string>;
  /** Number of a wallet's transactions in the newest block or, if the node counts them (not all do), with pending ones. */
  transactionCount(wallet: Address, at: 'latest' | 'pending'): Promise<number>;
  /** Native balance of a wallet, in wei. */
  balance(wallet: Address): Promise<bigint>;
  /** @throws {VenueRefusedError} when the chain has no base fee */
  gasPrices(): Promise<GasPrices>;
  /**
   * Gas of a call on the newest block: only some nodes consider pending transactions, which may never be mined.
   * @throws {VenueRefusedError} when it would revert: `revertCause` names the cause
   */
  estimateGas(trial: Trial): Promise<bigint>;
  /**
   * Traces a transaction. `signed`: its signer and nonce, if it is the wallet's own; only then is its nonce considered, and
   * only then can it be `queued`, `unclear` or `replaced`. The last takes two calls on the same chain object, a minute apart.
   */
  trace(txHash: string, signed?: AccountNonce): Promise<Trace>;
  /** Decimals of a token, read once per token: the number compared and shown is the one signed, whatever comes later. */
  decimals(token: Address): Promise<number>;
  /** Symbol stated by a token; null for a contract that states none. */
  symbol(token: Address): Promise<string | null>;
  /** Multipliers of a token according to its contract. */
  multipliers(token: Address): Promise<TokenMultipliers>;
  /** The contract to which a wallet delegates its code by EIP-7702; null if there is none. */
  delegate(wallet: Address): Promise<Address | null>;
}

const PRINTABLE = /^[^\p{C}]+$/u;

/** Text in a contract's response: a string, or 32 bytes as from the oldest tokens; null for anything else. */
function textOf(answer: string): string | null {
  return orElse(() => {
    const [text] =
      answer.length === 66
        ? [hexToString(answer as Hex)]
        : decodeAbiParameters([{ type: 'string' }], answer as Hex);
    const name = text.replace(/\0+$/, '');
    return PRINTABLE.test(name) ? name : null;
  }, null);
}

export function createChain(rpc: Rpc): Chain {
  const tracer = new Tracer(rpc);
  const reader = new MultiplierReader(rpc);
  const known = new Map<Address, number>();
  return {
    chainId: async () => Number(await rpc.ask('eth_chainId', [], quantity)),
    genesis: async () => (await rpc.ask('eth_getBlockByNumber', ['0x0', false], firstBlock)).hash,
    transactionCount: (wallet, at) => rpc.ask('eth_getTransactionCount', [wallet, at], nonceCount),
    balance: (wallet) => rpc.ask('eth_getBalance', [wallet, 'latest'], quantity),
    async gasPrices() {
      const [{ baseFeePerGas }, tip] = await Promise.all([
        rpc.ask('eth_getBlockByNumber', ['latest', false], block),
        rpc.ask('eth_maxPriorityFeePerGas', [], quantity),
      ]);
      if (baseFeePerGas == null) throw new VenueRefusedError('the chain has no base fee (EIP-1559)');
      return { baseFee: baseFeePerGas, tip };
    },
    estimateGas: (trial) => rpc.ask('eth_estimateGas', [trial, 'latest'], gasUnits),
    trace: (txHash, signed) => tracer.trace(txHash, signed),
    async decimals(token) {
      const call = { to: token, data: DECIMALS };
      const decimals = known.get(token) ?? Number(await rpc.ask('eth_call', [call, 'latest'], places));
      known.set(token, decimals);
      return decimals;
    },
    async symbol(token) {
      try {
        return textOf(await rpc.ask('eth_call', [{ to: token, data: SYMBOL }, 'latest'], bytes));
      } catch (error) {
        if (error instanceof VenueRefusedError) return null;
        throw error;
      }
    },
    multipliers: (token) => reader.of(token),
    async delegate(wallet) {
      const code = await rpc.ask('eth_getCode', [wallet, 'latest'], bytes);
      const address = DELEGATED.exec(code)?.[1];
      return address === undefined ? null : `0x${address}`;
    },
  };
}

/**
 * Compares the venue's decimals with the token's own: with a wrong number the wallet would sign ten times the amount. Returns them.
 * `decimals`: null if the venue states none.
 * @throws {VenueRefusedError} when they differ
 */
export async function requirePlaces(
  { address, decimals }: Readonly<{ address: Address; decimals: number | null }>,
  chain: Pick<Chain, 'decimals'>,
): Promise<number> {
  const actual = await chain.decimals(address);
  if (decimals === null || actual === decimals) return actual;
  throw new VenueRefusedError(
    `the venue states ${decimals} decimals for ${address}, and the token itself ${actual}. Nothing was sent`,
    { token: address },
  );
}
