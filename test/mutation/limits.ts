import type { Mutant } from './mutant.ts';

const drawdowns = { tests: ['test/engine/risk/drawdowns.test.ts'] };
const premiums = { tests: ['test/engine/risk/premium.test.ts'] };
const fills = { tests: ['test/backtest/syntheticFills.test.ts'] };

/** Bugs in protective limits, and in the price path within a bar. */
export const limitMutants: readonly Mutant[] = [
  {
    name: 'jump-confirmed-by-its-repetition',
    what: 'a price that jumps is believed with the second quote of it',
    edits: [
      {
        file: 'src/engine/state/market.ts',
        find: 'const isConfirmed = same?.isWitnessed === true || now - since >= SAME_MS;',
        replace: 'const isConfirmed = same !== null || now - since >= SAME_MS;',
      },
    ],
    caughtBy: { tests: ['test/engine/runtime/priceJumps.test.ts'] },
  },
  {
    name: 'jump-forgotten-at-a-start',
    what: 'the first price of a run is believed, whatever the last run knew',
    edits: [
      {
        file: 'src/engine/state/market.ts',
        find: 'this.#quotes.get(symbol)?.price ?? this.recalled.get(symbol);',
        replace: 'this.#quotes.get(symbol)?.price ?? (this.recalled.get(symbol) && undefined);',
      },
    ],
    caughtBy: { tests: ['test/engine/runtime/priceJumps.test.ts'] },
  },
  {
    name: 'fill-off-the-market-unseen',
    what: 'a fill far from every quote freezes nothing',
    edits: [
      {
        file: 'src/engine/orders/settlementCheck.ts',
        find: 'if (off === null || isSettlementAccepted',
        replace: 'if (off !== null || isSettlementAccepted',
      },
    ],
    caughtBy: { tests: ['test/engine/orders/settlementCheck.test.ts'] },
  },
  {
    name: 'fill-judged-by-old-quotes',
    what: 'a fill is compared with quotes from before it alone',
    edits: [
      {
        file: 'src/engine/orders/settlementCheck.ts',
        find: 'return this.#reads === first.reads && now - first.at < NEXT_QUOTE_MS;',
        replace: 'return first.reads < 0 && now - first.at < NEXT_QUOTE_MS;',
      },
    ],
    caughtBy: { tests: ['test/engine/orders/settlementCheck.test.ts'] },
  },
  {
    name: 'deposit-lifts-the-peak',
    what: 'capital that comes or goes does not move the peak that a drawdown is measured from',
    edits: [
      {
        file: 'src/domain/account/equityPeaks.ts',
        find: 'flow: cash(peak.flow + amount) });',
        replace: 'flow: peak.flow });',
      },
    ],
    caughtBy: drawdowns,
  },
  {
    name: 'drawdown-again-after-resume',
    what: 'a resumed drawdown counts on from its old peak',
    edits: [
      {
        file: 'src/domain/account/equityPeaks.ts',
        find: '    this.byOwner.delete(owner);',
        replace: '    void owner;',
      },
    ],
    caughtBy: drawdowns,
  },
  {
    name: 'pause-ends-a-streak',
    what: 'losses of a streak are counted on after its pause',
    edits: [
      {
        file: 'src/engine/risk/pauses.ts',
        find: 'return { count: isPaused ? trades : count, until: isPaused ? until : null };',
        replace: 'return { count, until: null };',
      },
    ],
    caughtBy: { tests: ['test/engine/risk/pauses.test.ts'] },
  },
  {
    name: 'pause-of-another-session',
    what: 'a loss that is booked after the close pauses the whole next session',
    edits: [
      {
        file: 'src/engine/risk/pauses.ts',
        find: '(rules.trade ? calendar.nextSession(at) : calendar.previousSession(at))',
        replace: '(rules ? calendar.nextSession(at) : calendar.previousSession(at))',
      },
    ],
    caughtBy: { tests: ['test/engine/risk/pauses.test.ts'] },
  },
  {
    name: 'doubt-with-fees',
    what: 'a cancelled buy as large as its limit keeps the next one waiting, because its fees are in doubt, too',
    edits: [
      {
        file: 'src/domain/orders/order.ts',
        find: "return terms.side === 'buy' && rest > 0n ? (rest * notionalOfBuy(terms)) / reserve : rest;",
        replace: "return terms.side === 'buy' && rest > 0n ? (rest * reserve) / reserve : rest;",
      },
    ],
    caughtBy: { tests: ['test/engine/orders/doubts.test.ts'] },
  },
  {
    name: 'open-buys-with-fees',
    what: 'open buys count against the limits with what they cost, which is more than they bring',
    edits: [
      {
        file: 'src/domain/orders/openOrders.ts',
        find: '#bind({ intentId, strategyId, terms }: Order, times: 1 | -1): void {',
        replace: '#bind({ intentId, strategyId, terms, reserve }: Order, times: 1 | -1): void {',
      },
      {
        file: 'src/domain/orders/openOrders.ts',
        find: 'const notional = notionalOfBuy(terms);',
        replace: 'const notional = notionalOfBuy(terms) && reserve;',
      },
    ],
    caughtBy: { tests: ['test/engine/risk/limitPolicy.test.ts'] },
  },
  {
    name: 'expiry-unheeded',
    what: 'an order whose time is over goes on waiting, or resting at the venue',
    edits: [
      {
        file: 'src/engine/intents/executor.ts',
        find: 'return expires !== undefined && this.#context.now >= expires;',
        replace: 'return expires === Infinity;',
      },
    ],
    caughtBy: { tests: ['test/engine/intents/orderTimes.test.ts'] },
  },
  {
    name: 'stop-filled-at-the-low',
    what: 'a backtest shows a stop the low of its bar instead of its own price',
    edits: [
      {
        file: 'src/backtest/replay/barPath.ts',
        find: '      this.#touch(tape, stop, now);\n      from = stop;',
        replace: '      this.#touch(tape, floor, now);\n      from = stop;',
      },
    ],
    caughtBy: fills,
  },
  {
    name: 'best-case-by-default',
    what: 'a backtest leads from the open to the high first, unless told the best case',
    edits: [
      {
        file: 'src/backtest/replay/barPath.ts',
        find: "this.#fallsFirst = input.ambiguous === 'worst';",
        replace: "this.#fallsFirst = input.ambiguous === 'best';",
      },
    ],
    caughtBy: fills,
  },
  {
    name: 'trail-raised-by-a-later-high',
    what: 'a trailing stop follows the high of a bar before the low that comes first',
    edits: [
      {
        file: 'src/backtest/replay/barPath.ts',
        find: '    if ((stage === 0) === this.#fallsFirst) return',
        replace:
          '    if (stage === 0) this.#rise(tape, now);\n    if ((stage === 0) === this.#fallsFirst) return',
      },
    ],
    caughtBy: fills,
  },
  {
    name: 'premium-unknown-passes',
    what: 'a buy leaves under a limit on premiums although the premium is not known',
    edits: [
      {
        file: 'src/domain/limitBreach.ts',
        find: "premium.kind === 'unknown' ?",
        replace: "premium.kind === 'noRatio' ?",
      },
    ],
    caughtBy: premiums,
  },
  {
    name: 'premium-of-before-the-clock-was-set-back',
    what: 'tokens are not read again until the wall clock has passed where it was before it was set back',
    edits: [
      {
        file: 'src/engine/runtime/otherPrices.ts',
        find: 'clock.monotonic() - this.#tokensAt < period',
        replace: 'clock.now() - this.#tokensAt < period',
      },
      {
        file: 'src/engine/runtime/otherPrices.ts',
        find: '(this.#tokensAt = clock.monotonic())',
        replace: '(this.#tokensAt = clock.now())',
      },
    ],
    caughtBy: premiums,
  },
  {
    name: 'premium-stops-an-exit',
    what: 'a stop sells nothing at a discount of the token',
    edits: [
      {
        file: 'src/engine/risk/limits.ts',
        find: 'limits.premiumBps !== undefined && !this.#isProtective({ intentId, terms });',
        replace: 'limits.premiumBps !== undefined;',
      },
    ],
    caughtBy: premiums,
  },
  {
    name: 'premium-rounded-down',
    what: 'a premium that is over the limit by less than a hundredth of a bp passes',
    edits: [
      {
        file: 'src/domain/premium.ts',
        find: '(apart + fair - 1n) / fair',
        replace: 'apart / fair',
      },
    ],
    caughtBy: { tests: ['test/domain/premium.test.ts'] },
  },
  {
    name: 'premium-of-long-ago',
    what: 'the price of a token that is not read any more counts for ever',
    edits: [
      {
        file: 'src/engine/state/tokenPrices.ts',
        find: 'now - quote.at > TOKEN_AGE_MS ?',
        replace: 'now - quote.at > Infinity ?',
      },
    ],
    caughtBy: premiums,
  },
];
