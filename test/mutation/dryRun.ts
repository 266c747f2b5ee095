import type { Mutant } from './mutant.ts';

const venue = 'src/sim/simulatedVenue.ts';

/** Bugs of a dry run: something reaches the real venue, is lost with the process, or fills as at no venue. */
export const dryRunMutants: readonly Mutant[] = [
  {
    name: 'dry-run-sends',
    what: 'the connection of a dry run lets orders through',
    edits: [
      {
        file: 'src/api/transport.ts',
        find: "if (method === 'GET') return",
        replace: "if (method !== 'DELETE') return",
      },
    ],
    caughtBy: { tests: ['test/api/transportReadOnlyTransport.test.ts'] },
  },
  {
    name: 'dry-run-forgets-account',
    what: 'the simulated orders are kept, and the account that they changed is not',
    edits: [
      {
        file: 'src/sim/simulatedBook.ts',
        find: 'this.#store.save([[ACCOUNT, account], ...changed',
        replace: 'this.#store.save([...changed',
      },
    ],
    caughtBy: { tests: ['test/engine/runtime/dryRun.test.ts'] },
  },
  {
    name: 'dry-run-without-trace',
    what: 'a simulated order that was never placed cannot be told from one that was',
    edits: [
      {
        file: venue,
        find: '(reportOf(txHash) ? null : { at: clock.now(), isReplaced: false })',
        replace: 'null',
      },
    ],
    caughtBy: { tests: ['test/engine/runtime/dryRun.test.ts'] },
  },
  {
    name: 'dry-run-splits-again',
    what: 'a simulated account does not keep which splits it has seen, and a restart splits it again',
    edits: [{ file: 'src/sim/simulatedVenue.ts', find: ' || book.hasBooked(id)', replace: '' }],
    caughtBy: { tests: ['test/sim/simulatedVenueSimulatedActions.test.ts'] },
  },
  {
    name: 'dry-run-fills-at-old-quotes',
    what: 'an order fills at a quote from before it was placed',
    edits: [{ file: venue, find: ' || order.createdAt >= asked', replace: '' }],
    caughtBy: { tests: ['test/sim/simulatedVenue.test.ts'] },
  },
];
