import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Commit of a journal, counted from 1, at which a process kills itself: `before` it is written, or `after`. */
export type Death = Readonly<{ commit: number; how: 'before' | 'after' }>;

/** Counts the commits of the journal in a process, and kills it (SIGKILL) at one of them. */
const SOURCE = `
import Database from ${JSON.stringify(pathToFileURL(createRequire(import.meta.url).resolve('better-sqlite3')).href)};
const [commit, how] = process.env.DIE_AT.split(' ');
const { transaction } = Database.prototype;
let commits = 0;
Database.prototype.transaction = function (body) {
  const run = transaction.call(this, body);
  if (!this.name.endsWith('journal.sqlite')) return run;
  const dieIf = (moment) => moment === how && commits === Number(commit) && process.kill(process.pid, 'SIGKILL');
  const immediate = (...given) => {
    commits++;
    dieIf('before');
    const result = run.immediate(...given);
    dieIf('after');
    return result;
  };
  return Object.assign((...given) => run(...given), { immediate });
};
`;

/** Environment in which a process of the command line dies so. `dir`: folder for the script that makes it. */
export function dyingAt({ commit, how }: Death, dir: string): Readonly<Record<string, string>> {
  const file = join(dir, 'dying.mjs');
  writeFileSync(file, SOURCE);
  return { NODE_OPTIONS: `--import ${pathToFileURL(file).href}`, DIE_AT: `${commit} ${how}` };
}
