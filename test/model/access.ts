/** The venue's authentication: key, secret, scope, rights, clock and nonce. Every failure is HTTP 400 with code 401. */
import { broken, silent, UNAUTHORISED, type Fault } from './verdict.ts';

export interface ModelKey {
  readonly apiKey: string;
  readonly userAddress: string;
  readonly access: 'READ_ONLY' | 'WRITABLE';
}

/** What the venue's operator may change on a key. */
export interface KeyState {
  readonly active: boolean;
  /** Milliseconds since the epoch; null for never. */
  readonly expiresAt: number | null;
  /** True when the caller's address is on the key's whitelist. */
  readonly whitelisted: boolean;
  /** True when the key is bound to a user's wallet. */
  readonly bound: boolean;
}

export const SOUND_KEY: KeyState = { active: true, expiresAt: null, whitelisted: true, bound: true };

export interface Credentials {
  readonly apiKey: string;
  readonly signatureValid: boolean;
  readonly chainId: number;
  readonly product: string;
  /** Milliseconds since the epoch, as in `x-api-ts`. */
  readonly timestamp: number;
  readonly nonce: string;
}

export interface Scope {
  readonly chainId: number;
  readonly product: string;
}

export const TIMESTAMP_WINDOW = 45_000;

const unauthorised = (rule: string) => broken(rule, [UNAUTHORISED]);

export class AccessRules {
  readonly #keys: ReadonlyMap<string, ModelKey>;
  readonly #scope: Scope;
  readonly #states = new Map<string, KeyState>();
  /** Times at which each key used each nonce in a request that passed. */
  readonly #used = new Map<string, number>();

  constructor(keys: readonly ModelKey[], scope: Scope) {
    this.#keys = new Map(keys.map((key) => [key.apiKey, key]));
    this.#scope = scope;
  }

  keyOf(apiKey: string): ModelKey | undefined {
    return this.#keys.get(apiKey);
  }

  change(apiKey: string, state: KeyState): void {
    this.#states.set(apiKey, state);
  }

  stateOf(apiKey: string): KeyState {
    return this.#states.get(apiKey) ?? SOUND_KEY;
  }

  /** Lists what is wrong with a request apart from its path and body. */
  faults(method: string, credentials: Credentials, now: number): readonly Fault[] {
    const key = this.#keys.get(credentials.apiKey);
    const drift = Math.abs(now - credentials.timestamp);
    const faults: Fault[] = [];
    if (key === undefined) faults.push(unauthorised('unknown key'));
    if (!credentials.signatureValid) faults.push(unauthorised('bad signature'));
    if (credentials.chainId !== this.#scope.chainId) faults.push(unauthorised('chain out of scope'));
    if (credentials.product !== this.#scope.product) faults.push(unauthorised('product out of scope'));
    if (drift > TIMESTAMP_WINDOW) faults.push(unauthorised('timestamp outside the window'));
    if (key?.access === 'READ_ONLY' && method !== 'GET') faults.push(unauthorised('write with a read key'));
    return [
      ...faults,
      ...keyFaults(this.stateOf(credentials.apiKey), now),
      ...this.#nonceFaults(credentials, now),
    ];
  }

  /** Remembers the nonce of a request that passed. */
  pass(credentials: Credentials, now: number): void {
    this.#used.set(nonceKey(credentials), now);
  }

  #nonceFaults(credentials: Credentials, now: number): readonly Fault[] {
    const usedAt = this.#used.get(nonceKey(credentials));
    if (usedAt === undefined || now - usedAt > 2 * TIMESTAMP_WINDOW) return [];
    if (now - usedAt <= TIMESTAMP_WINDOW) return [unauthorised('nonce reused')];
    return [{ ...silent('nonce reused between one window and two'), codes: [UNAUTHORISED] }];
  }
}

const keyFaults = ({ active, expiresAt, whitelisted }: KeyState, now: number): readonly Fault[] => [
  ...(active ? [] : [unauthorised('inactive key')]),
  ...(expiresAt !== null && now > expiresAt ? [unauthorised('expired key')] : []),
  ...(expiresAt === now ? [{ ...silent('key at the instant of its expiry'), codes: [UNAUTHORISED] }] : []),
  ...(whitelisted ? [] : [unauthorised('address off the whitelist')]),
];

const nonceKey = (credentials: Credentials) => `${credentials.apiKey} ${credentials.nonce}`;
