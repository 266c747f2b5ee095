import type { Mutant } from './mutant.ts';

const caughtBy = { tests: ['test/engine/operator/decisions.test.ts'] };

/** Bugs in operator decisions during a run, and in accepting external activity. */
export const decisionMutants: readonly Mutant[] = [
  {
    name: 'decision-on-an-earlier-look',
    what: 'a command is decided by a look at the venue that began before it',
    edits: [
      {
        file: 'src/engine/runtime/pendingCommands.ts',
        find: '        this.#looked(ids, { asked, look });',
        replace: '        this.#looked([...ids, ...this.#unlooked.splice(0)], { asked, look });',
      },
      {
        file: 'src/engine/operator/operator.ts',
        find: '    if (asked < since) return this.#look(id, waiting);\n',
        replace: '    if (asked < 0) return this.#look(id, waiting);\n',
      },
    ],
    caughtBy,
  },
  {
    name: 'resume-lifts-a-freeze',
    what: 'a resume unfreezes the symbols of its scope as well',
    edits: [
      {
        file: 'src/engine/operator/resumption.ts',
        find: "    events: lifted.map(({ cause }) => ({ kind: 'restrictionLifted', cause, scope, by, reason })),\n",
        replace:
          "    events: [\n      ...lifted.map(({ cause }) => ({ kind: 'restrictionLifted', cause, scope, by, reason }) as const),\n" +
          "      ...[...accountState.frozen.keys()].map((symbol) => ({ kind: 'released', symbol, reason }) as const),\n    ],\n",
      },
    ],
    caughtBy,
  },
  {
    name: 'resume-beside-a-kill-file',
    what: 'a resume lifts the halt while the kill file is still there',
    edits: [
      {
        file: 'src/engine/operator/resumption.ts',
        find: '  if (killFiles.length > 0)',
        replace: '  if (killFiles.length > 1)',
      },
    ],
    caughtBy,
  },
  {
    name: 'word-of-a-refused-command-stands',
    what: 'the word of a refused resolve closes its order at a later reading',
    edits: [
      {
        file: 'src/engine/operator/operator.ts',
        find: '    this.#decisions.end(request);\n',
        replace: '',
      },
    ],
    caughtBy,
  },
  {
    name: 'balance-of-a-mixture-accepted',
    what: 'a balance is compared with a ledger in which an order has ended since the balance was asked for',
    edits: [
      {
        file: 'src/engine/runtime/venueLook.ts',
        find: 'const isStill = context.moves === moves;',
        replace: 'const isStill = context.moves >= moves;',
      },
    ],
    caughtBy,
  },
  {
    name: 'decision-across-a-gap',
    what: 'a command is decided by what was read before the machine slept',
    edits: [
      {
        file: 'src/engine/runtime/venueLook.ts',
        find: 'isWhole && recovery.gaps === gaps ?',
        replace: 'isWhole && recovery.gaps >= gaps ?',
      },
    ],
    caughtBy,
  },
  {
    name: 'bare-difference-accepted-by-rule',
    what: 'a difference is accepted by the rule for deposits although the list names a transfer of another amount',
    edits: [
      {
        file: 'src/engine/treasury/externalMoves.ts',
        find: 'const alike = fresh.filter((move) => explains([move], gaps, fits));',
        replace: 'const alike = fresh.filter((move) => !explains([move], gaps, fits));',
      },
    ],
    caughtBy: { tests: ['test/engine/treasury/externalMoves.test.ts'] },
  },
  {
    name: 'transfer-accepted-twice',
    what: 'one transaction of the list proves a second difference of its amount',
    edits: [
      {
        file: 'src/engine/treasury/externalMoves.ts',
        find: '    if (acceptances.proofs.has(txHash)) return false;\n',
        replace: '',
      },
    ],
    caughtBy: { tests: ['test/engine/treasury/externalMoves.test.ts'] },
  },
  {
    name: 'fill-accepted-by-one-side',
    what: 'a fill of another hand is booked although cash differs by more than it has cost',
    edits: [
      {
        file: 'src/engine/treasury/externalMoves.ts',
        find: 'sums.size > 0 && [...sums].every(',
        replace: 'sums.size > 0 && [...sums].some(',
      },
    ],
    caughtBy: { tests: ['test/engine/treasury/externalMoves.test.ts'] },
  },
  {
    name: 'transfer-accepted-unfinished',
    what: 'a deposit of another hand is accepted before the venue says that it is finished',
    edits: [
      {
        file: 'src/engine/treasury/externalMoves.ts',
        find: "if (status !== 'success' || !moved ||",
        replace: 'if (!moved ||',
      },
    ],
    caughtBy: { tests: ['test/engine/treasury/externalMoves.test.ts'] },
  },
];
