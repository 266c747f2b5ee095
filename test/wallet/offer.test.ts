import { expect, test } from 'vitest';
import { standingOf, type OfferState } from '../../src/wallet/offer.ts';

const hash = `0x${'ab'.repeat(32)}`;

/** Messages of eth_sendRawTransaction by client, and the source file they come from. */
const NODES: Readonly<
  Record<string, Readonly<{ source: string; words: Readonly<Partial<Record<OfferState, string[]>>> }>>
> = {
  geth: {
    source:
      'ethereum/go-ethereum: core/txpool/errors.go, validation.go, legacypool/legacypool.go, locals/errors.go; core/error.go; internal/ethapi/api.go',
    words: {
      taken: ['already known', `known transaction: ${hash.slice(2)}`],
      never: [
        'insufficient funds for gas * price + value: balance 0, tx cost 1, overshot 1',
        'invalid sender: invalid chain id for signer: have 1 want 143',
        'transaction underpriced: gas tip cap 1, minimum needed 2',
        'transaction gas price below minimum: gas tip cap 1, minimum needed 2',
        'replacement transaction underpriced',
        'exceeds block gas limit',
        'transaction gas limit too high (cap: 16777216, tx: 30000000)',
        'intrinsic gas too low: gas 1, minimum needed 21000',
        'insufficient gas for floor data gas cost: gas 1, minimum needed 2',
        'oversized data: transaction size 200000, limit 131072',
        'max priority fee per gas higher than max fee per gas',
        'transaction type not supported: tx type 2 not supported by this pool',
        'nonce too high: tx nonce 9, gapped nonce 1',
        'nonce has max value',
        'address already reserved',
        'future transaction tries to replace pending',
        'tx fee (2.00 ether) exceeds the configured cap (1.00 ether)',
      ],
      unclear: [
        'nonce too low: next nonce 5, tx nonce 0',
        'txpool is full',
        'in-flight transaction limit reached for delegated accounts',
        'gapped-nonce tx from delegated accounts',
        'not found',
      ],
    },
  },
  reth: {
    source:
      'paradigmxyz/reth: crates/rpc/rpc-eth-types/src/error/mod.rs (RpcPoolError, RpcInvalidTransactionError), crates/transaction-pool/src/error.rs',
    words: {
      taken: ['already known'],
      never: [
        'insufficient funds for gas * price + value: have 0 want 1',
        'invalid sender',
        'transaction underpriced',
        'replacement transaction underpriced',
        'exceeds block gas limit',
        'exceeds max transaction gas limit',
        'intrinsic gas too high',
        'gas limit too high',
        'sender is not an EOA',
        'transaction priority fee below minimum required priority fee 1',
        'invalid chain ID',
        'tx fee (2 wei) exceeds the configured cap (1 wei)',
        'oversized data: transaction size 2, limit 1',
        'invalid transaction signature',
        'failed to decode signed transaction',
        'empty transaction data',
      ],
      unclear: [
        'nonce too low: next nonce 5, tx nonce 0',
        'txpool is full',
        'internal blocking task error',
        'Batch transaction sender channel closed',
      ],
    },
  },
  besu: {
    source: 'hyperledger/besu: ethereum/api/…/jsonrpc/internal/response/RpcErrorType.java',
    words: {
      taken: ['Known transaction'],
      never: [
        'Upfront cost exceeds account balance',
        'Intrinsic gas exceeds gas limit',
        'Transaction gas limit exceeds block gas limit',
        'Gas price below configured minimum gas price',
        'Gas price below current base fee',
        'Max priority fee per gas exceeds max fee per gas',
        'Replacement transaction underpriced',
        'Transaction fee cap exceeded',
        'Wrong chainId',
        'Invalid signature',
        'Invalid transaction type',
        'Sender account not authorized to send transactions',
        'Nonce too high',
      ],
      unclear: [
        'Nonce too low',
        'Internal error',
        'Timeout expired',
        'Transaction nonce is too distant from current sender nonce',
        'An invalid transaction with a lower nonce exists',
        'Transaction pool not enabled. (Either txpool explicitly disabled, or node not yet in sync).',
        'Initial sync is still in progress',
        'Plugin has marked the transaction as invalid',
      ],
    },
  },
  nethermind: {
    source:
      'NethermindEth/nethermind: src/Nethermind/Nethermind.TxPool/TxPoolErrorMessages.cs, AcceptTxResult.cs, TxPool.cs (AddCore)',
    words: {
      taken: ['already known'],
      never: [
        'insufficient funds for gas * price + value',
        'transaction underpriced',
        'replacement transaction underpriced',
        'gas limit reached',
        'failed to recover sender',
        'sender not an eoa',
        'nonce too high',
        'nonce too far in future',
        'unsupported transaction type',
        'transaction too large',
      ],
      unclear: ['nonce too low', 'transaction invalid', 'node is syncing', 'delegation nonce gap'],
    },
  },
  'nethermind before 2026': {
    source: 'NethermindEth/nethermind: src/Nethermind/Nethermind.TxPool/AcceptTxResult.cs (names as words)',
    words: {
      taken: ['AlreadyKnown'],
      never: [
        'FailedToResolveSender',
        'FeeTooLow, FeePerGas needs to be higher than 1 to be added to the TxPool. FeePerGas of rejected tx: 0',
        'FeeTooLowToCompete',
        'GasLimitExceeded, Gas limit: 1, gas limit of rejected tx: 2',
        'InsufficientFunds, Account balance: 0, cumulative cost: 1',
        'NonceGap, Future nonce. Expected nonce: 0',
        'NonceTooFarInFuture',
        'ReplacementNotAllowed',
        'SenderIsContract',
        'MaxTxSizeExceeded',
        'NotSupportedTxType',
      ],
      unclear: [
        'OldNonce, Current nonce: 5, nonce of rejected tx: 0',
        'Invalid',
        'Syncing',
        'Int256Overflow',
        'DelegatorHasPendingTx',
      ],
    },
  },
  erigon: {
    source: 'erigontech/erigon: rpc/jsonrpc/send_transaction.go, txnprovider/txpool/txpoolcfg/txpoolcfg.go',
    words: {
      taken: ['ALREADY_EXISTS: already known', 'ALREADY_EXISTS: existing txn with same hash'],
      never: [
        'FEE_TOO_LOW: underpriced',
        'FEE_TOO_LOW: fee too low',
        'INTERNAL_ERROR: insufficient funds',
        'INTERNAL_ERROR: replacement transaction underpriced',
        'INTERNAL_ERROR: could not replace existing tx',
        'INVALID: invalid sender',
        'INVALID: oversized data',
        'INTERNAL_ERROR: IntrinsicGas',
        'INTERNAL_ERROR: gas limit is too high',
        'invalid chain id, expected: 143 got: 1',
      ],
      unclear: [
        'INTERNAL_ERROR: nonce too low',
        'STALE: nonce too low',
        'INTERNAL_ERROR: pending sub-pool is full',
        'INTERNAL_ERROR: replaced by transaction with higher tip',
        'INTERNAL_ERROR: mined',
      ],
    },
  },
  monad: {
    source:
      'category-labs/monad-bft: monad-eth-txpool/src/pool/tracked/list.rs (try_insert_tx), monad-eth-txpool-types/src/lib.rs (as_user_string), monad-rpc/src/handlers/eth/txn.rs, monad-rpc/src/types/jsonrpc.rs',
    words: {
      never: [
        'Transaction fee too low',
        'Signer had insufficient balance',
        'Invalid chain ID: expected 143, got 1',
        'Invalid chain ID',
        'Max priority fee too high',
        'Gas limit too low',
        'Exceeds transaction gas limit',
        'Encoded length limit exceeded',
        'Invalid transaction signature',
        'Transaction signature is invalid',
        'Unsupported transaction type',
        'Transaction decoding error',
      ],
      unclear: [
        'Transaction nonce too low',
        'overloaded, try again later',
        'rpc no longer tracking tx',
        'rejected',
        'Internal error',
        'Transaction pool is full',
        'Transaction pool is not ready',
        'A newer transaction had higher priority',
        'An existing transaction had higher priority',
        'Another transaction has higher priority',
      ],
    },
  },
  anvil: {
    source: 'foundry-rs/foundry: crates/anvil/src/eth/error.rs',
    words: {
      taken: [`Tx: [${hash}] already Imported`, 'transaction already imported'],
      never: [
        `Tx: [${hash}] insufficient gas price to replace existing transaction`,
        'Insufficient funds for gas * price + value',
        'intrinsic gas too low',
        'intrinsic gas too high -- tx.gas_limit > env.block.gas_limit',
        'max fee per gas less than block base fee',
        'max priority fee per gas higher than max fee per gas',
        'invalid chain id for signer',
        'Incompatible EIP-155 transaction, signed for another chain',
        'sender not an eoa',
        'Failed to decode signed transaction',
        'Transaction data is empty',
        'Unknown transaction type not supported',
        'Transaction gas limit is greater than the block gas limit, gas_limit: 2, cap: 1',
      ],
      unclear: [
        'nonce too low',
        'Internal error: "x"',
        'Required data unavailable',
        'Transaction with cyclic dependent transactions',
      ],
    },
  },
  hardhat: {
    source: 'NomicFoundation/edr: crates/edr_evm/src/mempool.rs, crates/edr_provider/src/error.rs',
    words: {
      taken: [`Known transaction: ${hash}`],
      never: [
        "Sender doesn't have enough funds to send tx. The max upfront cost is: 2 and the sender's balance is: 1.",
        'Replacement transaction underpriced. A gasPrice/maxFeePerGas of at least 2 is necessary to replace the existing transaction with nonce 0.',
        'Transaction gas limit is 40000000 and exceeds block gas limit of 30000000',
        "Nonce too high. Expected nonce to be 0 but got 5. Note that transactions can't be queued when automining.",
        'Trying to send an incompatible EIP-155 transaction, signed for another chain.',
      ],
      unclear: [
        'Transaction nonce too low. Expected nonce to be at least 5 but got 0.',
        "Nonce too low. Expected nonce to be 5 but got 0. Note that transactions can't be queued when automining.",
        "VM Exception while processing transaction: reverted with reason string 'no'",
        'Transaction reverted without a reason string',
        'Transaction ran out of gas',
      ],
    },
  },
  'a gateway before nodes': {
    source: 'no source: words as its customers quote them',
    words: {
      unclear: [
        'daily request count exceeded, request rate limited',
        'the transaction is already known transaction of another',
        'a transaction with this nonce already exists',
        'upstream said: insufficient funds',
      ],
    },
  },
};

const rows = Object.entries(NODES).flatMap(([node, { words }]) =>
  Object.entries(words).flatMap(([standing, texts]) => texts.map((text) => [node, text, standing] as const)),
);

test.each(rows)('the message of %s to offered bytes, %s, means: %s', (_node, text, standing) => {
  expect(standingOf(text)).toBe(standing);
});

test('an unknown transaction type can never be mined, an unknown transaction is unclear', () => {
  expect(standingOf('unknown transaction type')).toBe('never');
  expect(standingOf('INVALID: unknown transaction')).toBe('unclear');
});
