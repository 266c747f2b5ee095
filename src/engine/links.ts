import { isVenueFault, messageOf } from '../core/errors.ts';
import type { Log } from '../core/log.ts';

/** Links transactions of the wallet's own to the key, each once. One that fails is left for the next time it is asked for. */
export class Links {
  readonly #log: Log;
  readonly #linked = new Set<string>();

  constructor(log: Log) {
    this.#log = log;
  }

  async make(txHash: string, record: () => Promise<unknown>): Promise<void> {
    if (this.#linked.has(txHash)) return;
    try {
      await record();
      this.#linked.add(txHash);
    } catch (error) {
      if (!isVenueFault(error)) throw error;
      const why = messageOf(error);
      this.#log.warn({ txHash, why }, 'a transaction could not be linked to the key; trying later');
    }
  }
}
