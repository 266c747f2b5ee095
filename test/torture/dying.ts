import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isOwn } from '../../src/store/sqlite/sqlite.ts';

/** Commit of a journal, counted from 1, at which a process kills itself: `before` it is written, or `after`. */
export type Death = Readonly<{ commit: number; how: 'before' | 'after' }>;

const LIBRARY = createRequire(import.meta.url).resolve('@photostructure/sqlite');

/** Counts the commits of the journal in a process, and kills it (SIGKILL) at one of them. */
const SOURCE = `
import { createRequire } from 'node:module';
const require = createRequire(import.meta.url);
const isOwn = ${isOwn()};
const sqlite = isOwn ? process.getBuiltinModule('node:sqlite') : require('${LIBRARY}');
const [commit, how] = process.env.DIE_AT.split(' ');
let commits = 0;
class DatabaseSync extends sqlite.DatabaseSync {
  exec(sql) {
    const isCommit = sql === 'COMMIT' && (this.location('file') ?? this.location()).endsWith('journal.sqlite');
    if (isCommit) commits++;
    const dieIf = (moment) =>
      isCommit && moment === how && commits === Number(commit) && process.kill(process.pid, 'SIGKILL');
    dieIf('before');
    super.exec(sql);
    dieIf('after');
  }
}
if (isOwn) sqlite.DatabaseSync = DatabaseSync;
else require.cache['${LIBRARY}'].exports = { ...sqlite, DatabaseSync };
`;

/** Environment in which a process of the command line dies so. `dir`: folder for the script that makes it. */
export function dyingAt({ commit, how }: Death, dir: string): Readonly<Record<string, string>> {
  const file = join(dir, 'dying.mjs');
  writeFileSync(file, SOURCE);
  return { NODE_OPTIONS: `--import ${pathToFileURL(file).href}`, DIE_AT: `${commit} ${how}` };
}
