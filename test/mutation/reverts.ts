import type { Mutant } from './mutant.ts';

const machine = 'src/domain/orders/orderMachine.ts';
const ofRuns = { tests: ['test/engine/runtime/undoneRevert.test.ts'] };
const ofFills = { tests: ['test/engine/orders/undoneFill.test.ts'] };
const ofCommands = { tests: ['test/app/transfers/chainTraceChainLook.test.ts'] };

/** Bugs about reverts that the chain undoes, and about transactions of commands that it drops. */
export const revertMutants: readonly Mutant[] = [
  {
    name: 'link-taken-for-order',
    what: 'the link that stays of a dropped transaction counts as the order, which rests there no more',
    edits: [
      {
        file: 'src/engine/orders/tracker.ts',
        find: "const shown = rows.filter((row) => 'unreadable' in row || !isBareLink(row));",
        replace: 'const shown = rows;',
      },
    ],
    caughtBy: ofFills,
  },
  {
    name: 'undone-fill-unheard',
    what: 'nobody hears of a fill that the chain has undone, while a sell that vanished with it hides the difference',
    edits: [
      {
        file: 'src/engine/orders/contradictedEnds.ts',
        find: 'if (isCertain && isGone) this.#freeze(order);',
        replace: 'if (isGone) return false;',
      },
    ],
    caughtBy: ofFills,
  },
  {
    name: 'new-index-taken-for-undone',
    what: 'an indexer that begins again freezes the stock of every fill',
    edits: [
      {
        file: 'src/engine/orders/contradictedEnds.ts',
        find: 'this.#reconciliation.gapOf(assetOf(order)) > 0n',
        replace: 'this.#reconciliation.gapOf(assetOf(order)) >= 0n',
      },
    ],
    caughtBy: ofFills,
  },
  {
    name: 'undone-revert-not-booked',
    what: 'an order that reverted stays reverted although it fills after a reorganisation',
    edits: [
      {
        file: machine,
        find: "  const closed = { kind: 'closed', how, txHash, venueId, settlement } as const;",
        replace: `  if (state.kind === 'reverted') return illegal('a reverted order has settled');
  const closed = { kind: 'closed', how, txHash, venueId, settlement } as const;`,
      },
    ],
    caughtBy: ofRuns,
  },
  {
    name: 'undone-revert-freezes',
    what: 'a fill after a reverted claim freezes the symbol until a person comes',
    edits: [
      {
        file: machine,
        find: 'contradicts(order, how) && !isRevertUndone(order, closed)',
        replace: 'contradicts(order, how)',
      },
    ],
    caughtBy: ofRuns,
  },
  {
    name: 'undone-revert-unheard',
    what: 'nobody hears that a reorganisation has undone a revert',
    edits: [
      {
        file: 'src/engine/state/engineContext.ts',
        find: 'if (result.warning !== undefined)',
        replace: 'if (result.warning === "")',
      },
    ],
    caughtBy: ofRuns,
  },
  {
    name: 'undone-revert-not-held',
    what: 'orders go out on a symbol whose revert was undone before the account has been read',
    edits: [
      {
        file: 'src/engine/orders/endClaims.ts',
        find: "before.state.kind === 'reverted' && order.state.kind === 'closed'",
        replace: "before.state.kind === 'reverted' && order.state.kind === 'working'",
      },
    ],
    caughtBy: ofRuns,
  },
  {
    name: 'hand-revert-at-one-block',
    what: 'a command ends with a revert as soon as one block says so',
    edits: [
      {
        file: 'src/app/transfers/chainTrace.ts',
        find: 'if (trace.isDeep) return',
        replace: 'if (trace) return',
      },
    ],
    caughtBy: ofCommands,
  },
  {
    name: 'dropped-transaction-waited-for',
    what: 'a command waits for ever for a transaction that the chain has dropped',
    edits: [
      {
        file: 'src/app/transfers/chainTrace.ts',
        find: 'clock.now() < absentSince + lookMs',
        replace: 'clock.now() > 0',
      },
    ],
    caughtBy: ofCommands,
  },
  {
    name: 'dropped-after-waiting-given-up',
    what: 'the time before a transaction was dropped counts as time without a trace of it',
    edits: [
      {
        file: 'src/app/transfers/chainTrace.ts',
        find: "trace.kind === 'absent' ? (absentSince ?? clock.now()) : null",
        replace: "trace.kind === 'absent' || absentSince !== null ? (absentSince ?? clock.now()) : null",
      },
    ],
    caughtBy: ofCommands,
  },
];
