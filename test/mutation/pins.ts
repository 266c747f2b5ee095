import type { Mutant } from './mutant.ts';

/** Bugs in handling changes by the venue. */
export const pinMutants: readonly Mutant[] = [
  {
    name: 'contract-followed',
    what: 'the contract of a stock that the venue lists now goes before the pinned one, and nothing is frozen',
    edits: [
      {
        file: 'src/engine/kernel/kernel.ts',
        find: 'this.context.list(this.stockTerms.list(listings))',
        replace: 'this.context.list(listings)',
      },
    ],
    caughtBy: { tests: ['test/engine/account/termsCheckStock.test.ts'] },
  },
  {
    name: 'hand-order-unpinned',
    what: 'an order by hand waits for ever while the contract is not the one of the config',
    edits: [
      {
        file: 'src/engine/operator/manualSends.ts',
        find: 'const held = this.#heldBack(symbol, terms);',
        replace: 'const held = null;',
      },
    ],
    caughtBy: { tests: ['test/app/transfers/pinnedByHand.test.ts'] },
  },
  {
    name: 'delegation-by-yes',
    what: '--yes stands for a look at contract and delegatee',
    edits: [
      {
        file: 'src/cli/commands/venue/oneclick.ts',
        find: 'if (!isKnown && (options.yes === true || !keyboard.present))',
        replace: 'if (!isKnown && !options.yes && !keyboard.present)',
      },
    ],
    caughtBy: { tests: ['test/app/environment/pinsDelegation.test.ts'] },
  },
  {
    name: 'new-cash-token-pinned',
    what: 'a cash token that appears in mid-run is pinned without a word',
    edits: [
      {
        file: 'src/engine/account/termsCheck.ts',
        find: 'if (!isFirst && !known) {',
        replace: 'if (isFirst && known) {',
      },
    ],
    caughtBy: { tests: ['test/engine/account/termsCheckVenue.test.ts'] },
  },
  {
    name: 'unknown-cash-token-by-hand',
    what: 'a command by hand moves a cash token that the journal does not know',
    edits: [
      {
        file: 'src/app/environment/pinned.ts',
        find: 'if (isCashToken(pins, address)) return;',
        replace: 'if (address.length > 0) return;',
      },
    ],
    caughtBy: { tests: ['test/app/transfers/pinnedByHand.test.ts'] },
  },
  {
    name: 'other-contract-counted',
    what: 'shares of another contract count as those of the pinned one',
    edits: [
      {
        file: 'src/domain/account/pins.ts',
        find: 'contract === undefined || sameAddress(contract, pinned)',
        replace: 'contract === undefined || contract.length > 0 || sameAddress(contract, pinned)',
      },
    ],
    caughtBy: { tests: ['test/engine/runtime/otherContract.test.ts'] },
  },
];
