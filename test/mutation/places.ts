import type { Mutant } from './mutant.ts';

/** Bugs in where files are written and looked for. */
export const placeMutants: readonly Mutant[] = [
  {
    name: 'place-of-another-kind',
    what: 'a record or a page replaces the bars or the strategy that were named by mistake',
    edits: [
      {
        file: 'src/process/files.ts',
        find: 'if (found.size === 0 || begins.test(beginningOf(path))) return null;',
        replace: 'if (found.isFile() || begins.test(beginningOf(path))) return null;',
      },
    ],
    caughtBy: { tests: ['test/process/filesOutputPlace.test.ts'] },
  },
  {
    name: 'data-home-of-nothing',
    what: 'an empty or relative XDG_DATA_HOME puts keys and bars where the command is given',
    edits: [
      {
        file: 'src/process/files.ts',
        find: 'if (isAbsolute(data)) return data;',
        replace: "if (env['XDG_DATA_HOME'] !== undefined) return data;",
      },
    ],
    caughtBy: { tests: ['test/process/filesOutputPlace.test.ts'] },
  },
];
