import type { EpochMs } from '../core/brand.ts';
import { messageOf, NoAnswerError, VenueRefusedError } from '../core/errors.ts';
import { DEEP_BLOCKS, Replacements, type AccountNonce } from './replacements.ts';
import { revertCause } from './revert.ts';
import { decodeRouterCall } from './routerAbi.ts';
import { type Rpc, block, bytes, receipt, timeOf, toHex, transaction, type Block } from './rpc.ts';

/** Information of the chain about a transaction. */
export type Trace = Readonly<
  /** `revert`: its cause, null if it succeeded. `isDeep`: too many blocks follow its own for a reorganisation. */
  | { kind: 'mined'; at: EpochMs; revert: string | null; isDeep: boolean }
  /** `signed`: signer and nonce. */
  | { kind: 'waiting'; signed: AccountNonce }
  /**
   * The chain has no trace of it, and no block has used its nonce, if that is known; `at` is the time of the newest block
   * known before the request.
   */
  | { kind: 'absent'; at: EpochMs }
  /** The chain shows no trace of it, but it may be mined after earlier transactions of its wallet. */
  | { kind: 'queued' }
  /** The chain shows no trace, which proves nothing: its nonce is used, but it is unknown by which transaction. */
  | { kind: 'unclear' }
  /** Another transaction was mined with its nonce: unless there is a deeper reorganisation, it never will be. */
  | { kind: 'replaced'; at: EpochMs }
>;

/** Seconds after its block during which the cause of a revert is queried again; an order does not live longer. */
const REPLAY_SECONDS = 120n;

/** A reverted transaction's block, and the seconds between it and the newest one. */
type RevertTrace = Readonly<{ mined: Block; age: bigint }>;

/** Looks up transactions on a chain. Its memory of used nonces ends with it. */
export class Tracer {
  readonly #rpc: Rpc;
  readonly #replacements: Replacements;

  constructor(rpc: Rpc) {
    this.#rpc = rpc;
    this.#replacements = new Replacements(rpc);
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
    const at = timeOf(newest);
    if (signed === undefined) return { kind: 'absent', at };
    const standing = await this.#replacements.standing({ txHash, signed, newest });
    if (standing === 'mined') return { kind: 'waiting', signed };
    if (standing === 'free') return { kind: 'absent', at };
    return standing === 'replaced' ? { kind: standing, at } : { kind: standing };
  }

  #blockAt(tag: string): Promise<Block> {
    return this.#rpc.ask('eth_getBlockByNumber', [tag, false], block);
  }

  /** Cause of a revert, from a replay in its block. The receipt's gas proves nothing: some chains charge the limit. */
  async #causeOf(txHash: string, { mined, age }: RevertTrace): Promise<string> {
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
}
