import { VenueRefusedError } from '../core/errors.ts';
import type { Address } from '../domain/instrument.ts';
import type { TokenRatio, TokenMultipliers } from '../domain/premium.ts';
import { bytes, type Rpc } from './rpc.ts';

/** Call of `uiMultiplier()`, which converts balances of ERC-8056 to shares. */
const RATIO = ['0xa60bf13d'];
/** Calls of `getCurrentMultiplier()` (xStocks) and `balancePerShare()` (dShares), factors by which balances grow. */
const GROWTH = ['0x2b63c300', '0xa781a3fd'];

/** 32-byte word at the start of the response. */
const WORD = /^0x[0-9a-f]{64}/i;

/** Reads multipliers of tokens from a node. A call that a token does not support is not repeated. */
export class MultiplierReader {
  readonly #rpc: Rpc;
  readonly #silent = new Set<string>();

  constructor(rpc: Rpc) {
    this.#rpc = rpc;
  }

  /** @throws what `Rpc.ask` throws, except when the contract does not support a call */
  async of(token: Address): Promise<TokenMultipliers> {
    const ratio = (await this.#first(token, RATIO)) as TokenRatio | null;
    return { ratio, growth: await this.#first(token, GROWTH) };
  }

  /** Wad of the first of some calls that a token supports; null if it supports none. */
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
