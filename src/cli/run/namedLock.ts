import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { oneLine } from '../../core/printable.ts';
import { holdLock } from '../../store/lock.ts';
import type { CommandContext } from '../context.ts';

/** A lock in a folder: `NAME.sqlite` keeps others out, `NAME.txt` says who holds it. */
export type NamedLock = Readonly<{
  folder: string;
  name: string;
  /** The thing that is held, as an error names it. */
  what: string;
  /** This process, as the errors of others name it. */
  holder: string;
}>;

/** Longest text that is shown of a note. */
const NOTE_MAX = 300;

/** This process, as those that it keeps out are told of it. */
export function holderOf({ commandName, pid }: CommandContext, stateDir?: string): string {
  const where = stateDir === undefined ? '' : ` on the state folder ${stateDir}`;
  return `drover ${commandName} (process ${pid})${where}`;
}

/**
 * Holds a lock for the life of this process, with a note of who does. A note that cannot be read or written hinders nobody: it
 * is words for people alone. Gives back the release.
 * @throws {LockHeldError} when another process holds it, naming that one
 * @throws {SafetyError} when it cannot be taken for another reason
 */
export function holdNamed({ folder, name, what, holder }: NamedLock): () => void {
  const note = join(folder, `${name}.txt`);
  const found = unlessItFails(() => readFileSync(note, 'utf8')) ?? '';
  const held = found === '' ? '' : `, held by ${oneLine(found, NOTE_MAX)}`;
  const release = holdLock(join(folder, `${name}.sqlite`), `${what}${held}`);
  unlessItFails(() => writeFileSync(note, holder, { mode: 0o600 }));
  return () => {
    unlessItFails(() => rmSync(note, { force: true }));
    release();
  };
}

function unlessItFails<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}
