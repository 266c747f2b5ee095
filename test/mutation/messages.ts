import type { Mutant } from './mutant.ts';

/** Bugs in the messages for a newcomer's mistakes. */
export const messageMutants: readonly Mutant[] = [
  {
    name: 'hook-in-another-case',
    what: 'a hook that is misspelt in its case is never called, and nobody is told',
    edits: [
      {
        file: 'src/engine/strategy/hooks.ts',
        find: '/^on[A-Z]/.test(name) || inAnyCase(name) !== undefined',
        replace: '/^on[A-Z]/.test(name)',
      },
    ],
    caughtBy: { tests: ['test/cli/mistakes/strategies.test.ts'] },
  },
  {
    name: 'live-without-a-word',
    what: '--live with a config of another mode is passed over without a word',
    edits: [
      {
        file: 'src/app/run/startChecks.ts',
        find: "live && mode !== 'live'",
        replace: "live && mode === 'live'",
      },
    ],
    caughtBy: { tests: ['test/cli/mistakes/config.test.ts'] },
  },
  {
    name: 'union-as-a-whole',
    what: 'what is wrong within one of several forms is told of the whole value',
    edits: [
      {
        file: 'src/app/config/problems.ts',
        find: "if (issue.code !== 'invalid_union') return issue;",
        replace: 'if (issue.code) return issue;',
      },
    ],
    caughtBy: { tests: ['test/cli/mistakes/config.test.ts'] },
  },
  {
    name: 'file-as-state-folder',
    what: 'a file in the way of the state folder ends a run like a crash',
    edits: [
      {
        file: 'src/app/environment/journal.ts',
        find: '  requireNoFile(stateDir);\n',
        replace: '',
      },
    ],
    caughtBy: { tests: ['test/cli/mistakes/files.test.ts'] },
  },
];
