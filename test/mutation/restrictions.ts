import type { Mutant } from './mutant.ts';

const states = { tests: ['test/engine/operator/tradingStates.test.ts'] };
const races = { tests: ['test/engine/operator/resumeRaces.test.ts'] };
const freezes = { tests: ['test/engine/operator/freezeCauses.test.ts'] };
const flattens = { tests: ['test/engine/operator/flatten.test.ts'] };
const flatten = 'src/engine/operator/flatten.ts';
const restored = { tests: ['test/engine/operator/restored.test.ts'] };
const backups = { tests: ['test/cli/commands/state/backup.test.ts'] };

/** Bugs in what a halt, a flatten or a kill file lets through. */
export const restrictionMutants: readonly Mutant[] = [
  {
    name: 'halt-looked-at-before-the-await-only',
    what: 'an order that waits for its slot leaves although trading was halted meanwhile',
    edits: [
      {
        file: 'src/engine/risk/gate.ts',
        find: '    const restricted = againstTrade(accountState, order);\n    if (restricted !== null) return restricted;\n',
        replace: '',
      },
    ],
    caughtBy: states,
  },
  {
    name: 'reducing-lets-buys-through',
    what: 'a buy that waits for its slot leaves although trading is only reducing',
    edits: [
      {
        file: 'src/engine/risk/restrictions.ts',
        find: "(restriction.state === 'reducing' && reduces)",
        replace: "restriction.state === 'reducing'",
      },
    ],
    caughtBy: states,
  },
  {
    name: 'command-applied-twice',
    what: 'a command that is given again with its id is carried out again',
    edits: [
      {
        file: 'src/engine/operator/operator.ts',
        find: '    const known = this.#context.accountState.commands.of(id);\n    if (known) {',
        replace:
          '    const known = this.#context.accountState.commands.of(id);\n    if (known && !known.answer) {',
      },
    ],
    caughtBy: states,
  },
  {
    name: 'flatten-without-halt',
    what: 'a flatten cancels and sells while strategies go on trading',
    edits: [
      {
        file: flatten,
        find: "    if (by !== KILL_FILE) this.#context.record({ kind: 'restricted', ...restriction });\n",
        replace: '    void restriction;\n',
      },
    ],
    caughtBy: flattens,
  },
  {
    name: 'flatten-passes-later-halts',
    what: 'the sells of a flatten leave under a halt that came after it',
    edits: [
      {
        file: 'src/domain/operator/tradingState.ts',
        find: 'number <= restrictions || restriction.command === request.id;',
        replace: 'number >= 0 || restrictions < 0 || restriction.command === request.id;',
      },
    ],
    caughtBy: flattens,
  },
  {
    name: 'flatten-beside-an-unknown-sell',
    what: 'a flatten sells shares that an order without an answer may have sold',
    edits: [{ file: flatten, find: '    if (order) return openText(order);\n', replace: '' }],
    caughtBy: flattens,
  },
  {
    name: 'flatten-sells-unallocated-stock',
    what: 'a flatten sells stock that belongs to no strategy without being told to',
    edits: [{ file: flatten, find: 'command.unallocated ?? false', replace: 'command.unallocated ?? true' }],
    caughtBy: flattens,
  },
  {
    name: 'kill-file-blocks-its-own-flatten',
    what: 'with limits.onKill: flatten nothing is sold while the kill file is there',
    edits: [
      {
        file: 'src/engine/runtime/runner.ts',
        find: "if (to === 'place' && !this.kernel.isKilled && this.#options.killed())",
        replace: "if (to === 'place' && this.#options.killed())",
      },
    ],
    caughtBy: { tests: ['test/engine/operator/killFiles.test.ts'] },
  },
  {
    name: 'kill-file-gone-resumes',
    what: 'taking the kill file away lifts its halt without a word of an operator',
    edits: [
      {
        file: 'src/engine/operator/killFiles.ts',
        find: '    if (there.length === 0 && before.length > 0)\n      this.#context.notify(',
        replace:
          '    if (there.length === 0 && before.length > 0)\n' +
          "      this.#context.record({ kind: 'restrictionLifted', cause: KILL_FILE, scope: {}, by: KILL_FILE, reason: 'gone' });\n" +
          '    if (there.length === 0 && before.length > 0)\n      this.#context.notify(',
      },
    ],
    caughtBy: { tests: ['test/engine/operator/killFiles.test.ts'] },
  },
  {
    name: 'resume-undoes-a-later-halt',
    what: 'a resume that waits for its look lifts a halt that was given after it',
    edits: [
      {
        file: 'src/engine/operator/decisions.ts',
        find: '    refuseOvertaken(this.#context.accountState, { id: request.id, command });\n',
        replace: '    void refuseOvertaken;\n',
      },
    ],
    caughtBy: races,
  },
  {
    name: 'pause-given-again-unrecorded',
    what: 'a pause of what is halted already is not recorded: a resume and a flatten of before it go on',
    edits: [
      {
        file: 'src/engine/operator/steering.ts',
        find: "    this.#context.record({ kind: 'restricted', state, cause: causeOf(by), scope, by, reason });\n",
        replace:
          "    if (before?.state !== state)\n      this.#context.record({ kind: 'restricted', state, cause: causeOf(by), scope, by, reason });\n",
      },
    ],
    caughtBy: races,
  },
  {
    name: 'freeze-behind-another-lost',
    what: 'a contradiction of a symbol that is frozen already is forgotten when the first is lifted',
    edits: [
      {
        file: 'src/engine/state/engineContext.ts',
        find: '(isFrozen && !this.precedents.keepsCause())',
        replace: 'isFrozen',
      },
    ],
    caughtBy: freezes,
  },
  {
    name: 'unfreeze-ends-a-later-cause',
    what: 'an unfreeze ends a cause that the symbol was frozen for after the command was given',
    edits: [
      {
        file: 'src/engine/operator/unfreezing.ts',
        find: '  if (!later && !cause) return;\n',
        replace: '  if (!later) return;\n',
      },
    ],
    caughtBy: freezes,
  },
  {
    name: 'no-halt-after-restore',
    what: 'a run on a backup trades on what it does not know',
    edits: [
      {
        file: 'src/cli/commands/state/backup.ts',
        find: '    restrictCopy(journalFile(partial), haltOf(at));\n',
        replace: '',
      },
    ],
    caughtBy: backups,
  },
  {
    name: 'backup-with-tokens',
    what: 'a backup holds whatever lies in the state folder',
    edits: [
      {
        file: 'src/cli/commands/state/backup.ts',
        find: 'copyFiles(NEEDED, stateDir, partial)',
        replace: "copyFiles([...NEEDED, 'control-token'], stateDir, partial)",
      },
    ],
    caughtBy: backups,
  },
  {
    name: 'restored-is-resumed-blindly',
    what: 'a restored journal is resumed although orders at the venue are not in it, and its waiting orders are sent again',
    edits: [
      {
        file: 'src/engine/operator/resumption.ts',
        find: '  if (restored) refuseRestored(',
        replace: '  if (restored && isStarting) refuseRestored(',
      },
    ],
    caughtBy: restored,
  },
  {
    name: 'restored-counts-orders',
    what: 'a run on a restored journal takes orders of its own for those of another program, and goes on',
    edits: [
      {
        file: 'src/engine/orders/orderList.ts',
        find: ' || accountState.trading.isRestored;',
        replace: ';',
      },
    ],
    caughtBy: restored,
  },
];
