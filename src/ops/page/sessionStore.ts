import { orElse } from '../../core/errors.ts';
import { join } from 'node:path';
import { z } from 'zod';
import { epochMs, type EpochMs } from '../../core/brand.ts';
import type { Clock } from '../../core/clock.ts';
import { lstatSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { exposure } from '../../store/trust.ts';

/** Name of the key file in a state folder. Deleting it ends all page sessions at the next start. */
const KEY_FILE = 'page.key';
/** Name of the file with ended sessions, beside the key. */
const ENDED_FILE = 'page.ended';
/** Length of the key, in bytes. */
export const KEY_BYTES = 32;

/**
 * Key that signs the page's sessions, stored in the state folder so that they survive a restart. A file that others may read, a
 * link, or one of another length is replaced, which ends the sessions it signed. If the folder is not writable, the key is for
 * this run only.
 * @param bytes unpredictable bytes
 */
export function pageKey(stateDir: string, bytes: (length: number) => Uint8Array): Buffer {
  const file = join(stateDir, KEY_FILE);
  const kept = Buffer.from(readPrivate(file)?.trim() ?? '', 'hex');
  if (kept.length === KEY_BYTES) return kept;
  const key = Buffer.from(bytes(KEY_BYTES));
  // Without the file the page still works, until the run ends.
  orElse(() => placePrivate(file, `${key.toString('hex')}\n`), undefined);
  return key;
}

/** `all`: time up to which all sessions that began are ended. `byId`: time by which all cookies of a session expire. Epoch ms. */
const endedSchema = z.strictObject({ all: z.number(), byId: z.record(z.string(), z.number()) });
type EndedSession = Readonly<z.output<typeof endedSchema>>;

/**
 * Page sessions that were ended early. They are stored beside the key, so that a copied cookie stays useless after a restart, and in
 * other commands that serve the page of the same run. A file that is damaged, or that others could change, ends every session that
 * began before it was read.
 */
export class EndedSessions {
  readonly #file: string | null;
  readonly #clock: Pick<Clock, 'now'>;
  #ended: EndedSession = { all: 0, byId: {} };
  #stamp: string | null = null;

  /** @param stateDir folder of the file; null to remember them only in this process */
  constructor(stateDir: string | null, clock: Pick<Clock, 'now'>) {
    this.#file = stateDir === null ? null : join(stateDir, ENDED_FILE);
    this.#clock = clock;
  }

  has(id: string, issued: EpochMs): boolean {
    const { all, byId } = this.#current();
    return issued <= all || byId[id] !== undefined;
  }

  /** Start time for a new session: later than all ended ones, even if the clock was set back since. */
  after(now: EpochMs): EpochMs {
    return epochMs(Math.max(now, this.#current().all + 1));
  }

  /** Ends a session. `until`: expiry of all its cookies. @throws if that cannot be stored; it has still ended here */
  add(id: string, until: EpochMs): void {
    const { all, byId } = this.#current();
    const now = this.#clock.now();
    const lasting = Object.entries(byId).filter(([, over]) => over > now);
    this.#keep({ all, byId: Object.fromEntries([...lasting, [id, until]]) });
  }

  /** Ends every session that began until now. @throws if that cannot be stored; they are still ended here */
  addAll(): void {
    this.#keep({ all: this.#clock.now(), byId: {} });
  }

  #current(): EndedSession {
    if (this.#file === null) return this.#ended;
    const stamp = stampOf(this.#file);
    if (stamp === null || stamp === this.#stamp) return this.#ended;
    this.#stamp = stamp;
    this.#ended = endedIn(readPrivate(this.#file)) ?? { all: this.#clock.now(), byId: {} };
    return this.#ended;
  }

  #keep(ended: EndedSession): void {
    this.#ended = ended;
    if (this.#file === null) return;
    placePrivate(this.#file, `${JSON.stringify(ended)}\n`);
    this.#stamp = stampOf(this.#file);
  }
}

const endedIn = (text: string | null): EndedSession | null =>
  orElse(() => endedSchema.parse(JSON.parse(text ?? '')), null);

/** Content of a file that nobody else can read or change; null for any other file, a link, or none. */
export const readPrivate = (file: string): string | null =>
  orElse(() => {
    const stats = lstatSync(file);
    return stats.isFile() && exposure(stats, file) === null ? readFileSync(file, 'utf8') : null;
  }, null);

/** Replaces a file by one that is private to this user. @throws if it cannot be written */
export function placePrivate(file: string, text: string): void {
  const fresh = `${file}.tmp`;
  rmSync(fresh, { force: true });
  writeFileSync(fresh, text, { flag: 'wx', mode: 0o600, flush: true });
  renameSync(fresh, file);
}

/** Stamp of a file that changes with each replacement; null without a file. */
export function stampOf(file: string): string | null {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  return stats ? `${stats.ino} ${stats.mtimeMs} ${stats.size}` : null;
}
