import type { Mutant } from './mutant.ts';

/** Bugs that believe an end, or a difference, too early. */
export const endMutants: readonly Mutant[] = [
  {
    name: 'standing-intent-outlives-its-cancel',
    what: 'a good-till-cancelled limit that waits for its next session survives a stop that cancels',
    edits: [
      {
        file: 'src/engine/kernel/kernel.ts',
        find: 'if (open.has(intent.id) || isStanding(intent) || ',
        replace: 'if (open.has(intent.id) || ',
      },
    ],
    caughtBy: { tests: ['test/engine/runtime/stopping.test.ts'] },
  },
  {
    name: 'end-believed-at-once',
    what: 'the money of an order that the venue calls failed is free before the account agrees',
    edits: [
      {
        file: 'src/engine/orders/endClaims.ts',
        find: "if (hasEnded(order) || order.state.kind === 'planned') return false;",
        replace: "if (hasEnded(order) || order.state.kind !== 'planned') return false;",
      },
    ],
    caughtBy: { tests: ['test/engine/orders/endClaims.test.ts'] },
  },
  {
    name: 'account-dated-by-its-arrival',
    what: 'a look at the account that took long counts as made when its report arrived',
    edits: [
      {
        file: 'src/engine/account/reconciliation.ts',
        find: 'uncovered: uncoveredIn(all), missing, at: asked };',
        replace: 'uncovered: uncoveredIn(all), missing, at: this.#context.now };',
      },
    ],
    caughtBy: { tests: ['test/engine/state/freshness.test.ts'] },
  },
  {
    name: 'dust-adds-up-unseen',
    what: 'dust that drifts back and forth all day stays dust, whatever it adds up to',
    edits: [
      { file: 'src/engine/account/dust.ts', find: 'return moved <= bound;', replace: 'return bound > 0n;' },
    ],
    caughtBy: { tests: ['test/engine/account/dust.test.ts'] },
  },
  {
    name: 'end-confirmed-by-an-older-look',
    what: 'a look at the account that began before the end counts as its confirmation',
    edits: [
      {
        file: 'src/engine/orders/endClaims.ts',
        find: 'if (asked >= confirmableFrom(order) && this.#isConfirmed(order)) {',
        replace: 'if (asked > 0 && this.#agreesWithout(order)) {',
      },
    ],
    caughtBy: { tests: ['test/engine/orders/endClaims.test.ts'] },
  },
  {
    name: 'sale-hidden-by-a-buy',
    what: 'an end is confirmed by shares that an order of the other side has replaced',
    edits: [
      {
        file: 'src/engine/account/reconciliation.ts',
        find: "if (buys.length > 0 && mayBringJust(this.#context, buys, sold) && !explained('mUSD')) return false;",
        replace: 'if (buys.length > 0 && sold < 0n) return false;',
      },
    ],
    caughtBy: { tests: ['test/engine/orders/hiddenSale.test.ts'] },
  },
  {
    name: 'claimed-end-beside-another',
    what: 'another order for the same symbol and side goes out while an end is only claimed',
    edits: [
      {
        file: 'src/domain/orders/order.ts',
        find: 'isUnanswered(order) || order.claim !== undefined;',
        replace: 'isUnanswered(order);',
      },
    ],
    caughtBy: { tests: ['test/engine/orders/endClaims.test.ts'] },
  },
  {
    name: 'order-assumed-gone-against-account',
    what: 'the configured grace ends an order whose money the account shows gone',
    edits: [
      {
        file: 'src/engine/orders/tracker.ts',
        find: 'else if (isAssumed && ledgerAgrees)',
        replace: 'else if (isAssumed)',
      },
    ],
    caughtBy: { tests: ['test/engine/runtime/adversity.test.ts'] },
  },
  {
    name: 'order-assumed-gone-by-an-older-look',
    what: 'a look at the account that began before the grace was over ends an order as assumed gone',
    edits: [
      {
        file: 'src/engine/orders/tracker.ts',
        find: 'const isLate = asked - deadline >',
        replace: 'const isLate = this.#context.now - deadline >',
      },
    ],
    caughtBy: { tests: ['test/engine/runtime/sending.test.ts'] },
  },
  {
    name: 'deposit-assumed-gone-against-wallet',
    what: 'the configured grace ends a deposit whose tokens the wallet shows gone',
    edits: [
      {
        file: 'src/engine/treasury/tracking.ts',
        find: 'if (isAssumed && missing === null) {',
        replace: 'if (isAssumed) {',
      },
    ],
    caughtBy: { tests: ['test/engine/treasury/treasury.test.ts'] },
  },
  {
    name: 'difference-passed-over',
    what: 'orders go on while ledger and venue differ',
    edits: [
      {
        file: 'src/engine/account/reconciliation.ts',
        find: "holds.put('difference', shown, asset);",
        replace: "if (asset === undefined) holds.put('difference', shown, asset);",
      },
    ],
    caughtBy: { tests: ['test/engine/orders/endClaims.test.ts'] },
  },
  {
    name: 'failures-without-end',
    what: 'orders that fail are repeated without end',
    edits: [
      {
        file: 'src/engine/risk/limits.ts',
        find: 'streak.count < FAILURES_MAX) return;',
        replace: 'streak.count >= FAILURES_MAX) return;',
      },
    ],
    caughtBy: { tests: ['test/engine/orders/endClaims.test.ts'] },
  },
  {
    name: 'shallow-revert-believed',
    what: 'a revert in the newest block ends its order',
    edits: [
      {
        file: 'src/wallet/replacements.ts',
        find: 'export const DEEP_BLOCKS = 12n;',
        replace: 'export const DEEP_BLOCKS = 0n;',
      },
    ],
    caughtBy: { tests: ['test/wallet/chain.test.ts'] },
  },
  {
    name: 'doubt-not-counted',
    what: 'an end that nobody asked for, by the word of the venue alone, counts under no limit',
    edits: [
      {
        file: 'src/engine/state/exposure.ts',
        find: 'if (doubt.isSolicited) continue;',
        replace: 'if (amount > 0n || doubt.isSolicited) continue;',
      },
    ],
    caughtBy: { tests: ['test/engine/orders/doubts.test.ts'] },
  },
  {
    name: 'doubt-of-cancels-unbounded',
    what: 'a buy does not wait while more is in doubt than limits.doubt',
    edits: [
      {
        file: 'src/engine/risk/sizeExposure.ts',
        find: 'if (beyond <= 0n) continue;',
        replace: 'if (beyond >= 0n) continue;',
      },
    ],
    caughtBy: { tests: ['test/engine/orders/doubts.test.ts'] },
  },
  {
    name: 'doubt-without-turnover',
    what: 'what has ended without a fill does not count as turnover',
    edits: [
      {
        file: 'src/engine/risk/sizeExposure.ts',
        find: 'for (const { order, amount } of accountState.doubts.counted(strategyId)) {',
        replace: 'for (const { order, amount } of accountState.doubts.counted(strategyId).slice(0, 0)) {',
      },
    ],
    caughtBy: { tests: ['test/engine/orders/doubts.test.ts'] },
  },
  {
    name: 'accepted-and-never-shown-is-never-placed',
    what: 'an order that the venue accepted, and that the chain never shows, ends as never placed and is sent again',
    edits: [
      {
        file: 'src/engine/orders/tracker.ts',
        find: 'if (isAccepted && !operatorWords.isGiven(id)) return this.#ends.vanished(order);',
        replace: 'if (isAccepted && operatorWords.isGiven(id)) return this.#ends.vanished(order);',
      },
    ],
    caughtBy: { tests: ['test/engine/orders/doubts.test.ts'] },
  },
  {
    name: 'row-of-ends-goes-on',
    what: 'orders that end though nobody asked, one after the other, never stop the buys of the run',
    edits: [
      {
        file: 'src/engine/risk/limits.ts',
        find: 'if (doubts.inARow < UNSOLICITED_MAX || trading.of(restriction)) return;',
        replace: 'if (doubts.inARow >= 0 || trading.of(restriction)) return;',
      },
    ],
    caughtBy: { tests: ['test/engine/orders/doubts.test.ts'] },
  },
  {
    name: 'sell-blocked-by-a-claim',
    what: 'a sell whose end is only claimed keeps other sells of free shares back',
    edits: [
      {
        file: 'src/engine/intents/plannedOrder.ts',
        find: "order.terms.side === 'buy' ? isInDoubt(order) : isUnanswered(order);",
        replace: 'isInDoubt(order) || isUnanswered(order);',
      },
    ],
    caughtBy: { tests: ['test/engine/orders/doubts.test.ts'] },
  },
];
