import type { Mutant } from './mutant.ts';

const file = 'src/domain/account/hiddenAmounts.ts';
const caughtBy = { tests: ['test/app/environment/venueSide.test.ts'] };

/** Bugs in the stated locations of the account's money and stock. */
export const locationMutants: readonly Mutant[] = [
  {
    name: 'link-of-others-locks-nothing',
    what: 'an order of another program that is no more than a link counts as one that locks nothing',
    edits: [{ file, find: "(row.status === 'pending' && isOurs)", replace: "row.status === 'pending'" }],
    caughtBy,
  },
  {
    name: 'lock-not-shown-is-none',
    what: 'an open order whose lock the venue does not show counts as one that locks nothing',
    edits: [
      {
        file,
        find: 'if (!row.terms || row.locked === null) return null;',
        replace: 'if (!row.terms || row.locked === null) continue;',
      },
    ],
    caughtBy,
  },
  {
    name: 'transfer-without-amount-moves-nothing',
    what: 'a transfer of another program that is no more than a link counts as one that moves nothing',
    edits: [
      {
        file,
        find: "if (row.status !== 'processing' || !row.moved) return null;",
        replace: "if (row.status !== 'processing' || !row.moved) continue;",
      },
    ],
    caughtBy,
  },
  {
    name: 'known-external-lock-is-a-difference',
    what: 'what a known order of another program locks is a difference where it is locked and none where it is free',
    edits: [
      {
        file: 'src/domain/account/locations.ts',
        find: 'expected = accountState.ledger.total(asset) - expectedOfOrders(accountState, asset).expected;',
        replace:
          'expected = accountState.ledger.total(asset) - expectedOfOrders(accountState, asset).expected - lockedByExternal(accountState, asset);',
      },
    ],
    caughtBy,
  },
];
