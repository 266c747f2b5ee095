import type { Mutant } from './mutant.ts';

/** Bugs in transactions that the wallet signs itself, and in unrequested transfers. */
export const walletMutants: readonly Mutant[] = [
  {
    name: 'calldata-not-compared',
    what: 'the wallet signs although the venue’s calldata is another call',
    edits: [
      {
        file: 'src/wallet/checkCalldata.ts',
        find: 'if (differences.length > 0) throw',
        replace: 'if (differences.length > 1_000) throw',
      },
    ],
    caughtBy: { tests: ['test/wallet/checkCalldata.test.ts'] },
  },
  {
    name: 'calldata-signed-as-given',
    what: 'bytes of the venue are compared without their target',
    edits: [
      {
        file: 'src/wallet/checkCalldata.ts',
        find: '...(sameAddress(answer.toAddress, router) ?',
        replace: '...(answer.toAddress !== router || sameAddress(answer.toAddress, router) ?',
      },
    ],
    caughtBy: { tests: ['test/wallet/checkCalldata.test.ts'] },
  },
  {
    name: 'two-at-one-nonce',
    what: 'two transactions of the wallet are prepared at once and take the same place',
    edits: [
      {
        file: 'src/wallet/sender.ts',
        find: 'const sending = this.#last.then(() => this.#send(request));',
        replace: 'const sending = this.#send(request);',
      },
    ],
    caughtBy: { tests: ['test/wallet/sender.test.ts'] },
  },
  {
    name: 'wallet-journal-after-send',
    what: 'a transaction leaves before its bytes and hash are in the journal',
    edits: [
      {
        file: 'src/wallet/sender.ts',
        find: `    gate.commit(transaction);
    const unlogged = this.#log(transaction);
    if (unlogged !== null) return unlogged;
    return this.#offer(transaction, deadline);`,
        replace: `    const unlogged = this.#log(transaction);
    if (unlogged !== null) return unlogged;
    const offered = this.#offer(transaction, deadline);
    gate.commit(transaction);
    return offered;`,
      },
    ],
    caughtBy: { tests: ['test/wallet/sender.test.ts'] },
  },
  {
    name: 'wallet-gate-not-asked-again',
    what: 'what has changed while a transaction was made ready does not stop it',
    edits: [
      {
        file: 'src/wallet/sender.ts',
        find: "if ('stop' in standing) return { kind: 'stopped', reason: standing.stop };",
        replace: 'void standing;',
      },
    ],
    caughtBy: { tests: ['test/wallet/sender.test.ts'] },
  },
  {
    name: 'treasury-cap-ignored',
    what: 'more than its cap is moved in a day without being asked',
    edits: [
      {
        file: 'src/engine/treasury/policy.ts',
        find: 'plannedAt > now - DAY_MS) left -= value;',
        replace: 'plannedAt > now - DAY_MS) left -= 0n;',
      },
    ],
    caughtBy: { tests: ['test/engine/treasury/policy.test.ts'] },
  },
  {
    name: 'treasury-forgets-the-unknown',
    what: 'a deposit without an answer is followed by another',
    edits: [
      {
        file: 'src/engine/treasury/policy.ts',
        find: 'if (!transferHasEnded(transfer)) return true;',
        replace: '',
      },
    ],
    caughtBy: { tests: ['test/engine/treasury/policy.test.ts', 'test/engine/treasury/treasury.test.ts'] },
  },
];
