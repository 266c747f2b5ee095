import { createHash } from 'node:crypto';
import type { Address } from '../../domain/instrument.ts';
import type { Environment } from '../config/environment.ts';
import { holdInEach, lockFolders, type MachineFolders } from './lockFolders.ts';
import { holdNamed } from './namedLock.ts';

export type KeyUse = Readonly<{
  apiKey: string;
  /** Of the venue. Two emulators on this machine are two venues, although they give out the same keys. */
  baseUrl: string;
  /** This process, as the errors of others name it. */
  holder: string;
}>;

/**
 * Holds an API key for the life of this process, against every other process of this user on this machine. The venue takes
 * the orders of both, and neither would know what the other has sent.
 * @throws {LockHeldError} when another process holds it
 * @throws {SafetyError} when a folder of the locks is not this user's alone
 */
export function holdKey(use: KeyUse, env: Environment, machine?: MachineFolders): () => void {
  const lock = { name: `key-${nameOf(use)}`, what: 'this API key', holder: use.holder };
  return holdInEach(lockFolders(env, machine), (folder) => holdNamed({ folder, ...lock }));
}

/**
 * Holds a wallet for the life of this process, in the same folders as a key: two that send for it would take each other's
 * places on the chain.
 * @throws {LockHeldError} when another process holds it
 * @throws {SafetyError} when a folder of the locks is not this user's alone
 */
export function holdWallet(
  { address, holder }: Readonly<{ address: Address; holder: string }>,
  env: Environment,
  machine?: MachineFolders,
): () => void {
  const lock = { name: `wallet-${address.toLowerCase()}`, what: `the wallet ${address}`, holder };
  return holdInEach(lockFolders(env, machine), (folder) => holdNamed({ folder, ...lock }));
}

/** Tells keys apart without telling them. */
function nameOf({ apiKey, baseUrl }: KeyUse): string {
  return createHash('sha256')
    .update(`drover ${whereOf(baseUrl)} ${apiKey}`)
    .digest('hex')
    .slice(0, 32);
}

/** A venue on this machine, where there may be many, goes by its port, under whatever name; elsewhere the key alone counts. */
function whereOf(baseUrl: string): string {
  const { protocol, port } = new URL(baseUrl);
  return protocol === 'http:' ? `loopback:${port || '80'}` : '';
}
