import type { Mutant } from './mutant.ts';

/** Bugs in what an operator does by hand: the kill file, commands that send, and the word on an order. */
export const handMutants: readonly Mutant[] = [
  {
    name: 'kill-file-stops-cancels',
    what: 'the kill file keeps back the cancels of a run that is told to cancel at its end',
    edits: [
      {
        file: 'src/engine/runner.ts',
        find: "if (to === 'place' && this.#options.killed()) return 'the kill file is there';",
        replace: "if (this.#options.killed()) return 'the kill file is there';",
      },
    ],
    caughtBy: { tests: ['test/engine/stopping.test.ts'] },
  },
  {
    name: 'kill-file-unannounced',
    what: 'nobody is told that the kill file has appeared or gone',
    edits: [
      {
        file: 'src/cli/run/killSwitch.ts',
        find: 'if (now === last) return;',
        replace: 'if (now === last || now !== last) return;',
      },
    ],
    caughtBy: { tests: ['test/cli/killSwitch.test.ts'] },
  },
  {
    name: 'hand-command-beside-a-run',
    what: 'a command by hand sends while a run has its API key or its state folder',
    edits: [
      {
        file: 'src/cli/connect.ts',
        find: 'return asSoleSender(loaded, context, () =>',
        replace:
          'return ((...[, , send]: [unknown, unknown, () => Promise<T>]) => send())(loaded, context, () =>',
      },
    ],
    caughtBy: { tests: ['test/cli/soleSender.test.ts'] },
  },
  {
    name: 'reading-command-that-sends',
    what: 'a connection that holds no lock lets requests through that change something',
    edits: [
      {
        file: 'src/cli/connect.ts',
        find: 'allow: [], through: readOnly }',
        replace: 'allow: [], through: (transport) => transport }',
      },
    ],
    caughtBy: { tests: ['test/cli/soleSender.test.ts'] },
  },
];
