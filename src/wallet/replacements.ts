import { z } from 'zod';
import { atVenueFault } from '../core/errors.ts';
import { sameAddress, type Address } from '../domain/instrument.ts';
import { type Block, type Rpc, bytes, quantity, receipt, toHex } from './rpc.ts';

/** Number of blocks after a transaction's block that make it final. */
export const DEEP_BLOCKS = 12n;

/**
 * Seconds between the first and last reading that prove a replacement. A receipt is read by hash, not at a block: behind a
 * load balancer the node without it may lag behind the one that counts, but not by that much.
 */
const APART_SECONDS = 60n;

const listing = z.object({
  transactions: z.array(z.object({ hash: bytes, from: bytes, nonce: quantity })),
});

/**
 * Status of a transaction without a trace on the chain, derived from its nonce. `free`: the nonce is the wallet's next one, so
 * it was not mined. `queued`: it may be mined once earlier nonces are used, or have left the node's pool. `mined`: its block
 * contains it, although the node denies it. `replaced`: another one was mined with the nonce, for good. `unclear`: the nonce is
 * used, but by which transaction is not proved; or the node does not say.
 */
export type NonceStanding = 'free' | 'queued' | 'mined' | 'replaced' | 'unclear';

/** A used nonce: the block of the reading that first saw it, and the transaction found with it. */
type Use = Readonly<{ first: Block; by: string | null }>;

type Look = Readonly<{ txHash: string; signed: AccountNonce; newest: Block }>;

/** Finds the transactions that used the nonces of those that the chain has no trace of. */
export class Replacements {
  readonly #rpc: Rpc;
  readonly #uses = new Map<string, Use>();

  constructor(rpc: Rpc) {
    this.#rpc = rpc;
  }

  /** Forgets a transaction that has been seen: its nonce was not used by another. */
  forget(txHash: string): void {
    this.#uses.delete(txHash);
  }

  /** Status as of the newest block. @throws what `Rpc.ask` throws */
  async standing(look: Look): Promise<NonceStanding> {
    const { txHash, signed, newest } = look;
    const count = await this.#countAt(signed.from, newest.number);
    if (count === null) return 'unclear';
    if (count > BigInt(signed.nonce)) return this.#standingOfUsed(look);
    this.forget(txHash);
    return count === BigInt(signed.nonce) && !(await this.#isPooled(signed)) ? 'free' : 'queued';
  }

  /**
   * Replaced once a first reading and this one agree on the other transaction, far enough apart that neither a lagging node
   * nor a reorganisation explains both.
   */
  async #standingOfUsed({ txHash, signed, newest }: Look): Promise<NonceStanding> {
    const { first, by } = this.#uses.get(txHash) ?? { first: newest, by: null };
    const user = by ?? (await this.#userOf(signed, first.number));
    this.#uses.set(txHash, { first, by: user });
    if (user === null) return 'unclear';
    if (user === txHash) return 'mined';
    const mined = await this.#rpc.ask('eth_getTransactionReceipt', [user], receipt.nullable());
    if (mined === null) {
      this.forget(txHash);
      return 'unclear';
    }
    const isDeep = newest.number >= mined.blockNumber + DEEP_BLOCKS;
    return isDeep && newest.timestamp >= first.timestamp + APART_SECONDS ? 'replaced' : 'unclear';
  }

  /** Hash of the transaction that had used a nonce by some block; null if the node does not say. */
  async #userOf({ from, nonce }: AccountNonce, by: bigint): Promise<string | null> {
    const number = await this.#usedIn({ from, nonce }, by);
    const found =
      number === null
        ? null
        : await orNull(this.#rpc.ask('eth_getBlockByNumber', [toHex(number), true], listing));
    const user = found?.transactions.find(
      (each) => sameAddress(each.from, from) && each.nonce === BigInt(nonce),
    );
    return user?.hash.toLowerCase() ?? null;
  }

  /**
   * Block in which a nonce was used: searched backwards in growing steps, then by bisection, because nodes only keep the state of
   * recent blocks. Null if one of the counts is missing.
   */
  async #usedIn({ from, nonce }: AccountNonce, by: bigint): Promise<bigint | null> {
    let used = by;
    let unused = -1n;
    for (let step = 1n; used > 0n; step *= 2n) {
      const number = used > step ? used - step : 0n;
      const count = await this.#countAt(from, number);
      if (count === null) return null;
      if (count <= BigInt(nonce)) {
        unused = number;
        break;
      }
      used = number;
    }
    while (used - unused > 1n) {
      const middle = (used + unused) / 2n;
      const count = await this.#countAt(from, middle);
      if (count === null) return null;
      if (count > BigInt(nonce)) used = middle;
      else unused = middle;
    }
    return used;
  }

  /** True if the node's pool holds a transaction with the nonce. Some nodes never report that. */
  async #isPooled({ from, nonce }: AccountNonce): Promise<boolean> {
    return (await this.#rpc.ask('eth_getTransactionCount', [from, 'pending'], quantity)) > BigInt(nonce);
  }

  /**
   * Number of nonces that a wallet had used by a block, identified by its number; a node that has not reached it, or has pruned
   * its state, refuses, which proves nothing: null.
   */
  #countAt(from: Address, number: bigint): Promise<bigint | null> {
    return orNull(this.#rpc.ask('eth_getTransactionCount', [from, toHex(number)], quantity));
  }
}

/** The response, or null if the node gives none. */
const orNull = <T>(asked: Promise<T>): Promise<T | null> => asked.catch(atVenueFault(() => null));

/** Signer and nonce of a transaction: only one transaction is ever mined with both. */
export type AccountNonce = Readonly<{ from: Address; nonce: number }>;
