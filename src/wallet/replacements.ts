import type { Address } from '../domain/instrument.ts';

/** Signer of a transaction, and its place in the signer's row: one transaction alone is ever mined with both. */
export type AccountNonce = Readonly<{ from: Address; nonce: number }>;

/** Number and time of a block, in seconds since 1970. */
type BlockTime = Readonly<{ number: bigint; timestamp: bigint }>;

/** One look at a transaction of which the chain shows nothing: `isNonceUsed` in the state of `block`. */
type Look = Readonly<{ block: BlockTime; isNonceUsed: boolean }>;

/**
 * Seconds between the first and the last of the looks that prove it. A receipt is asked for by hash, at no block: behind a
 * balancer the node that has none may lag behind the one that counts, but not by so much.
 */
const APART_SECONDS = 60n;

/** Transactions without a trace whose nonce has been used, each with the block at which that was first seen. */
export class Replacements {
  readonly #deepBlocks: bigint;
  readonly #since = new Map<string, BlockTime>();

  /** `deepBlocks`: blocks upon which a block counts as final. */
  constructor(deepBlocks: bigint) {
    this.#deepBlocks = deepBlocks;
  }

  /** Forgets one of which a trace has been seen: it is no other that has used its nonce. */
  forget(txHash: string): void {
    this.#since.delete(txHash);
  }

  /** True once a first look and this one agree, so far apart that neither a lagging node nor a reorganisation explains both. */
  note(txHash: string, { block, isNonceUsed }: Look): boolean {
    if (!isNonceUsed) {
      this.#since.delete(txHash);
      return false;
    }
    const first = this.#since.get(txHash) ?? block;
    this.#since.set(txHash, first);
    const isDeep = block.number >= first.number + this.#deepBlocks;
    return isDeep && block.timestamp >= first.timestamp + APART_SECONDS;
  }
}
