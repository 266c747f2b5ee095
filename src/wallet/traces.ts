import type { EpochMs } from '../core/brand.ts';
import { isVenueFault, messageOf, NoAnswerError, VenueRefusedError } from '../core/errors.ts';
import { Replacements, type AccountNonce } from './nonces.ts';
import { revertCause } from './revert.ts';
import { decodeRouterCall } from './routerAbi.ts';
import { type Rpc, block, bytes, quantity, receipt, timeOf, toHex, transaction, type Block } from './rpc.ts';

/** The chain's information about a transaction. */
export type Trace = Readonly<
  /** `revert`: its cause, null when it succeeded. `isDeep`: too many blocks follow its own for a reorganisation. */
  | { kind: 'mined'; at: EpochMs; revert: string | null; isDeep: boolean }
  /** `signed`: signer and nonce. */
  | { kind: 'waiting'; signed: AccountNonce }
  /** The chain has no trace of it; `at` is the time of the newest block that was known before the question. */
  | { kind: 'absent'; at: EpochMs }
  /** The same, and another transaction has been mined with its nonce: unless a reorganisation goes deeper, it never will be. */
  | { kind: 'replaced'; at: EpochMs }
>;

/** Blocks upon that of a transaction after which it counts as final. */
const DEEP_BLOCKS = 12n;

/** Seconds since its block during which the cause of a revert is asked for again; an order lives no longer. */
const REPLAY_SECONDS = 120n;

/** A reverted transaction's block, and the seconds between it and the newest one. */
type Reverted = Readonly<{ mined: Block; age: bigint }>;

/** Searches transactions on a chain. Its memory of used nonces ends with it. */
export class Tracer {
  readonly #rpc: Rpc;
  readonly #replacements = new Replacements(DEEP_BLOCKS);

  constructor(rpc: Rpc) {
    this.#rpc = rpc;
  }

  /** @throws what `Rpc.ask` throws */
  async trace(txHash: string, signed?: AccountNonce): Promise<Trace> {
    const newest = await this.#blockAt('latest');
    const mined = await this.#rpc.ask('eth_getTransactionReceipt', [txHash], receipt.nullable());
    if (mined) {
      this.#replacements.forget(txHash);
      const own = await this.#blockAt(toHex(mined.blockNumber));
      const isDeep = newest.number >= mined.blockNumber + DEEP_BLOCKS;
      const reverted = { mined: own, age: newest.timestamp - own.timestamp };
      const revert = mined.status === 1n ? null : await this.#causeOf(txHash, reverted);
      return { kind: 'mined', at: timeOf(own), revert, isDeep };
    }
    const known = await this.#rpc.ask('eth_getTransactionByHash', [txHash], transaction.nullable());
    if (known) {
      this.#replacements.forget(txHash);
      return { kind: 'waiting', signed: { from: known.from, nonce: Number(known.nonce) } };
    }
    const isReplaced = signed !== undefined && (await this.#isReplacedAt(newest, txHash, signed));
    return { kind: isReplaced ? 'replaced' : 'absent', at: timeOf(newest) };
  }

  #blockAt(tag: string): Promise<Block> {
    return this.#rpc.ask('eth_getBlockByNumber', [tag, false], block);
  }

  /** Cause of a revert by a replay in its block. The receipt's gas proves nothing, because some chains charge the limit. */
  async #causeOf(txHash: string, { mined, age }: Reverted): Promise<string> {
    const rpc = this.#rpc;
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
   * True when another transaction has been mined with its nonce, for good. The count is asked at a block by its number; a
   * node that has not reached that block, or no longer keeps its state, refuses, which proves nothing.
   */
  async #isReplacedAt(newest: Block, txHash: string, { from, nonce }: AccountNonce): Promise<boolean> {
    const count = await this.#rpc
      .ask('eth_getTransactionCount', [from, toHex(newest.number)], quantity)
      .catch((error: unknown) => {
        if (isVenueFault(error)) return null;
        throw error;
      });
    if (count === null) return false;
    return this.#replacements.note(txHash, { block: newest, isNonceUsed: count > BigInt(nonce) });
  }
}
