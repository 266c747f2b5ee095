/**
 * Result of offering signed bytes to a node. `taken`: the node has them. `never`: the node keeps no part of them, and
 * nobody else has them if this was their first offer. `unclear`: nothing is known; they are looked up by their hash.
 */
export type OfferState = 'taken' | 'never' | 'unclear';

/** Prefix that Erigon puts before its pool's messages, and anvil before its own. */
const PREFIX = /^(?:[A-Z]+(?:_[A-Z]+)*: |Tx: \[0x[0-9a-f]{64}\] )/;

/**
 * Message starts of geth, Reth, Besu, Nethermind, Erigon, Monad, anvil and Hardhat: nodes share messages, so
 * a class must be true of all that use them. `NEVER` has words only where the source checks before it keeps or passes
 * on anything. Missing on purpose: "nonce too low" (another transaction has been mined with their nonce, or these very
 * bytes), "txpool is full" (Reth adds before it discards), "Transaction pool is not ready" (Monad drops what it may have
 * forwarded), "An existing transaction had higher priority" (Monad says it of the same bytes too, when a gateway has passed
 * them on twice), everything internal or overloaded, and the reverts that Hardhat answers for what it has mined.
 */
const TAKEN =
  /^(already ?known|known transaction|(transaction )?already imported|existing txn with same hash)\b/i;
const NEVER: readonly RegExp[] = [
  /^insufficient funds\b/i,
  /^(upfront cost exceeds account balance|signer had insufficient balance)/i,
  /^sender doesn't have enough funds to send tx\. the max upfront cost is/i,
  /^(invalid|wrong) chain ?id\b|^(trying to send an )?incompatible EIP-155 transaction/i,
  /^(invalid sender|(invalid( transaction)?|transaction) signature( is invalid)?$|failed to recover sender)/i,
  /^sender (is )?not an eoa\b|^sender account not authorized/i,
  /^((replacement )?transaction )?underpriced\b|^insufficient gas price to replace/i,
  /^could not replace existing tx\b/i,
  /^address already reserved\b|^future transaction tries to replace pending/i,
  /^(transaction )?fee too low\b|^gas price below (configured minimum gas price|current base fee)/i,
  /^max fee per gas less than block base fee|^max priority fee (per gas (higher|exceeds)|too high)/i,
  /^(tx fee \(.*\) exceeds the configured cap|transaction fee cap exceeded)/i,
  /^intrinsic ?gas\b|^gas limit too low\b|^insufficient gas for floor data/i,
  /^exceeds (block gas limit|(max )?transaction gas limit)|^transaction gas limit (too high|exceeds|is greater)/i,
  /^transaction (gas price|priority fee) below minimum\b/i,
  /^gas limit (reached|(is )?too high)|^transaction gas limit is \d+ and exceeds block gas limit/i,
  /^oversized data\b|^encoded length limit exceeded|^transaction (size exceeds|too large\b)/i,
  /^(transaction type not supported|unsupported transaction type|invalid transaction type|unknown transaction type)/i,
  /^nonce (is )?too (high|far in future)\b|^nonce has max value/i,
  /^(failed to decode signed transaction|transaction decoding error)/i,
  /^(empty transaction data|transaction data is empty)/i,
  // Nethermind before 2026 uses the names of its results.
  /^(InsufficientFunds|FeeTooLow(ToCompete)?|ReplacementNotAllowed|NonceGap|NonceTooFarInFuture)\b/,
  /^(FailedToResolveSender|SenderIsContract|GasLimitExceeded|MaxTxSizeExceeded|NotSupportedTxType)\b/,
];

/** Result of an offer, from a node's error message; unknown messages are unclear. */
export function standingOf(message: string): OfferState {
  const words = message.replace(PREFIX, '');
  if (TAKEN.test(words)) return 'taken';
  return NEVER.some((pattern) => pattern.test(words)) ? 'never' : 'unclear';
}
