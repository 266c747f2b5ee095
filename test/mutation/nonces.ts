import type { Mutant } from './mutant.ts';

const nonceTests = { tests: ['test/wallet/nonces.test.ts'] };

/** Bugs in the nonces of the wallet's transactions. */
export const nonceMutants: readonly Mutant[] = [
  {
    name: 'nonce-asked-of-the-node-alone',
    what: 'a node that counts only what is mined gives the next transaction the nonce of one that waits',
    edits: [{ file: 'src/wallet/nonces.ts', find: 'while (taken.has(nonce)) nonce++;', replace: '' }],
    caughtBy: nonceTests,
  },
  {
    name: 'nonces-not-read-from-the-journal',
    what: 'after a restart the nonces that the journal knows are given to others',
    edits: [
      {
        file: 'src/domain/transfers/transactionLog.ts',
        find: 'sent.push([id, { ...request, at }]);',
        replace: 'void [id, request];',
      },
    ],
    caughtBy: { tests: ['test/app/environment/walletLog.test.ts'] },
  },
  {
    name: 'nonces-not-kept-for-the-next-process',
    what: 'a command by hand takes the nonce of what a run before it has sent',
    edits: [
      {
        file: 'src/app/environment/walletLog.ts',
        find: 'memoryTransactionLog([...kept, ...signed])',
        replace: 'memoryTransactionLog(signed)',
      },
    ],
    caughtBy: { tests: ['test/app/environment/walletLog.test.ts'] },
  },
  {
    name: 'stuck-wallet-sends',
    what: 'orders queue up behind a transaction that waits past its deadline',
    edits: [
      {
        file: 'src/wallet/nonces.ts',
        find: 'if (!stuck || !first) return;',
        replace: 'if (!stuck || first) return;',
      },
    ],
    caughtBy: nonceTests,
  },
  {
    name: 'nonce-of-a-forgotten-order-reused',
    what: 'a node that forgets an order has its nonce given to another before its deadline',
    edits: [
      {
        file: 'src/wallet/nonces.ts',
        find: '(!transaction.accepted || trace.at > deadline * 1000)',
        replace: '(transaction.accepted || trace.at > deadline * 1000)',
      },
      {
        file: 'src/wallet/nonces.ts',
        find: 'if (isInTime && transaction.accepted) return live;',
        replace: '',
      },
    ],
    caughtBy: nonceTests,
  },
  {
    name: 'replaced-deposit-offered-again',
    what: 'a deposit is offered again although another was signed to take its place',
    edits: [
      {
        file: 'src/wallet/nonces.ts',
        find: "if (trace.kind === 'absent' && !isOutbid(transaction, signed)) await",
        replace: "if (trace.kind === 'absent') await",
      },
    ],
    caughtBy: nonceTests,
  },
  {
    name: 'given-up-deposit-beside-its-successor',
    what: 'a deposit that was closed without proof can still be mined beside the one that followed it',
    edits: [
      {
        file: 'src/wallet/nonces.ts',
        find: ', ...givenUp.map((each) => each.nonce))',
        replace: ')',
      },
    ],
    caughtBy: nonceTests,
  },
  {
    name: 'lost-deposit-not-offered-again',
    what: 'a deposit that the node has lost stays lost, and all that the wallet sends later waits for it',
    edits: [
      {
        file: 'src/engine/runtime/polling.ts',
        find: 'await offerUntraced({ ...this.#options, port }, untraced);',
        replace: 'void untraced;',
      },
    ],
    caughtBy: { tests: ['test/engine/runtime/treasuryWallet.test.ts'] },
  },
  {
    name: 'unsent-cancel-in-silence',
    what: 'nobody hears that a cancel is kept back by a stuck wallet',
    edits: [
      {
        file: 'src/engine/orders/responses.ts',
        find: 'if (outcome.alarm) this.#alarmOfCancel(id, outcome);',
        replace: '',
      },
    ],
    caughtBy: { tests: ['test/venue/ownOrders.test.ts'] },
  },
  {
    name: 'nonce-taken-back-twice',
    what: 'each `wallet cancel` of a nonce signs another transaction for it',
    edits: [
      {
        file: 'src/cli/commands/wallet/cancel.ts',
        find: 'const txHash = target.before ? await',
        replace: 'const txHash = target.before && target.stuck.nonce < 0 ? await',
      },
    ],
    caughtBy: { tests: ['test/cli/commands/wallet/cancel.test.ts'] },
  },
  {
    name: 'cancel-at-the-same-fee',
    what: 'what is to take the place of a waiting transaction pays no more than that, and is refused',
    edits: [
      { file: 'src/wallet/checkCalldata.ts', find: '(fee * 9n + 7n) / 8n', replace: '(fee * 8n + 7n) / 8n' },
    ],
    caughtBy: nonceTests,
  },
  {
    name: 'dead-transaction-jams-the-wallet',
    what: 'a lost transaction near the limit of fees keeps the wallet from sending for ever',
    edits: [
      {
        file: 'src/wallet/sender.ts',
        find: 'if (replaces && least) requireOutbidding(bounds, least);',
        replace: 'if (least) requireOutbidding(bounds, least);',
      },
    ],
    caughtBy: nonceTests,
  },
  {
    name: 'nonce-too-low-proves-a-refusal',
    what: 'a gateway that passes the bytes on twice has the second copy counted as a refusal of both',
    edits: [
      {
        file: 'src/wallet/offer.ts',
        find: '/^insufficient funds\\b/i,',
        replace: '/^insufficient funds\\b|^nonce too low/i,',
      },
    ],
    caughtBy: { tests: ['test/wallet/sender.test.ts', 'test/wallet/offer.test.ts'] },
  },
  {
    name: 'deadline-read-by-the-standard-router',
    what: 'where the router has other functions, a lost order counts as a call without a deadline, and is offered for ever',
    edits: [
      {
        file: 'src/wallet/checkCalldata.ts',
        find: 'codec.decode(data) ?? decodeRouterCall(data)',
        replace: 'decodeRouterCall(data)',
      },
    ],
    caughtBy: nonceTests,
  },
  {
    name: 'given-up-nonce-before-a-lower-one',
    what: 'an order gets a nonce that was given up, and waits for a lower one that nobody uses',
    edits: [
      {
        file: 'src/wallet/nonces.ts',
        find: 'Math.min(Math.max(used, counted), ...givenUp.map((each) => each.nonce))',
        replace: 'givenUp[0]?.nonce ?? Math.max(used, counted)',
      },
    ],
    caughtBy: nonceTests,
  },
];
