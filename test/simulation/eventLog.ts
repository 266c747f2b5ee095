import { createHash } from 'node:crypto';
import { toIso, type EpochMs } from '../../src/core/brand.ts';

/** Event log of a run as text: for people, and to compare two runs of one seed by its hash. */
export class EventLog {
  readonly lines: string[] = [];
  readonly #hash = createHash('sha256');
  readonly #keep: boolean;

  constructor(keep: boolean) {
    this.#keep = keep;
  }

  add(at: EpochMs, who: string, text: string): void {
    const line = `${toIso(at)} ${who.padEnd(8)} ${text}`;
    this.#hash.update(line);
    if (this.#keep) this.lines.push(line);
  }

  /** Digest of everything so far; nothing can be added afterwards. */
  digest(): string {
    return this.#hash.digest('hex');
  }
}
