import { hash, randomBytes, randomUUID } from 'node:crypto';

/** Source of randomness, injected where needed. */
export interface Random {
  /** Number in [0, 1). */
  next(): number;
  /** UUID, version 4. */
  uuid(): string;
}

/** Randomness of the operating system, for nonces wherever a socket is used. */
export const systemRandom: Random = {
  next: () => Math.random(),
  uuid: () => randomUUID(),
};

/** Unpredictable bytes of the operating system, for keys, salts and nonces of encryption. */
export const secureBytes = (length: number): Uint8Array => randomBytes(length);

/** Hash of a text, or of its bytes, as `0x` and 64 hex digits. */
export const hashHex = (text: string | Uint8Array): `0x${string}` => `0x${hash('sha256', text, 'hex')}`;
