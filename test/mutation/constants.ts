import type { Mutant } from './mutant.ts';

const caughtBy = { tests: ['test/engine/runtime/risenFees.test.ts'] };

/** Bugs in handling values that the venue changes in mid-run. */
export const constantMutants: readonly Mutant[] = [
  {
    name: 'risen-fee-freezes',
    what: 'a buy whose stated fee has risen freezes its stock',
    edits: [
      {
        file: 'src/domain/orders/order.ts',
        find: '  if (pay - mintFee - protocolFee <= notionalOfBuy(terms) + DUST) return undefined;\n',
        replace: '  if (mintFee + protocolFee < 0n) return undefined;\n',
      },
    ],
    caughtBy,
  },
  {
    name: 'dear-fee-trades-on',
    what: 'a fee above limits.feeBps that is taken halts nothing',
    edits: [
      {
        file: 'src/engine/risk/feeCheck.ts',
        find: '(taken.fees - ROUNDING) * BPS_WHOLE > taken.notional * BigInt(feeBps)',
        replace: 'taken.fees > taken.notional * BigInt(feeBps)',
      },
    ],
    caughtBy,
  },
  {
    name: 'dear-fee-stated-trades-on',
    what: 'a fee above limits.feeBps that is stated halts nothing',
    edits: [
      {
        file: 'src/engine/account/termsCheck.ts',
        find: '    this.#feeCheck.stated(scheduleOf(terms));\n',
        replace: '    scheduleOf(terms);\n',
      },
    ],
    caughtBy,
  },
  {
    name: 'dear-fee-of-a-refused-settlement',
    what: 'a fee too high to be booked freezes one stock, and the next stock pays it too',
    edits: [
      {
        file: 'src/engine/risk/feeCheck.ts',
        find: '(!isBooked && !addsUp(terms, settlement))',
        replace: '(!isBooked && addsUp(terms, settlement))',
      },
    ],
    caughtBy,
  },
  {
    name: 'risen-fee-not-reserved',
    what: 'after a fee has risen, reserves go on by the old one',
    edits: [
      {
        file: 'src/domain/fees.ts',
        find: 'if (feesTaken.size > 0) schedules',
        replace: 'if (feesTaken.size < 0) schedules',
      },
    ],
    caughtBy,
  },
  {
    name: 'risen-fee-forgotten',
    what: 'a restart has forgotten that a fee has risen',
    edits: [
      {
        file: 'src/domain/account/accountState.ts',
        find: 'void account.feesTaken.set(side, bps)',
        replace: 'void (account.epoch > 1 && account.feesTaken.set(side, bps))',
      },
    ],
    caughtBy,
  },
  {
    name: 'smaller-page-unread',
    what: 'an order list that gives fewer rows at once than it is asked for never counts as read',
    edits: [
      {
        file: 'src/engine/runtime/sweep.ts',
        find: 'if (first > 0 && first < pages.limit)',
        replace: 'if (first > pages.limit)',
      },
    ],
    caughtBy: { tests: ['test/engine/runtime/sweep.test.ts'] },
  },
  {
    name: 'smaller-page-proves',
    what: 'one page that is as long as the list shows rows proves that none is missing',
    edits: [
      {
        file: 'src/engine/runtime/sweep.ts',
        find: 'pages = { limit: first, min: 2 };',
        replace: 'pages = { limit: first, min: 1 };',
      },
    ],
    caughtBy: { tests: ['test/engine/runtime/sweep.test.ts'] },
  },
  {
    name: 'warm-up-cut-short',
    what: 'a warm-up is as long as one answer of the venue',
    edits: [
      { file: 'src/market/feed.ts', find: 'const FEW = 2 * SPARE;', replace: 'const FEW = 1e6 * SPARE;' },
    ],
    caughtBy: { tests: ['test/engine/runtime/changedConstants.test.ts'] },
  },
  {
    name: 'link-that-names-an-end-freezes',
    what: 'a row that shows only the link of an order that has ended counts as an unknown word',
    edits: [
      {
        file: 'src/api/convert.ts',
        find: ' || wordIn(SHOWN_WORDS, linked) !== undefined;',
        replace: ' || wordIn(SHOWN_WORDS, linked) === undefined;',
      },
    ],
    caughtBy: { tests: ['test/engine/runtime/changedConstants.test.ts'] },
  },
];
