import { statSync, type BigIntStats } from 'node:fs';

/** Bits of a mode by which others may write. */
const OTHERS_WRITE = 0o022n;

type Known = Readonly<Pick<BigIntStats, 'dev' | 'ino' | 'uid'>> & { size: bigint };

/**
 * Compares the files of an open database with the files that now have their names. Writes to a database whose file was removed,
 * moved or replaced succeed, and are lost. An open file's inode number is not reused.
 */
export class FileGuard {
  readonly #names: readonly string[];
  readonly #known = new Map<string, Known>();
  #lost: string | null = null;

  /** Takes the present files as the right ones, and a later one as it is first seen. */
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
