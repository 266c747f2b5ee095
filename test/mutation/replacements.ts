import type { Mutant } from './mutant.ts';

const replacements = 'src/wallet/replacements.ts';
const traces = 'src/wallet/traces.ts';
const tracking = 'src/engine/orders/tracker.ts';
const treasury = 'src/engine/treasury/tracking.ts';
const ofTraces = { tests: ['test/wallet/noncesReplaced.test.ts'] };
const ofOrders = { tests: ['test/venue/ownOrders.test.ts'] };
const ofTransfers = { tests: ['test/engine/runtime/treasuryWallet.test.ts'] };

/** Bugs in the proof that another transaction was mined with the nonce of a missing one. */
export const replacementMutants: readonly Mutant[] = [
  {
    name: 'replaced-at-one-look',
    what: 'a used nonce is believed at once',
    edits: [
      {
        file: replacements,
        find: "isDeep && newest.timestamp >= first.timestamp + APART_SECONDS ? 'replaced'",
        replace: "isDeep || newest.number >= first.number ? 'replaced'",
      },
    ],
    caughtBy: ofTraces,
  },
  {
    name: 'replaced-by-a-lagging-node',
    what: 'a used nonce is believed as soon as blocks stand upon it, where a slow node may lag by so many',
    edits: [{ file: replacements, find: 'const APART_SECONDS = 60n;', replace: 'const APART_SECONDS = 0n;' }],
    caughtBy: ofTraces,
  },
  {
    name: 'replaced-through-a-reorganisation',
    what: 'a nonce that was freed again counts as used since before',
    edits: [
      {
        file: replacements,
        find: `    this.forget(txHash);
    return count`,
        replace: '    return count',
      },
    ],
    caughtBy: ofTraces,
  },
  {
    name: 'replaced-despite-a-receipt',
    what: 'a receipt does not begin the proof anew',
    edits: [
      {
        file: traces,
        find: `    if (mined) {
      this.#replacements.forget(txHash);`,
        replace: '    if (mined) {',
      },
    ],
    caughtBy: ofTraces,
  },
  {
    name: 'replaced-at-any-block',
    what: 'the count is asked at the newest block of whichever node answers',
    edits: [{ file: replacements, find: '[from, toHex(number)]', replace: "[from, 'latest']" }],
    caughtBy: ofTraces,
  },
  {
    name: 'replaced-by-whatever-was-mined',
    what: 'a used nonce counts as used by another although its block has the very transaction',
    edits: [{ file: replacements, find: "if (user === txHash) return 'mined';", replace: '' }],
    caughtBy: ofTraces,
  },
  {
    name: 'replaced-by-nobody-known',
    what: 'a used nonce counts as used by another although nobody shows by what',
    edits: [
      {
        file: replacements,
        find: "if (user === null) return 'unclear';",
        replace:
          "if (user === null) return newest.timestamp >= first.timestamp + APART_SECONDS ? 'replaced' : 'unclear';",
      },
    ],
    caughtBy: ofTraces,
  },
  {
    name: 'used-nonce-is-absence',
    what: 'a transaction whose nonce is used counts as absent until it is known by what',
    edits: [
      {
        file: 'src/venue/ownOrders.ts',
        find: "if (trace.kind === 'unclear') return undefined;",
        replace:
          "if (trace.kind === 'unclear') return { at: epochMs(Number.MAX_SAFE_INTEGER), isReplaced: false };",
      },
    ],
    caughtBy: ofOrders,
  },
  {
    name: 'queued-is-absence',
    what: 'a transaction behind an unused nonce counts as absent, and is mined as soon as that is used',
    edits: [
      {
        file: replacements,
        find: 'return count === BigInt(signed.nonce) && !(await this.#isPooled(signed))',
        replace: 'return count <= BigInt(signed.nonce)',
      },
    ],
    caughtBy: ofTraces,
  },
  {
    name: 'nonces-not-in-the-journal',
    what: 'after a restart nobody knows the nonce of what was sent before',
    edits: [
      {
        file: 'src/domain/account/accountState.ts',
        find: 'this.advance({ before, after: result.order, event, request }, at);',
        replace: 'this.advance({ before, after: result.order, event }, at);',
      },
    ],
    caughtBy: ofOrders,
  },
  {
    name: 'replaced-order-without-the-account',
    what: 'an order is closed by its nonce although the account shows that money has moved',
    edits: [
      {
        file: tracking,
        find: 'const ledgerAgrees = asked > goneAt && agrees(order);',
        replace: 'const ledgerAgrees = asked > goneAt;',
      },
    ],
    caughtBy: ofOrders,
  },
  {
    name: 'replaced-transfer-held-by-its-link',
    what: 'the link to the key, which nobody takes back, keeps a replaced transfer open for ever',
    edits: [
      {
        file: treasury,
        find: 'row.txHash === own && !this.#isOnlyLinked(transfer, row)',
        replace: 'row.txHash === own',
      },
    ],
    caughtBy: ofTransfers,
  },
  {
    name: 'replaced-transfer-without-the-wallet',
    what: 'a transfer is closed by its nonce although the wallet shows that it was done',
    edits: [
      {
        file: treasury,
        find: 'if (missing === null && this.#isReplacedBefore(asked, transfer))',
        replace: "if (missing !== 'lists' && this.#isReplacedBefore(asked, transfer))",
      },
    ],
    caughtBy: ofTransfers,
  },
  {
    name: 'evidence-of-another-transaction',
    what: 'an order is closed as never placed by what the chain says of a transaction that is not its own',
    edits: [{ file: 'src/engine/orders/tracker.ts', find: 'this.#looks.forget(order.id);', replace: '' }],
    caughtBy: { tests: ['test/engine/runtime/doubt.test.ts'] },
  },
];
