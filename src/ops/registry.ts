import { orElse } from '../core/errors.ts';
import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Cancel, Host } from '../core/clock.ts';
import { systemRandom } from '../core/random.ts';
import { accepts, isOwnSocket } from './control/socket.ts';
import type { DaemonIdentity } from './daemon.ts';

const entrySchema = z.object({
  socket: z.string(),
  stateDir: z.string(),
  mode: z.enum(['emulator', 'dry-run', 'live']),
  account: z.string(),
  pid: z.number(),
  startedAt: z.string(),
});

/** A running daemon's registration. `socket`: path of its control API; `startedAt`: by the machine's clock. */
export type RegisteredDaemon = Readonly<z.output<typeof entrySchema>>;

const PREFIX = 'daemon-';

/** One file per state folder: a new daemon replaces the entry of a dead one on the same folder. */
const fileOf = (folder: string, stateDir: string): string =>
  join(folder, `${PREFIX}${createHash('sha256').update(stateDir).digest('hex').slice(0, 32)}.json`);

/**
 * Registers a daemon in this user's lock folders, where commands find it. Returns a function to unregister it.
 * Unwritable folders are skipped: the socket can also be found through the state folder.
 */
export function registerDaemon(
  { mode, account, stateDir, pid }: DaemonIdentity,
  { socket, startedAt }: Pick<RegisteredDaemon, 'socket' | 'startedAt'>,
  folders: readonly string[],
): Cancel {
  const text = JSON.stringify({ socket, stateDir, mode, account, pid, startedAt });
  const files = folders.map((folder) => fileOf(folder, stateDir));
  for (const file of files)
    orElse(() => {
      const fresh = `${file}.${systemRandom.uuid()}.tmp`;
      writeFileSync(fresh, text, { flag: 'wx', mode: 0o600 });
      renameSync(fresh, file);
    }, null);
  return () => {
    for (const file of files)
      if (entryIn(file)?.pid === pid) orElse(() => rmSync(file, { force: true }), null);
  };
}

/** This user's daemons that respond. Entries of dead ones are removed. */
export async function registeredDaemons(
  folders: readonly string[],
  host: Pick<Host, 'after'>,
): Promise<readonly RegisteredDaemon[]> {
  const byState = new Map<string, RegisteredDaemon>();
  for (const file of folders.flatMap(entriesOf)) {
    const entry = entryIn(file);
    if (entry === null || byState.has(entry.stateDir)) continue;
    if (isOwnSocket(entry.socket) && (await accepts(entry.socket, host))) byState.set(entry.stateDir, entry);
    else orElse(() => rmSync(file, { force: true }), null);
  }
  return [...byState.values()];
}

const entriesOf = (folder: string): string[] =>
  orElse(() => readdirSync(folder), [])
    .filter((name) => name.startsWith(PREFIX) && name.endsWith('.json'))
    .map((name) => join(folder, name));

/** Entry in a file; null if invalid or truncated. */
const entryIn = (file: string): RegisteredDaemon | null =>
  orElse(() => {
    if (lstatSync(file, { throwIfNoEntry: false })?.isFile() !== true) return null;
    return entrySchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  }, null);
