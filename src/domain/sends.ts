import type { EpochMs } from '../core/brand.ts';

const MINUTE_MS = 60_000;

type Send = Readonly<{ at: EpochMs; owner: string }>;

/** The orders that were sent of late. */
export class Sends {
  /** Those of the minute before the latest one. */
  readonly #latest: Send[] = [];

  note(send: Send): void {
    for (let [first] = this.#latest; first && first.at <= send.at - MINUTE_MS; [first] = this.#latest)
      this.#latest.shift();
    this.#latest.push(send);
  }

  /** How many within the minute before `now`, by one strategy or by all. */
  lastMinute(now: EpochMs, owner?: string): number {
    let count = 0;
    for (const send of this.#latest)
      if (send.at > now - MINUTE_MS && (owner === undefined || send.owner === owner)) count++;
    return count;
  }
}
