import { orElse } from '../../core/errors.ts';
import { join } from 'node:path';
import { z } from 'zod';
import { epochMs, type EpochMs } from '../../core/brand.ts';
import type { Clock } from '../../core/clock.ts';
import { lstatSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { exposure } from '../../store/trust.ts';

/** Name of the key's file in a state folder. Removing it ends every session of the page at the next start. */
const KEY_FILE = 'page.key';
/** Name of the file of the sessions that have ended, beside the key. */
const ENDED_FILE = 'page.ended';
/** Length of the key, in bytes. */
export const KEY_BYTES = 32;

/**
 * Key with which the sessions of the page are signed, kept in the state folder so that they outlive a restart. A file that others
 * may read, a link, or one of another length is replaced: the sessions that it signed end. If the folder cannot be written, the
 * key is for this run alone.
 * @param bytes unpredictable bytes
 */
export function pageKey(stateDir: string, bytes: (length: number) => Uint8Array): Buffer {
  const file = join(stateDir, KEY_FILE);
  const kept = Buffer.from(readPrivate(file)?.trim() ?? '', 'hex');
  if (kept.length === KEY_BYTES) return kept;
  const key = Buffer.from(bytes(KEY_BYTES));
  // The page works without the file, until the run ends.
  orElse(() => placePrivate(file, `${key.toString('hex')}\n`), undefined);
  return key;
}

/** `all`: time until which every session that began has ended. `byId`: time by which each cookie of a session is over. Epoch ms. */
const endedSchema = z.strictObject({ all: z.number(), byId: z.record(z.string(), z.number()) });
type EndedSession = Readonly<z.output<typeof endedSchema>>;

/**
 * Sessions of the page that somebody has ended before their time. They are kept beside the key, so that a copy of a cookie is worth
 * nothing after a restart either, nor at another command that serves the page of the same run. A file that is not whole, or that others
 * could change, ends every session that began before it was read.
 */
export class EndedSessions {
  readonly #file: string | null;
  readonly #clock: Pick<Clock, 'now'>;
  #ended: EndedSession = { all: 0, byId: {} };
  #stamp: string | null = null;

  /** @param stateDir folder of the file; null to remember them in this process alone */
  constructor(stateDir: string | null, clock: Pick<Clock, 'now'>) {
    this.#file = stateDir === null ? null : join(stateDir, ENDED_FILE);
    this.#clock = clock;
  }

  has(id: string, issued: EpochMs): boolean {
    const { all, byId } = this.#current();
    return issued <= all || byId[id] !== undefined;
  }

  /** Time of a session that begins now: after all that have ended, also where the clock was set back since. */
  after(now: EpochMs): EpochMs {
    return epochMs(Math.max(now, this.#current().all + 1));
  }

  /** Ends a session. `until`: time by which each of its cookies is over. @throws if it cannot be kept; it has ended here */
  add(id: string, until: EpochMs): void {
    const { all, byId } = this.#current();
    const now = this.#clock.now();
    const lasting = Object.entries(byId).filter(([, over]) => over > now);
    this.#keep({ all, byId: Object.fromEntries([...lasting, [id, until]]) });
  }

  /** Ends every session that began until now. @throws if it cannot be kept; they have ended here */
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

/** Text of a file that nobody else can read or change; null for one of others, for a link, and for none. */
export const readPrivate = (file: string): string | null =>
  orElse(() => {
    const stats = lstatSync(file);
    return stats.isFile() && exposure(stats, file) === null ? readFileSync(file, 'utf8') : null;
  }, null);

/** Puts a file for this user alone in the place of what is there. @throws if it cannot be written */
export function placePrivate(file: string, text: string): void {
  const fresh = `${file}.tmp`;
  rmSync(fresh, { force: true });
  writeFileSync(fresh, text, { flag: 'wx', mode: 0o600, flush: true });
  renameSync(fresh, file);
}

/** State of a file that changes with each replacement of it; null without one. */
export function stampOf(file: string): string | null {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  return stats ? `${stats.ino} ${stats.mtimeMs} ${stats.size}` : null;
}
