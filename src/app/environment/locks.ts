import { existsSync, lstatSync, realpathSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { createHash } from 'node:crypto';
import { SafetyError, orElse, orClosed } from '../../core/errors.ts';
import { makeFolders, holdLock } from '../../store/stateFolder.ts';
import { ownUser } from '../../store/trust.ts';
import { userName } from '../../process/userName.ts';
import type { Environment } from '../../process/environment.ts';
import { oneLine } from '../../core/printable.ts';
import type { CommandContext, MachineFolders } from '../../process/context.ts';
import type { Address } from '../../domain/instrument.ts';

/** Locations of locks, from the environment and from the machine. Default of the latter: this user's folders. */
export type LockPlaces = Readonly<{ env: Environment; machineFolders?: MachineFolders }>;

/** This user's folders. A user without an entry in the user list still has a number. */
function machineFolders(): MachineFolders {
  const user = ownUser();
  // Not `TMPDIR`, which may differ between two shells.
  const shared = user === null ? join(tmpdir(), `drover-${userName()}`) : `/tmp/drover-${user}`;
  return { home: orElse(() => userInfo().homedir, null), shared };
}

const inHome = (home: string | undefined | null): string[] =>
  home ? [join(home, '.local', 'state', 'drover')] : [];

/**
 * Every folder in which this user's API keys are locked: two processes exclude each other through any folder that both use.
 * Service and login shell may differ in environment, temporary folder and HOME.
 * @throws {SafetyError} when none can be created, or one can be changed by others
 */
export function lockFolders({ env, machineFolders: machine = machineFolders() }: LockPlaces): string[] {
  const runtime = env['XDG_RUNTIME_DIR'];
  const wanted = [
    ...(runtime ? [join(runtime, 'drover')] : []),
    ...inHome(env['HOME']),
    ...inHome(machine.home),
    machine.shared,
  ];
  const usable = wanted.filter(isThere);
  if (usable.length === 0)
    throw new SafetyError(`cannot create a lock folder for this user, not even ${machine.shared}`);
  usable.forEach(requireOwn);
  return [...new Set(usable.map((folder) => realpathSync(folder)))];
}

/** A private folder of this user that outlives a login session. @throws {SafetyError} as for `lockFolders` */
export function keptFolder({ env, ...places }: LockPlaces): string {
  const { XDG_RUNTIME_DIR: _login, ...lasting } = env;
  const [folder = ''] = lockFolders({ ...places, env: lasting });
  return folder;
}

function isThere(folder: string): boolean {
  try {
    makeFolders(folder, 0o700);
    return true;
  } catch {
    return existsSync(folder);
  }
}

/** Refuses a lock folder that another user could change or hold. @throws {SafetyError} */
function requireOwn(folder: string): void {
  const stats = lstatSync(folder);
  const me = ownUser();
  if (me === null) return;
  const wrong = !stats.isDirectory()
    ? 'is not a folder'
    : stats.uid !== me
      ? 'belongs to another user'
      : (stats.mode & 0o077) !== 0
        ? `is open to others. Run: chmod 700 ${folder}`
        : null;
  if (wrong !== null) throw new SafetyError(`${folder}, the folder of the locks, ${wrong}`, { folder });
}

/** Holds a lock in each folder for locks, or in none. Returns the release of all. @throws as `lockFolders` and `holdNamed` do */
function holdInEach(lock: Omit<NamedLock, 'folder'>, places: LockPlaces): () => void {
  const releases: (() => void)[] = [];
  const release = () => {
    for (const one of releases.splice(0)) one();
  };
  orClosed({ close: release }, () => {
    for (const folder of lockFolders(places)) releases.push(holdNamed({ folder, ...lock }));
  });
  return release;
}

/** A lock in a folder: `NAME.sqlite` excludes others, `NAME.txt` names its holder. */
type NamedLock = Readonly<{
  folder: string;
  name: string;
  /** The locked thing, as named in errors. */
  what: string;
  /** This process, as named in the errors of others. */
  holder: string;
}>;

/** Maximum length of a note that is shown. */
const NOTE_MAX = 300;

/** Name of this process in the errors of the processes that it locks out. */
export function holderOf({ commandName, pid }: CommandContext, stateDir?: string): string {
  const where = stateDir === undefined ? '' : ` on the state folder ${stateDir}`;
  return `drover ${commandName} (process ${pid})${where}`;
}

/**
 * Holds a lock for the life of this process, with a note that names its holder. A note that cannot be read or written is
 * ignored. Returns the release.
 * @throws {LockHeldError} when another process holds it, naming that process
 * @throws {SafetyError} when the lock fails for another reason
 */
export function holdNamed({ folder, name, what, holder }: NamedLock): () => void {
  const note = join(folder, `${name}.txt`);
  const found = orElse(() => readFileSync(note, 'utf8'), '');
  const held = found === '' ? '' : `, held by ${oneLine(found, NOTE_MAX)}`;
  const release = holdLock(join(folder, `${name}.sqlite`), `${what}${held}`);
  orElse(() => writeFileSync(note, holder, { mode: 0o600 }), null);
  return () => {
    orElse(() => rmSync(note, { force: true }), null);
    release();
  };
}

export type KeyUse = Readonly<{
  apiKey: string;
  /** URL of the venue. Two emulators on this machine are two venues, although they issue the same keys. */
  baseUrl: string;
  /** This process, as named in the errors of others. */
  holder: string;
}>;

/**
 * Holds an API key for the life of this process, against every other process of this user on this machine. The venue would
 * accept the orders of both, and neither would know what the other has sent.
 * @throws {LockHeldError} when another process holds it
 * @throws {SafetyError} when a lock folder can be changed by others
 */
export function holdKey(use: KeyUse, places: LockPlaces): () => void {
  return holdInEach({ name: `key-${nameOf(use)}`, what: 'this API key', holder: use.holder }, places);
}

/**
 * Holds a wallet for the life of this process, in the same folders as a key: two processes that send for it would use the same
 * nonces.
 * @throws {LockHeldError} when another process holds it
 * @throws {SafetyError} when a lock folder can be changed by others
 */
export function holdWallet(
  { address, holder }: Readonly<{ address: Address; holder: string }>,
  places: LockPlaces,
): () => void {
  const lock = { name: `wallet-${address.toLowerCase()}`, what: `the wallet ${address}`, holder };
  return holdInEach(lock, places);
}

/** Name that distinguishes keys without revealing them. */
function nameOf({ apiKey, baseUrl }: KeyUse): string {
  return createHash('sha256')
    .update(`drover ${whereOf(baseUrl)} ${apiKey}`)
    .digest('hex')
    .slice(0, 32);
}

/** Part of the name for the venue: its port on this machine, which may run several; elsewhere empty, the key alone counts. */
function whereOf(baseUrl: string): string {
  const { protocol, port } = new URL(baseUrl);
  return protocol === 'http:' ? `loopback:${port || '80'}` : '';
}
