import type { Mutant } from './mutant.ts';

const EXIT = 'src/engine/synthetic/exit.ts';
const ORDERS = 'src/engine/synthetic/syntheticOrders.ts';
const exits = { tests: ['test/engine/synthetic/exits.test.ts'] };
const steered = { tests: ['test/engine/synthetic/steering.test.ts'] };
const protection = { tests: ['test/engine/synthetic/protection.test.ts'] };
const beside = { tests: ['test/engine/synthetic/beside.test.ts'] };

/** Bugs in held orders that protect positions. */
export const protectiveMutants: readonly Mutant[] = [
  {
    name: 'bracket-stays-a-buy',
    what: 'a cancel of all buys ends the exits of brackets that have bought',
    edits: [
      {
        file: 'src/engine/strategy/strategyOrders.ts',
        find: 'if (isBuysAlone) this.#trading.synthetics.cancelEntry(state, why);\n    else this',
        replace: 'this',
      },
      {
        file: 'src/engine/strategy/strategyOrders.ts',
        find: "    const isBuysAlone = typeof which !== 'string' && which.side === 'buy';\n",
        replace: '',
      },
    ],
    caughtBy: { tests: ['test/engine/synthetic/replaced.test.ts'] },
  },
  {
    name: 'trail-begins-at-the-open',
    what: 'a trailing stop that is given after the close follows the prices from the next open on: a fall over night is not seen',
    edits: [
      {
        file: EXIT,
        find: 'price ?? (mark === null && order.notBefore <= order.at ? latestPrice : null)',
        replace: 'price',
      },
    ],
    caughtBy: {
      tests: ['test/engine/synthetic/closedSession.test.ts', 'test/backtest/closedSession.test.ts'],
    },
  },
  {
    name: 'own-sell-in-the-way',
    what: 'a stop does not sell what a resting sell of its strategy has locked',
    edits: [{ file: EXIT, find: 'if (locking !== undefined) return', replace: 'if (false) return' }],
    caughtBy: { tests: ['test/engine/synthetic/ownSell.test.ts'] },
  },
  {
    name: 'reopened-entry-forgotten',
    what: 'a bracket ends when the chain undoes the fill of its entry: what fills again has no stop',
    edits: [{ file: ORDERS, find: 'if (again)', replace: 'if (again && state.trigger)' }],
    caughtBy: { tests: ['test/engine/synthetic/reopened.test.ts'] },
  },
  {
    name: 'exit-dropped-by-the-budget',
    what: 'the sale of an exit that the budget of orders holds back ends, and is tried again later and later',
    edits: [
      {
        file: 'src/engine/intents/executor.ts',
        find: 'if (obstacle && isExit(intent) && isPassing(breach)) return this.#deferral.limited(intent, obstacle.why);',
        replace: '',
      },
    ],
    caughtBy: { tests: ['test/engine/synthetic/crowded.test.ts'] },
  },
  {
    name: 'exit-late-after-a-restart',
    what: 'the sale of an exit that a kill has kept from being sent counts as failed, and waits a minute',
    edits: [
      {
        file: 'src/engine/synthetic/syntheticInput.ts',
        find: "  'RESTARTED',\n",
        replace: '',
      },
    ],
    caughtBy: { tests: ['test/engine/synthetic/crash.test.ts'] },
  },
  {
    name: 'fixed-stop-beside-a-trail-forgotten',
    what: 'a bracket with a fixed and a trailing stop has the trailing one alone, which is further away',
    edits: [
      {
        file: 'src/engine/synthetic/bracket.ts',
        find: 'const least = fixed > trailed ? fixed : trailed;',
        replace: 'const least = trailed;',
      },
    ],
    caughtBy: exits,
  },
  {
    name: 'stop-not-replaceable',
    what: 'a stop whose cancel is asked for still claims its shares: the next is refused, and nothing protects them',
    edits: [
      {
        file: 'src/engine/synthetic/protection.ts',
        find: 'if (state.ending) return shares(0n);',
        replace: '',
      },
    ],
    caughtBy: { tests: ['test/engine/synthetic/replaced.test.ts'] },
  },
  {
    name: 'exit-triggered-twice',
    what: 'an exit that has been triggered watches its stop on',
    edits: [{ file: EXIT, find: 'if (state.trigger) return sellOut(state, left, at);', replace: '' }],
    caughtBy: exits,
  },
  {
    name: 'exit-beside-exit',
    what: 'a second exit leaves while the first one works',
    edits: [
      {
        file: EXIT,
        find: "const exit = open.find(({ leg }) => leg === 'exit');",
        replace: 'const exit: (typeof open)[number] | undefined = undefined;',
      },
    ],
    caughtBy: beside,
  },
  {
    name: 'exits-end-at-a-restart',
    what: 'orders that the runner holds are lost with its process',
    edits: [
      {
        file: ORDERS,
        find: '    this.lookAtAll();\n  }\n\n  /** Cancels the part',
        replace:
          "    this.cancelAll([...this.#context.accountState.synthetics.live.values()], 'a restart');\n  }\n\n  /** Cancels the part",
      },
    ],
    caughtBy: exits,
  },
  {
    name: 'exit-of-what-was-asked',
    what: 'a bracket sells as many shares as its entry asked for, and not as many as have filled',
    edits: [
      {
        file: EXIT,
        find: ": filledBy(state, 'entry');",
        replace:
          ": 'entry' in terms && 'quantity' in terms.entry ? terms.entry.quantity : filledBy(state, 'entry');",
      },
    ],
    caughtBy: beside,
  },
  {
    name: 'take-profit-not-subtracted',
    what: 'an exit sells once more what its take-profit has sold',
    edits: [
      {
        file: 'src/domain/orders/syntheticOrder.ts',
        find: "filledBy(state, 'take profit', 'second take profit', 'exit');",
        replace: "filledBy(state, 'exit');",
      },
    ],
    caughtBy: beside,
  },
  {
    name: 'exit-beside-take-profit',
    what: 'the sale after a stop leaves before its take-profit has ended',
    edits: [{ file: EXIT, find: 'if (resting.length > 0) return late', replace: 'if (false) return late' }],
    caughtBy: beside,
  },
  {
    name: 'halt-without-word',
    what: 'a triggered exit does not wait for the end of a halt, nor says so',
    edits: [
      {
        file: EXIT,
        find: 'if (at.blocked !== null) return heldBack(at, `${why}, and it cannot',
        replace: 'if (false) return heldBack(at, `${why}, and it cannot',
      },
    ],
    caughtBy: steered,
  },
  {
    name: 'every-hold-may-pass',
    what: 'an exit that may not be sent says nothing for ten seconds, whatever the reason',
    edits: [
      {
        file: EXIT,
        find: 'at.isBlockPassing ? late(at, alarm, since) : soon(at, alarm)',
        replace: 'late(at, alarm, since)',
      },
    ],
    caughtBy: steered,
  },
  {
    name: 'reducing-ends-exits',
    what: 'what ends entries ends exits too',
    edits: [
      {
        file: ORDERS,
        find: ': this.cancelEntry(state, why);',
        replace: ': this.cancel(state.order.id, why);',
      },
    ],
    caughtBy: steered,
  },
  {
    name: 'trailing-stop-falls',
    what: 'a trailing stop follows the price down',
    edits: [
      { file: EXIT, find: ' || (state.mark !== null && price <= state.mark)', replace: '' },
      {
        file: EXIT,
        find: 'stop < state.stop ? state.stop : stop',
        replace: 'stop < state.stop ? stop : stop',
      },
      {
        file: ORDERS,
        find: ' && (mark === null || price > mark)',
        replace: ' && (mark === null || price !== mark)',
      },
    ],
    caughtBy: exits,
  },
  {
    name: 'exit-outlives-its-expiry',
    what: 'a stop that has expired stays armed',
    edits: [
      {
        file: 'src/engine/synthetic/action.ts',
        find: 'expires === undefined || now < expires',
        replace: 'expires === undefined || now >= 0',
      },
    ],
    caughtBy: beside,
  },
  {
    name: 'difference-stops-exits',
    what: 'a touched stop is not sold while ledger and venue differ in its stock',
    edits: [
      {
        file: 'src/engine/risk/restrictions.ts',
        find: "(isSure && cause === 'difference')",
        replace: "(isSure && cause === 'blind')",
      },
    ],
    caughtBy: protection,
  },
  {
    name: 'failed-buys-stop-exits',
    what: 'a touched stop is not sold because buys of its stock have failed',
    edits: [
      {
        file: 'src/domain/account/freezes.ts',
        find: "!(isProtective && guards === 'buys')",
        replace: '!(isProtective && guards === undefined)',
      },
    ],
    caughtBy: protection,
  },
  {
    name: 'missing-shares-sold',
    what: 'a touched stop sells shares that the venue does not show',
    edits: [
      {
        file: 'src/engine/risk/limits.ts',
        find: 'return sure === null ? ledger',
        replace: 'return sure !== undefined ? ledger',
      },
    ],
    caughtBy: protection,
  },
  {
    name: 'freeze-outlives-its-difference',
    what: 'a stock stays frozen although ledger and venue agree again',
    edits: [
      {
        file: 'src/engine/account/reconciliation.ts',
        find: 'if (now - since < AGREED_MS) continue;',
        replace: 'if (now - since < AGREED_MS || since > 0) continue;',
      },
    ],
    caughtBy: protection,
  },
  {
    name: 'difference-ends-every-freeze',
    what: 'agreement of ledger and venue releases a stock that a person has frozen',
    edits: [
      {
        file: 'src/domain/account/freezes.ts',
        find: 'over === undefined ? [] :',
        replace: 'over !== null ? [] :',
      },
    ],
    caughtBy: protection,
  },
  {
    name: 'late-list-is-a-difference',
    what: 'shares that a buy on its way has brought are a difference',
    edits: [
      {
        file: 'src/engine/account/reconciliation.ts',
        find: 'if (isMoving && standing.explainable) return;',
        replace: '',
      },
    ],
    caughtBy: protection,
  },
  {
    name: 'entry-outlives-its-bracket',
    what: 'a bracket of which dust is left ends while its entry may still buy',
    edits: [
      {
        file: 'src/engine/synthetic/exit.ts',
        find: 'return endLegs(state, restText(left), at) ?? leftOver(left);',
        replace: 'return leftOver(left);',
      },
    ],
    caughtBy: { tests: ['test/engine/synthetic/exits.test.ts'] },
  },
];
