import type { Mutant } from './mutant.ts';

/** Bugs in reading the messages and errors of a chain's nodes. */
export const refusalMutants: readonly Mutant[] = [
  {
    name: 'gas-before-replay',
    what: 'every revert on a chain that charges the gas limit is told as out of gas',
    edits: [
      {
        file: 'src/wallet/traces.ts',
        find: '    const call = decodeRouterCall(data);',
        replace: `    const used = receipt.extend({ gasUsed: quantity });
    if ((await rpc.ask('eth_getTransactionReceipt', [txHash], used)).gasUsed >= gas) return 'out of gas';
    const call = decodeRouterCall(data);`,
      },
    ],
    caughtBy: { tests: ['test/wallet/chain.test.ts'] },
  },
  {
    name: 'known-transaction-unanchored',
    what: 'an unknown transaction type is taken for an accepted transaction',
    edits: [
      {
        file: 'src/wallet/offer.ts',
        find: '/^(already ?known|known transaction|',
        replace: '/(already ?known|known transaction|',
      },
    ],
    caughtBy: { tests: ['test/wallet/offer.test.ts'] },
  },
  {
    name: 'read-refusal-final',
    what: 'an overloaded node is believed to say that a call reverts',
    edits: [
      {
        file: 'src/wallet/rpc.ts',
        find: 'if (error instanceof NodeRefusal && isRevert(error.answer))',
        replace: 'if (error instanceof NodeRefusal)',
      },
    ],
    caughtBy: { tests: ['test/wallet/rpc.test.ts'] },
  },
  {
    name: 'nonce-too-low-for-proof',
    what: 'bytes that a gateway has passed on twice end as refused although they were mined',
    edits: [
      {
        file: 'src/wallet/sender.ts',
        find: "return { kind: 'unknown', reason };",
        replace:
          "return /nonce too low/i.test(reason) ? { kind: 'refused', reason } : { kind: 'unknown', reason };",
      },
    ],
    caughtBy: { tests: ['test/wallet/sender.test.ts'] },
  },
];
