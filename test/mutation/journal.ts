import type { Mutant } from './mutant.ts';

/** Bugs of starts and of changed journals that buy again. */
export const journalMutants: readonly Mutant[] = [
  {
    name: 'checkpoint-of-any-sum',
    what: 'a start takes a checkpoint that is not the one of its entry',
    edits: [
      {
        file: 'src/engine/runtime/checkpoints.ts',
        find: 'if (entry.fact.hash !== hashHex(body)) return',
        replace: 'if (entry.fact.hash === body) return',
      },
    ],
    caughtBy: { tests: ['test/engine/runtime/checkpoints.test.ts'] },
  },
  {
    name: 'tail-too-late',
    what: 'the first entry after a checkpoint is not read',
    edits: [
      {
        file: 'src/engine/runtime/checkpoints.ts',
        find: 'journal.entries(resume(journal, fold).from)',
        replace: 'journal.entries(resume(journal, fold).from + 2)',
      },
    ],
    caughtBy: { tests: ['test/engine/runtime/checkpoints.test.ts'] },
  },
  {
    name: 'tail-too-early',
    what: 'the last entry that a checkpoint has is read again',
    edits: [
      {
        file: 'src/engine/runtime/checkpoints.ts',
        find: 'journal.entries(resume(journal, fold).from)',
        replace: 'journal.entries(resume(journal, fold).from - 1)',
      },
    ],
    caughtBy: { tests: ['test/engine/runtime/checkpoints.test.ts'] },
  },
  {
    name: 'checkpoint-of-another-version',
    what: 'a checkpoint of another version of the program is taken',
    edits: [
      {
        file: 'src/engine/runtime/checkpoints.ts',
        find: 'if (form !== FORM) return',
        replace: "if (form === '') return",
      },
    ],
    caughtBy: { tests: ['test/engine/runtime/checkpoints.test.ts'] },
  },
  {
    name: 'wrong-checkpoint-proved',
    what: 'journal verify finds no checkpoint wrong',
    edits: [
      {
        file: 'src/engine/runtime/checkpoints.ts',
        find: 'entry.fact.hash !== hashHex(this.#fold.text())',
        replace: "entry.fact.hash === ''",
      },
    ],
    caughtBy: { tests: ['test/engine/runtime/checkpoints.test.ts'] },
  },
  {
    name: 'file-unchecked-after-a-crash',
    what: 'the file of a journal is not checked whole after a process that did not close it',
    edits: [
      {
        file: 'src/store/sqliteJournal.ts',
        find: 'if (isUnclean) checkWhole',
        replace: 'if (file.length === 0) checkWhole',
      },
    ],
    caughtBy: { tests: ['test/store/sqliteJournal.test.ts'] },
  },
  {
    name: 'entries-from-the-next',
    what: 'entries that are read from a number on begin with the one after it',
    edits: [
      {
        file: 'src/store/sqliteJournal.ts',
        find: 'const after = Math.max(from - 1, start.seq);',
        replace: 'const after = from === 1 ? start.seq : Math.max(from, start.seq);',
      },
    ],
    caughtBy: { tests: ['test/store/sqliteJournal.test.ts'] },
  },
  {
    name: 'kind-without-its-stored-name',
    what: 'rows of delivered fills get a kind that older versions do not know',
    edits: [
      {
        file: 'src/store/storedNames.ts',
        find: "  fillDelivered: { kind: 'told' },\n",
        replace: '',
      },
    ],
    caughtBy: { tests: ['test/store/storedNames.test.ts'] },
  },
  {
    name: 'field-without-its-stored-name',
    what: 'the terms of a stored intent are not found when it is read',
    edits: [
      {
        file: 'src/store/storedNames.ts',
        find: "{ strategyId: 'owner', terms: 'want' }",
        replace: "{ strategyId: 'owner' }",
      },
    ],
    caughtBy: { tests: ['test/store/storedNames.test.ts'] },
  },
  {
    name: 'start-without-comparison',
    what: 'a start sends although ledger and account do not agree',
    edits: [
      {
        file: 'src/engine/kernel/startCheck.ts',
        find: 'if (this.#doubts.length === 0) this.#confirmed();',
        replace: 'if (this.#doubts.length >= 0) this.#confirmed();',
      },
    ],
    caughtBy: { tests: ['test/engine/kernel/startCheck.test.ts'] },
  },
  {
    name: 'seen-is-accepted',
    what: 'an order of others that one start has found stops the next one no more',
    edits: [
      {
        file: 'src/domain/orders/reportMatching.ts',
        find: 'isFirst ? seen.unaccepted === true',
        replace: 'isFirst ? false',
      },
    ],
    caughtBy: { tests: ['test/engine/kernel/startCheck.test.ts'] },
  },
  {
    name: 'lost-journal-is-new',
    what: 'a state folder that has lost its journal begins anew',
    edits: [
      {
        file: 'src/store/integrity.ts',
        find: 'if (isLost(file, marker)) throw',
        replace: 'if (isLost(file, marker) && file === "") throw',
      },
    ],
    caughtBy: { tests: ['test/app/environment/journalLost.test.ts'] },
  },
  {
    name: 'sends-on-a-deleted-journal',
    what: 'what is committed to a file that has no name any more is followed by a send',
    edits: [
      {
        file: 'src/store/sqliteJournal.ts',
        find: 'if (!found) return `${name} is gone`;',
        replace: 'if (!found) return null;',
      },
    ],
    caughtBy: { tests: ['test/store/fileGuard.test.ts'] },
  },
  {
    name: 'key-by-the-name-of-the-host',
    what: 'localhost and 127.0.0.1 are two venues to the lock of the key',
    edits: [
      {
        file: 'src/app/environment/locks.ts',
        find: "return protocol === 'http:' ? `loopback:${port || '80'}` : '';",
        replace: "return protocol === 'http:' ? `${new URL(baseUrl).hostname}:${port || '80'}` : '';",
      },
    ],
    caughtBy: { tests: ['test/app/environment/locks.test.ts'] },
  },
];
