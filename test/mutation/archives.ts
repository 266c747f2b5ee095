import type { Mutant } from './mutant.ts';

const PRUNE = 'src/store/pruneJournal.ts';
const WRITE = '  for (const archive of archives) writeArchive(archive, journal, report);\n';

/** Bugs that lose or double the entries of closed years, or start without them. */
export const archiveMutants: readonly Mutant[] = [
  {
    name: 'removes-before-it-has-copied',
    what: 'entries leave the journal before their archive is complete',
    edits: [
      { file: PRUNE, find: WRITE, replace: '' },
      {
        file: PRUNE,
        find: "      report('compact', journal);\n",
        replace: `${WRITE}      report('compact', journal);\n`,
      },
    ],
    caughtBy: { tests: ['test/store/pruneJournal.test.ts'] },
  },
  {
    name: 'archive-is-not-read-back',
    what: 'a file that only ends like an archive takes the place of the entries',
    edits: [{ file: PRUNE, find: 'for (const _line of archivedLines([archive], journal));', replace: '' }],
    caughtBy: { tests: ['test/store/pruneJournal.test.ts'] },
  },
  {
    name: 'archive-is-not-tied',
    what: 'an archive of another journal is read where it has the same numbers',
    edits: [
      {
        file: 'src/store/archives.ts',
        find: 'last?.seq === end.seq && last.sum === end.sum',
        replace: 'last?.seq === end.seq',
      },
    ],
    caughtBy: { tests: ['test/store/archives.test.ts'] },
  },
  {
    name: 'start-without-closed-years',
    what: 'a start folds the present year alone',
    edits: [
      {
        file: 'src/store/sqliteJournal.ts',
        find: 'if (seq >= from) yield { at, fact };',
        replace: '',
      },
    ],
    caughtBy: { tests: ['test/store/archives.test.ts'] },
  },
  {
    name: 'pruned-journal-of-the-old-version',
    what: 'a version that knows no archives takes a pruned journal for the whole',
    edits: [{ file: PRUNE, find: '    raiseVersion(database);\n', replace: '' }],
    caughtBy: { tests: ['test/store/archives.test.ts'] },
  },
  {
    name: 'prunes-under-a-run',
    what: 'the journal of a run is pruned while it writes',
    edits: [
      {
        file: 'src/cli/commands/journal/prune.ts',
        find: 'withState({ stateDir, holder: holderOf(context) }, work)',
        replace: 'Promise.resolve(holderOf(context) + stateDir).then(work)',
      },
    ],
    caughtBy: { tests: ['test/cli/commands/journal/prune.test.ts'] },
  },
  {
    name: 'backup-behind-a-link',
    what: 'a backup is written into the state folder itself, named by a link',
    edits: [
      {
        file: 'src/app/environment/backupFolder.ts',
        find: 'relative(realPathOf(outer), realPathOf(folder))',
        replace: 'relative(outer, folder)',
      },
    ],
    caughtBy: { tests: ['test/cli/commands/state/backup.test.ts'] },
  },
  {
    name: 'full-disk-blames-the-original',
    what: 'a backup onto a full disk reports the journal of the run as unusable',
    edits: [
      {
        file: 'src/store/copies.ts',
        find: "if (!UNWRITTEN.test(codeOf(cause) ?? '')) throw cause;",
        replace: 'if (codeOf(cause) !== null) throw cause;',
      },
    ],
    caughtBy: { tests: ['test/store/copies.test.ts'] },
  },
  {
    name: 'bad-original-blames-the-copy',
    what: 'a journal that cannot be read is taken for a full disk under its backup',
    edits: [
      {
        file: 'src/store/copies.ts',
        find: 'const UNWRITTEN = /^SQLITE_(FULL|READONLY|IOERR_(WRITE|FSYNC|TRUNCATE))/;',
        replace: 'const UNWRITTEN = /^SQLITE_(FULL|READONLY|IOERR)/;',
      },
    ],
    caughtBy: { tests: ['test/store/copies.test.ts'] },
  },
];
