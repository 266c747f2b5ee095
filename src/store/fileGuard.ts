import { statSync, type BigIntStats } from 'node:fs';

/** Bits of a mode by which others may write. */
const OTHERS_WRITE = 0o022n;

type Known = Readonly<Pick<BigIntStats, 'dev' | 'ino' | 'uid'>> & { size: bigint };

/**
 * Compares the files of an open database with what lies under their names now. A database whose file was removed, moved away or
 * replaced goes on being written, and nobody finds what is written there. While it is open its inode is not given out again.
 */
export class FileGuard {
  readonly #names: readonly string[];
  readonly #known = new Map<string, Known>();
  #lost: string | null = null;

  /** Takes the files that are there now as the right ones; one that comes later, as it is seen first. */
  constructor(...names: string[]) {
    this.#names = names;
    this.check();
  }

  /** Reason why writes would be lost now; null while every file is the same. Once set it stays. */
  check(): string | null {
    for (const name of this.#names) this.#lost ??= this.#changeOf(name);
    return this.#lost;
  }

  #changeOf(name: string): string | null {
    const found = statSync(name, { bigint: true, throwIfNoEntry: false });
    const known = this.#known.get(name);
    if (!known) {
      if (found) this.#known.set(name, { dev: found.dev, ino: found.ino, uid: found.uid, size: found.size });
      return null;
    }
    if (!found) return `${name} is gone`;
    if (found.ino !== known.ino || found.dev !== known.dev) return `${name} was replaced by another file`;
    if (found.size < known.size) return `${name} was cut short`;
    if (found.uid !== known.uid) return `${name} belongs to another user now`;
    if ((found.mode & OTHERS_WRITE) !== 0n) return `${name} may be written by other users now`;
    known.size = found.size;
    return null;
  }
}
