import type { Mutant } from './mutant.ts';

/** Bugs in manual operator actions: the kill file, commands that send, and the resolution of an order. */
export const handMutants: readonly Mutant[] = [
  {
    name: 'kill-file-stops-cancels',
    what: 'the kill file keeps back the cancels of a run that is told to cancel at its end',
    edits: [
      {
        file: 'src/engine/runtime/runner.ts',
        find: "if (to === 'place' && !this.kernel.isKilled && this.#options.killed())",
        replace: 'if (!this.kernel.isKilled && this.#options.killed())',
      },
    ],
    caughtBy: { tests: ['test/engine/runtime/stopping.test.ts'] },
  },
  {
    name: 'decimals-asked-again',
    what: 'the decimals of a token are asked again after they have been compared and shown',
    edits: [
      {
        file: 'src/wallet/chain.ts',
        find: 'known.set(token, decimals);',
        replace: '',
      },
    ],
    caughtBy: { tests: ['test/app/transfers/calldataFailures.test.ts'] },
  },
  {
    name: 'kill-file-unannounced',
    what: 'nobody is told that the kill file has appeared or gone',
    edits: [
      {
        file: 'src/app/environment/killSwitch.ts',
        find: '    onChange(there);\n',
        replace: '',
      },
    ],
    caughtBy: { tests: ['test/app/environment/killSwitch.test.ts'] },
  },
  {
    name: 'kill-file-of-the-config-alone',
    what: 'with limits.killFile in the config, KILL in the state folder stops nothing',
    edits: [
      {
        file: 'src/app/environment/killSwitch.ts',
        find: 'return [...new Set(killFile === undefined ? own : [...own, killFile])];',
        replace: 'return killFile === undefined ? own : [killFile];',
      },
    ],
    caughtBy: {
      tests: ['test/cli/commands/journal/halt.test.ts', 'test/cli/commands/run/runKillFile.test.ts'],
    },
  },
  {
    name: 'hand-gate-beside-the-kill-file',
    what: "a kill file that comes while a transaction of the wallet's own is prepared does not stop it",
    edits: [
      {
        file: 'src/app/transfers/walletSends.ts',
        find: '      requireSending(loaded, risk);\n',
        replace: '',
      },
    ],
    caughtBy: { tests: ['test/app/transfers/walletSends.test.ts'] },
  },
  {
    name: 'plan-rounded-down',
    what: 'the plan of a buy by hand shows less than it may pay',
    edits: [
      {
        file: 'src/ops/model/manualPlan.ts',
        find: "moneyText(total, 'up')",
        replace: "moneyText(total, 'down')",
      },
    ],
    caughtBy: { tests: ['test/cli/commands/transfers/cashAndStock.test.ts'] },
  },
  {
    name: 'milliseconds-as-seconds',
    what: 'a link whose time is in milliseconds is shown in a year far ahead',
    edits: [
      {
        file: 'src/api/convert.ts',
        find: 'const at = madeAt(createTime);',
        replace: 'const at = epochMs((createTime ?? 0) * 1000);',
      },
    ],
    caughtBy: { tests: ['test/cli/commands/orders/ordersTimes.test.ts'] },
  },
  {
    name: 'hand-command-beside-a-run',
    what: 'a command by hand sends while a run has its API key or its state folder',
    edits: [
      {
        file: 'src/app/environment/connect.ts',
        find: 'return asSoleSender(loaded, context, () =>',
        replace:
          'return ((...[, , send]: [unknown, unknown, () => Promise<T>]) => send())(loaded, context, () =>',
      },
    ],
    caughtBy: { tests: ['test/app/environment/connectSoleSender.test.ts'] },
  },
  {
    name: 'reading-command-that-sends',
    what: 'a connection that holds no lock lets requests through that change something',
    edits: [
      {
        file: 'src/app/environment/connect.ts',
        find: 'allow: [], through: readOnly }',
        replace: 'allow: [], through: (transport) => transport }',
      },
    ],
    caughtBy: { tests: ['test/app/environment/connectSoleSender.test.ts'] },
  },
  {
    name: 'word-without-the-lists',
    what: "an operator's word ends an order although the lists after it do not show twice that it is gone",
    edits: [
      {
        file: 'src/domain/orders/fence.ts',
        find: 'const missing = missingProof({ time, cleanLists, ledgerAgrees });',
        replace:
          'const missing = missingProof({ time, cleanLists: evidence.vouched ? 2 : cleanLists, ledgerAgrees });',
      },
    ],
    caughtBy: { tests: ['test/domain/orders/fence.test.ts', 'test/cli/commands/orders/resolve.test.ts'] },
  },
  {
    name: 'word-against-the-account',
    what: "an operator's word ends an order although the balances look as if it had been carried out",
    edits: [
      {
        file: 'src/domain/orders/fence.ts',
        find: 'const missing = missingProof({ time, cleanLists, ledgerAgrees });',
        replace:
          'const missing = missingProof({ time, cleanLists, ledgerAgrees: ledgerAgrees || evidence.vouched === true });',
      },
    ],
    caughtBy: { tests: ['test/domain/orders/fence.test.ts', 'test/cli/commands/orders/resolve.test.ts'] },
  },
  {
    name: 'word-on-a-sent-order',
    what: "an operator's word is taken of an order whose answer is still awaited",
    edits: [
      {
        file: 'src/engine/operator/resolution.ts',
        find: "if (kind === 'sent' && claimOf(about) === undefined)",
        replace: "if (kind === 'abandoned' && claimOf(about) === undefined)",
      },
    ],
    caughtBy: { tests: ['test/engine/operator/decisions.test.ts'] },
  },
  {
    name: 'word-on-a-claim-at-once',
    what: "an operator's word ends a claimed end before two lists after it have been read",
    edits: [
      {
        file: 'src/engine/state/submissions.ts',
        find: 'return (this.#given.get(id)?.lists ?? 0) >= COMPLETE_LISTS;',
        replace: 'return (this.#given.get(id)?.lists ?? 0) < COMPLETE_LISTS;',
      },
    ],
    caughtBy: { tests: ['test/cli/commands/orders/resolve.test.ts', 'test/engine/orders/endClaims.test.ts'] },
  },
  {
    name: 'temporary-state-of-a-living-run',
    what: 'a start removes the temporary state of a run that is still alive',
    edits: [
      {
        file: 'src/app/environment/temporaryState.ts',
        find: "release = holdLock(join(folder, 'lock.sqlite'), `the state folder ${folder}`);",
        replace: 'release = () => void holdLock;',
      },
    ],
    caughtBy: { tests: ['test/app/environment/temporaryState.test.ts'] },
  },
  {
    name: 'named-state-removed-as-temporary',
    what: 'a temporary state that its user goes on with by --state is removed by the next start without one',
    edits: [
      {
        file: 'src/app/environment/temporaryState.ts',
        find: 'if (isTemporaryState(folder)) rmSync(join(folder, MARKER));',
        replace: 'if (!isTemporaryState(folder)) rmSync(join(folder, MARKER), { force: true });',
      },
    ],
    caughtBy: { tests: ['test/app/environment/temporaryState.test.ts'] },
  },
  {
    name: 'temporary-state-without-the-mark',
    what: 'a start removes a temporary folder that no run has marked as its own',
    edits: [
      {
        file: 'src/app/environment/temporaryState.ts',
        find: "isOwn(marker, 'isFile') && readFileSync(marker, 'utf8') === MARK",
        replace: "(isOwn(marker, 'isFile') || readFileSync !== undefined)",
      },
    ],
    caughtBy: { tests: ['test/app/environment/temporaryState.test.ts'] },
  },
  {
    name: 'wallet-lock-in-home-alone',
    what: 'the lock of a wallet is in HOME alone, so that another HOME sends beside it',
    edits: [
      {
        file: 'src/app/environment/locks.ts',
        find: 'for (const folder of lockFolders(places)) releases',
        replace:
          "for (const folder of lockFolders(places).slice(0, lock.name.startsWith('wallet') ? 1 : 9)) releases",
      },
    ],
    caughtBy: { tests: ['test/app/environment/locks.test.ts'] },
  },
  {
    name: 'state-claimed-before-its-lock',
    what: 'a state folder that is both held by another process and of another mode is told as wrong usage',
    edits: [
      {
        file: 'src/app/environment/journal.ts',
        find: '  return withState({ stateDir, holder: holderOf(context), what }, () => {\n    claimState(loaded, stateDir);\n',
        replace:
          '  claimState(loaded, stateDir);\n  return withState({ stateDir, holder: holderOf(context), what }, () => {\n',
      },
    ],
    caughtBy: { tests: ['test/app/environment/ownership.test.ts'] },
  },
  {
    name: 'kill-file-in-the-folder-of-another-mode',
    what: 'a halt by the wrong config stops the run of another mode or account',
    edits: [
      {
        file: 'src/cli/commands/journal/halt.ts',
        find: '  claimState(place.loaded, place.stateDir);\n',
        replace: '',
      },
    ],
    caughtBy: { tests: ['test/app/environment/ownership.test.ts'] },
  },
  {
    name: 'hand-order-as-a-flatten',
    what: 'an order by hand passes a halt, as the sells of a flatten do',
    edits: [
      {
        file: 'src/engine/operator/manualSends.ts',
        find: "(restriction.state === 'halted' || !isSell(terms))",
        replace: "restriction.cause === 'kill file'",
      },
      {
        file: 'src/engine/risk/restrictions.ts',
        find: '(commands.flattening.has(id) ? commands.of(id) : undefined)',
        replace: 'commands.of(id)',
      },
    ],
    caughtBy: { tests: ['test/engine/operator/handOrders.test.ts'] },
  },
  {
    name: 'hand-withdrawal-by-token-case',
    what: 'a withdrawal by hand is booked to the token as it was typed, and not to the one of the books',
    edits: [
      {
        file: 'src/engine/operator/manualSends.ts',
        find: 'token: terms.token.toLowerCase() as Address',
        replace: 'token: terms.token',
      },
    ],
    caughtBy: { tests: ['test/engine/operator/handTransfers.test.ts'] },
  },
  {
    name: 'hand-buys-outside-the-limits',
    what: 'stock that orders by hand have bought does not count under the limits of the run',
    edits: [
      {
        file: 'src/engine/state/accountSnapshot.ts',
        find: 'quantity < held ? held - quantity : 0n',
        replace: 'quantity < 0n ? 0n : held',
      },
    ],
    caughtBy: { tests: ['test/engine/operator/handOrders.test.ts'] },
  },
  {
    name: 'hand-order-sent-by-a-start',
    what: 'a start sends an order of a manual command that was killed before it had sent it',
    edits: [
      {
        file: 'src/engine/operator/manualSends.ts',
        find: "order.terms.kind === 'limit' && !this.#context.isManual ? 'wait' : 'refuse'",
        replace: "order.terms.kind === 'limit' ? 'wait' : 'refuse'",
      },
    ],
    caughtBy: { tests: ['test/engine/operator/manual.test.ts'] },
  },
  {
    name: 'manual-run-sends-what-waits',
    what: 'a manual command sends what a run has left to wait',
    edits: [
      {
        file: 'src/engine/strategy/strategyManager.ts',
        find: 'pump(({ id }) => !this.#before.has(id))',
        replace: 'pump(() => true)',
      },
    ],
    caughtBy: { tests: ['test/engine/operator/manual.test.ts'] },
  },
  {
    name: 'reading-command-sends',
    what: 'a manual command that only reads sends the cancels that a run has left',
    edits: [
      {
        file: 'src/engine/runtime/runner.ts',
        find: "    if (this.#options.manual === 'reads') return;\n    if (effect.kind !== 'stopRun')",
        replace: "    if (effect.kind !== 'stopRun')",
      },
      {
        file: 'src/engine/runtime/runner.ts',
        find: "    if (this.#options.manual === 'reads') return 'only an operator is at work';\n",
        replace: '',
      },
    ],
    caughtBy: { tests: ['test/engine/operator/manual.test.ts'] },
  },
  {
    name: 'hand-order-left-unsent',
    what: 'an order by hand that its command could not send is sent by a later run',
    edits: [
      {
        file: 'src/engine/intents/intents.ts',
        find: 'if (!before.has(id) && !open.has(id))',
        replace: 'if (before.has(id) && !open.has(id))',
      },
    ],
    caughtBy: { tests: ['test/engine/operator/manual.test.ts'] },
  },
  {
    name: 'hand-transfer-refused-twin',
    what: 'a transfer that was refused as unauthorized counts as ended, although a copy of it may have been taken',
    edits: [
      {
        file: 'src/engine/treasury/treasury.ts',
        find: "outcome.kind === 'refused' && outcome.unproven &&",
        replace: "outcome.kind === 'refused' && !outcome &&",
      },
    ],
    caughtBy: { tests: ['test/cli/commands/transfers/cashAndStock.test.ts'] },
  },
  {
    name: 'external-cancel-never-over',
    what: 'a command waits for ever for the cancel of an external order that the venue has refused',
    edits: [
      {
        file: 'src/engine/operator/steering.ts',
        find: 'left.length === given.length;',
        replace: 'left.length === 0;',
      },
    ],
    caughtBy: { tests: ['test/engine/operator/externalCancels.test.ts'] },
  },
  {
    name: 'listed-float-is-another-amount',
    what: 'a withdrawal of more than 15 digits stops all transfers once the venue lists it',
    edits: [
      {
        file: 'src/core/amount.ts',
        find: 'shown === amount || shown === wadFromNumber(toNumber(amount))',
        replace: 'shown === amount',
      },
    ],
    caughtBy: { tests: ['test/domain/transfers/transfer.test.ts'] },
  },
  {
    name: 'never-done-takes-any-later-row',
    what: 'a transfer that counts as never done is found in every later one of its amount',
    edits: [
      {
        file: 'src/domain/transfers/transferBook.ts',
        find: "state.kind === 'neverExisted' && createdAt > state.at + LINKED_MS",
        replace: 'createdAt > Infinity',
      },
    ],
    caughtBy: { tests: ['test/domain/transfers/transfer.test.ts'] },
  },
  {
    name: 'late-answer-stops-transfers',
    what: 'a repayment that the account has shown before its answer stops all transfers for good',
    edits: [
      {
        file: 'src/domain/transfers/transfer.ts',
        find: "known === txHash || state.kind === 'settled' ? stale",
        replace: 'known === txHash ? stale',
      },
    ],
    caughtBy: { tests: ['test/domain/transfers/transfer.test.ts'] },
  },
];
