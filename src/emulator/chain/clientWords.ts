import { NodeRefusal, type Client } from '../state/nodeFace.ts';

/** A text with `{name}` placeholders, and a code and data if they differ from the default. Null: the client accepts it. */
type ClientText = string | null | Readonly<{ message: string; code: number; data?: unknown }>;

/**
 * go-ethereum: core/txpool/errors.go, core/error.go, internal/ethapi/errors.go. The rate limit is that of a gateway in
 * front of it.
 */
const GETH = {
  /** The same bytes are already pending. */
  known: 'already known',
  nonceTooLow: 'nonce too low: next nonce {next}, tx nonce {nonce}',
  nonceTooHigh: 'nonce too high: tx nonce {nonce}, gapped nonce {next}',
  /** Another transaction is pending at this nonce, and the new one does not raise the fees enough. */
  notReplaced: 'replacement transaction underpriced',
  funds: 'insufficient funds for gas * price + value',
  chainId: 'invalid sender: invalid chain id for signer: have {chainId} want {ownChainId}',
  gasAboveBlock: 'exceeds block gas limit',
  gasTooLow: 'intrinsic gas too low: gas {gas}, minimum needed {gasNeeded}',
  tipAboveFee: 'max priority fee per gas higher than max fee per gas',
  feeBelowBase: null,
  outOfGas: 'out of gas',
  /** The block does not exist yet. */
  noBlock: 'header not found',
  /** The state of the block has been pruned. */
  pruned: 'missing trie node: no state of block {block}',
  rateLimited: {
    message: 'daily request count exceeded, request rate limited',
    code: -32_005,
    data: { rate: { allowed_rps: 1, backoff_seconds: 30, current_rps: 2 } },
  },
  overloaded: { message: 'request timed out', code: -32_002 },
  internal: { message: 'Internal error', code: -32_603 },
} as const satisfies Readonly<Record<string, ClientText>>;

type RefusalReason = keyof typeof GETH;

/** Texts of the other clients where they differ from go-ethereum's, with their source files. */
const OTHERS: Readonly<
  Record<Exclude<Client, 'geth'>, Readonly<Partial<Record<RefusalReason, ClientText>>>>
> = {
  /** crates/rpc/rpc-eth-types/src/error/mod.rs, crates/storage/errors/src/provider.rs */
  reth: {
    chainId: 'invalid chain ID',
    outOfGas: { message: 'out of gas: gas required exceeds allowance: {gas}', code: -32_003 },
    pruned: { message: 'no state found for block number {block}', code: -32_603 },
    overloaded: 'execution aborted (timeout = 5s)',
  },
  /** ethereum/api: RpcErrorType.java */
  besu: {
    known: 'Known transaction',
    nonceTooLow: { message: 'Nonce too low', code: -32_001 },
    nonceTooHigh: { message: 'Nonce too high', code: -32_006 },
    notReplaced: 'Replacement transaction underpriced',
    funds: { message: 'Upfront cost exceeds account balance', code: -32_004 },
    chainId: 'Wrong chainId',
    gasAboveBlock: { message: 'Transaction gas limit exceeds block gas limit', code: -32_005 },
    gasTooLow: { message: 'Intrinsic gas exceeds gas limit', code: -32_003 },
    tipAboveFee: 'Max priority fee per gas exceeds max fee per gas',
    feeBelowBase: { message: 'Gas price below current base fee', code: -32_009 },
    outOfGas: 'Transaction processing could not be completed due to an exception',
    pruned: 'World state unavailable',
    overloaded: { message: 'Timeout expired', code: -32_603 },
  },
  /** Nethermind.TxPool/AcceptTxResult.cs, Nethermind.JsonRpc/ErrorCodes.cs */
  nethermind: {
    nonceTooLow: { message: 'nonce too low', code: -32_010 },
    notReplaced: { message: 'replacement transaction underpriced', code: -32_010 },
    gasAboveBlock: { message: 'gas limit reached', code: -32_010 },
    outOfGas: { message: 'out of gas', code: -32_003 },
    pruned: { message: 'No state available for block {block}', code: -32_002 },
    overloaded: { message: 'eth_call request was canceled due to enabled timeout.', code: -32_016 },
  },
  /** txnprovider/txpool/txpoolcfg/txpoolcfg.go, rpc/jsonrpc/send_transaction.go */
  erigon: {
    known: 'ALREADY_EXISTS: already known',
    nonceTooLow: 'INTERNAL_ERROR: nonce too low',
    notReplaced: 'INTERNAL_ERROR: could not replace existing tx',
    funds: 'INTERNAL_ERROR: insufficient funds',
    chainId: 'invalid chain id, expected: {ownChainId} got: {chainId}',
    gasAboveBlock: 'INTERNAL_ERROR: gas limit is too high',
    gasTooLow: 'INTERNAL_ERROR: IntrinsicGas',
  },
  /**
   * monad-eth-txpool-types/src/lib.rs, monad-rpc/src/types/jsonrpc.rs. Its pool compares identical bytes as a
   * replacement of themselves.
   */
  monad: {
    known: { message: 'An existing transaction had higher priority', code: -32_603 },
    nonceTooLow: { message: 'Transaction nonce too low', code: -32_603 },
    nonceTooHigh: null,
    notReplaced: { message: 'An existing transaction had higher priority', code: -32_603 },
    funds: { message: 'Signer had insufficient balance', code: -32_603 },
    chainId: 'Invalid chain ID: expected {ownChainId}, got {chainId}',
    gasAboveBlock: { message: 'Exceeds block gas limit', code: -32_603 },
    gasTooLow: { message: 'Gas limit too low', code: -32_603 },
    tipAboveFee: { message: 'Max priority fee too high', code: -32_603 },
    noBlock: { message: 'Block requested not found', code: -32_602 },
    pruned: {
      message:
        'Block requested not found. Request might be querying historical state that is not available. If possible, reformulate query to point to more recent blocks',
      code: -32_602,
    },
    overloaded: { message: 'overloaded, try again later', code: -32_603 },
  },
  /** crates/anvil/src/eth/error.rs */
  anvil: {
    known: { message: 'transaction already imported', code: -32_003 },
    nonceTooLow: { message: 'nonce too low', code: -32_003 },
    notReplaced: { message: 'replacement transaction underpriced', code: -32_003 },
    funds: { message: 'Insufficient funds for gas * price + value', code: -32_003 },
    chainId: { message: 'invalid chain id for signer', code: -32_003 },
    gasAboveBlock: 'intrinsic gas too high -- tx.gas_limit > env.block.gas_limit',
    gasTooLow: { message: 'intrinsic gas too low', code: -32_003 },
    feeBelowBase: { message: 'max fee per gas less than block base fee', code: -32_003 },
    outOfGas: { message: 'EVM error OutOfGas', code: -32_003 },
    noBlock: {
      message: 'BlockOutOfRangeError: block height is {head} but requested was {block}',
      code: -32_602,
    },
    pruned: { message: 'Required data unavailable', code: -32_603 },
    overloaded: { message: 'Internal error', code: -32_603 },
  },
  /** edr: crates/edr_evm/src/mempool.rs, crates/edr_provider/src/error.rs */
  hardhat: {
    known: 'Known transaction: {hash}',
    nonceTooLow: 'Transaction nonce too low. Expected nonce to be at least {next} but got {nonce}.',
    notReplaced:
      'Replacement transaction underpriced. A gasPrice/maxFeePerGas of at least {feeNeeded} is necessary to replace the existing transaction with nonce {nonce}.',
    funds:
      "Sender doesn't have enough funds to send tx. The max upfront cost is: {cost} and the sender's balance is: {balance}.",
    chainId: 'Trying to send an incompatible EIP-155 transaction, signed for another chain.',
    gasAboveBlock: 'Transaction gas limit is {gas} and exceeds block gas limit of {gasMax}',
    outOfGas: 'Transaction ran out of gas',
    overloaded: { message: 'Internal error', code: -32_603 },
  },
};

/** Values for the placeholders of a text, by name. */
type RefusalValues = Readonly<Partial<Record<string, string | number | bigint>>>;

/** The refusal of a client; null if this client accepts what others refuse. */
export function refusalOf(
  client: Client,
  reason: RefusalReason,
  values: RefusalValues = {},
): NodeRefusal | null {
  const own = client === 'geth' ? undefined : OTHERS[client][reason];
  const wording: ClientText = own === undefined ? GETH[reason] : own;
  if (wording === null) return null;
  if (typeof wording === 'string') return new NodeRefusal(filled(wording, values));
  const { message, code, data = null } = wording;
  return new NodeRefusal(filled(message, values), code, data);
}

const filled = (text: string, values: RefusalValues): string =>
  text.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? '?'));

/** Refuses with the client's text. @throws {NodeRefusal} unless this client accepts it */
export function refuse(client: Client, reason: RefusalReason, values: RefusalValues = {}): void {
  const refusal = refusalOf(client, reason, values);
  if (refusal) throw refusal;
}
