/** One Click delegations in the model: prepared, enabled, disabled. */
import { deadlineFaults } from './deadline.ts';
import { broken, ON_CHAIN, silent, TRADING_RULE, VALIDATION, type Fault } from './verdict.ts';

export interface EnableRequest {
  readonly deadline: number;
  readonly signedBy: 'user' | 'other';
}

const REFUSED = [ON_CHAIN, TRADING_RULE, VALIDATION];

export class Delegation {
  enabled: boolean;
  /** The deadline that was last prepared; null before, and once it was used. */
  #prepared: number | null = null;
  #disabledSince = false;

  constructor(enabled: boolean) {
    this.enabled = enabled;
  }

  sendFaults(): readonly Fault[] {
    return this.enabled ? [] : [broken('delegation not enabled', [ON_CHAIN, TRADING_RULE])];
  }

  enableFaults(request: EnableRequest, now: number): readonly Fault[] {
    return [
      ...(this.#prepared === null ? [broken('enable without prepare', REFUSED)] : []),
      ...(this.#prepared !== null && this.#prepared !== request.deadline
        ? [broken('enable with another deadline than prepared', REFUSED)]
        : []),
      ...(this.#disabledSince ? [silent('enable with what was prepared before a disable')] : []),
      ...(request.signedBy === 'other'
        ? [broken('enable with the signature of another wallet', REFUSED)]
        : []),
      ...deadlineFaults(request.deadline, now),
    ];
  }

  prepare(deadline: number): void {
    this.#prepared = deadline;
    this.#disabledSince = false;
  }

  enable(): void {
    this.enabled = true;
    this.#prepared = null;
  }

  disable(): void {
    this.enabled = false;
    this.#disabledSince = this.#prepared !== null;
  }
}
