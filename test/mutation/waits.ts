import type { Mutant } from './mutant.ts';

const file = 'src/cli/transfers/chainTrace.ts';
const caughtBy = { tests: ['test/cli/transfers/chainTrace.test.ts'] };

/** Bugs about how long a command waits, with key and wallet held, for what it has sent. */
export const waitMutants: readonly Mutant[] = [
  {
    name: 'unknown-word-waited-for',
    what: 'a command waits for ever for an order or transfer of which the venue says a word that is not known',
    edits: [
      {
        file,
        find: '    if (observation?.isWordUnknown && isOverdue(sent)) return unknownWordObservation(observation);\n',
        replace: '',
      },
    ],
    caughtBy,
  },
  {
    name: 'unshown-order-waited-for',
    what: 'a command waits for ever for what was mined and is never shown by the venue',
    edits: [
      {
        file,
        find: "    if (observation === null && trace?.kind === 'mined' && isOverdue(sent))\n      return unshownObservation(unseen, sent);\n",
        replace: '',
      },
    ],
    caughtBy,
  },
];
