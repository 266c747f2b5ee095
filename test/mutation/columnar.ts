import type { Mutant } from './mutant.ts';

const caughtBy = { tests: ['test/lab/columnar/parity.test.ts'] } as const;
const [ACCOUNT, RUN, TIMELINE, PRICES] = ['account', 'fusedRun', 'timeline', 'prices'].map(
  (name) => `src/lab/columnar/${name}.ts`,
) as [string, string, string, string];

/** Bugs of the columnar engine: each a difference from the kernel. */
export const columnarMutants: readonly Mutant[] = [
  {
    name: 'columnar-fee-of-a-sale',
    what: 'sales cost no fees',
    edits: [{ file: ACCOUNT, find: 'this.cash += net;', replace: 'this.cash += notional;' }],
    caughtBy,
  },
  {
    name: 'columnar-fee-of-a-cent',
    what: 'a buy of cents costs them without fees',
    edits: [{ file: ACCOUNT, find: 'cost: count * this.#centCost }', replace: 'cost: count * CENT }' }],
    caughtBy,
  },
  {
    name: 'columnar-rounds-up',
    what: 'bought shares are rounded up',
    edits: [
      {
        file: ACCOUNT,
        find: "sharesFor(cash(notional), at.filled, 'down')",
        replace: "sharesFor(cash(notional), at.filled, 'up')",
      },
    ],
    caughtBy,
  },
  {
    name: 'columnar-step',
    what: 'sales are not cut to the step of shares',
    edits: [
      { file: ACCOUNT, find: "isNothing(to) ? most : roundTo(most, SHARE_STEP, 'down')", replace: 'most' },
    ],
    caughtBy,
  },
  {
    name: 'columnar-cent',
    what: 'a size that is cut to the cent is one too many',
    edits: [{ file: ACCOUNT, find: '> doubt ? whole : NaN', replace: '> doubt ? whole + 1 : NaN' }],
    caughtBy,
  },
  {
    name: 'columnar-slippage-side',
    what: 'slippage makes fills better',
    edits: [
      {
        file: RUN,
        find: "side: isBuy ? 'buy' : 'sell', price",
        replace: "side: isBuy ? 'sell' : 'buy', price",
      },
    ],
    caughtBy,
  },
  {
    name: 'columnar-cash-limit',
    what: 'a buy takes the money of another order that is under way',
    edits: [
      { file: ACCOUNT, find: 'cash(this.cash - this.#reserved), this', replace: 'cash(this.cash), this' },
    ],
    caughtBy,
  },
  {
    name: 'columnar-fee-beyond-cash',
    what: 'a buy of all the cash leaves none for its fee',
    edits: [{ file: ACCOUNT, find: 'free / (1 + this.#feePart)', replace: 'free' }],
    caughtBy,
  },
  {
    name: 'columnar-split',
    what: 'the price of before a split stays until the next bar',
    edits: [{ file: PRICES, find: 'this.of(symbol) / per;', replace: 'this.of(symbol);' }],
    caughtBy,
  },
  {
    name: 'columnar-half-day',
    what: 'the last bar of a half day is one like any other',
    edits: [
      {
        file: TIMELINE,
        find: '+ lengthMs >= session.close ? to - 1 : -1',
        replace: '+ lengthMs >= session.open + 23_400_000 ? to - 1 : -1',
      },
    ],
    caughtBy,
  },
  {
    name: 'columnar-gap',
    what: 'an order fills at a row at which its symbol has no bar',
    edits: [
      {
        file: RUN,
        find: 'if (this.#prices.hasBar(order.symbol)) this.#fill(order);',
        replace: 'this.#fill(order);',
      },
    ],
    caughtBy,
  },
  {
    name: 'columnar-old-price',
    what: 'a target is sized at a price of the session before',
    edits: [
      {
        file: RUN,
        find: 'if (!this.#prices.isSince(symbol, this.#rows?.pricedFrom ?? 0)) return;',
        replace: '',
      },
    ],
    caughtBy,
  },
  {
    name: 'columnar-buys-first',
    what: 'buys do not wait for the money of sells',
    edits: [{ file: RUN, find: 'excess > 0 ? NONE : [...sells]', replace: 'NONE' }],
    caughtBy,
  },
  {
    name: 'columnar-close-as-another-opens',
    what: 'an order on a close misses that of a bar that ends as another begins',
    edits: [
      {
        file: RUN,
        find: 'if (!isOpen) return this.#prices.hasBar(symbol);',
        replace: 'if (!isOpen || row >= 0) return !isOpen && this.#prices.hasBar(symbol);',
      },
    ],
    caughtBy,
  },
  {
    name: 'columnar-settles-at-once',
    what: 'a fill at the close is known at that close, although the venue settles it later',
    edits: [
      {
        file: RUN,
        find: 'if (this.#input.model.settlementMs === 0) this.#report();',
        replace: 'this.#report();',
      },
    ],
    caughtBy,
  },
  {
    name: 'columnar-off-the-tick',
    what: 'fills at the venue without slippage are not on its tick',
    edits: [{ file: RUN, find: " && model.fill !== 'venue') return found;", replace: ') return found;' }],
    caughtBy,
  },
  {
    name: 'columnar-priced-before-start',
    what: 'a price of before the start is one of the first session with bars',
    edits: [{ file: TIMELINE, find: 'isFirst ? -1 : from,', replace: 'from === 0 ? -1 : from,' }],
    caughtBy,
  },
];
