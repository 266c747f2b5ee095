import { VenueRefusedError } from '../core/errors.ts';
import type { Address } from '../domain/instrument.ts';
import type { TokenRatio, TokenMultipliers } from '../domain/premium.ts';
import { bytes, type Rpc } from './rpc.ts';

/** Call of `uiMultiplier()`, by which balances of ERC-8056 count in shares. */
const RATIO = ['0xa60bf13d'];
/** Calls of `getCurrentMultiplier()` (xStocks) and `balancePerShare()` (dShares), with which balances grow. */
const GROWTH = ['0x2b63c300', '0xa781a3fd'];

/** Word of 32 bytes, with which the answer begins. */
const WORD = /^0x[0-9a-f]{64}/i;

/** Reads multipliers of tokens by a node. What a token does not answer is not asked again. */
export class MultiplierReader {
  readonly #rpc: Rpc;
  readonly #silent = new Set<string>();

  constructor(rpc: Rpc) {
    this.#rpc = rpc;
  }

  /** @throws what `Rpc.ask` throws, unless the contract refuses a call that it does not have */
  async of(token: Address): Promise<TokenMultipliers> {
    const ratio = (await this.#first(token, RATIO)) as TokenRatio | null;
    return { ratio, growth: await this.#first(token, GROWTH) };
  }

  /** Wad of the first of some calls that a token answers; null if it answers none. */
  async #first(token: Address, calls: readonly string[]): Promise<bigint | null> {
    for (const data of calls) {
      if (this.#silent.has(token + data)) continue;
      const answer = await this.#answer({ to: token, data });
      const [word] = WORD.exec(answer) ?? [];
      if (word !== undefined) return BigInt(word);
      this.#silent.add(token + data);
    }
    return null;
  }

  async #answer(call: Readonly<{ to: Address; data: string }>): Promise<string> {
    try {
      return await this.#rpc.ask('eth_call', [call, 'latest'], bytes);
    } catch (error) {
      if (error instanceof VenueRefusedError) return '';
      throw error;
    }
  }
}
