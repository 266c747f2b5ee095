import type { Mutant } from './mutant.ts';

/** Bugs in the cost limit of a transaction, in gas estimates, and in reading a node's messages. */
export const gasMutants: readonly Mutant[] = [
  {
    name: 'gwei-cut-to-whole',
    what: 'fractions of a gwei are cut off the limit of the config',
    edits: [
      {
        file: 'src/app/environment/submission.ts',
        find: 'BigInt(Math.round(gas.maxFeePerGasGwei * WEI_PER_GWEI))',
        replace: 'BigInt(Math.floor(gas.maxFeePerGasGwei) * WEI_PER_GWEI)',
      },
    ],
    caughtBy: { tests: ['test/app/config/schemaGas.test.ts'] },
  },
  {
    name: 'gas-of-yesterday-forgotten',
    what: 'a start knows nothing of the gas that the day has cost so far',
    edits: [
      {
        file: 'src/domain/transfers/transactionLog.ts',
        find: 'const known = { at: epochMs(Math.max(at, each.at)), accepted',
        replace: 'const known = { at: epochMs(0 * at), accepted',
      },
    ],
    caughtBy: { tests: ['test/wallet/gas.test.ts'] },
  },
  {
    name: 'estimate-with-what-waits',
    what: 'the node chooses on which state it estimates gas',
    edits: [
      {
        file: 'src/wallet/chain.ts',
        find: "rpc.ask('eth_estimateGas', [trial, 'latest'], gasUnits)",
        replace: "rpc.ask('eth_estimateGas', [trial], gasUnits)",
      },
    ],
    caughtBy: { tests: ['test/wallet/sender.test.ts'] },
  },
  {
    name: 'own-copy-taken-for-another',
    what: 'bytes that a Monad node has from a copy of them count as refused',
    edits: [
      {
        file: 'src/wallet/offer.ts',
        find: '/^could not replace existing tx\\b/i',
        replace: '/^could not replace existing tx\\b|^an existing transaction had higher priority/i',
      },
    ],
    caughtBy: { tests: ['test/wallet/offer.test.ts'] },
  },
  {
    name: 'wallet-code-overlooked',
    what: 'any code of a wallet counts as none',
    edits: [
      {
        file: 'src/wallet/chain.ts',
        find: 'return address === undefined ? null : `0x${address}`;',
        replace: 'return address === undefined || address !== "" ? null : `0x${address}`;',
      },
    ],
    caughtBy: { tests: ['test/app/doctor/wallet.test.ts', 'test/wallet/chain.test.ts'] },
  },
];
