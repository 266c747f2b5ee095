/**
 * Standing of signed bytes after they were offered to a node. `taken`: the node has them. `never`: the node keeps nothing
 * of them, and nobody else has them if this was their first offer. `unclear`: nothing is known; they are searched by their
 * hash.
 */
export type OfferState = 'taken' | 'never' | 'unclear';

/** Prefix that Erigon puts before the words of its pool, and anvil before its own. */
const PREFIX = /^(?:[A-Z]+(?:_[A-Z]+)*: |Tx: \[0x[0-9a-f]{64}\] )/;

/**
 * The words of geth, Reth, Besu, Nethermind, Erigon, Monad, anvil and Hardhat, from their beginning: nodes share words, so
 * a class must be true of all that use them. `never` stands only where the source checks before it keeps or passes
 * on anything. Missing on purpose: "nonce too low" (another transaction has been mined with their nonce, or these very
 * bytes), "txpool is full" (Reth adds before it discards), "Transaction pool is not ready" (Monad drops what it may have
 * forwarded), "An existing transaction had higher priority" (Monad says it of the same bytes too, when a gateway has passed
 * them on twice), everything internal or overloaded, and the reverts that Hardhat answers for what it has mined.
 */
const WORDS: readonly (readonly [OfferState, RegExp])[] = [
  [
    'taken',
    /^(already ?known|known transaction|(transaction )?already imported|existing txn with same hash)\b/i,
  ],
  ['never', /^insufficient funds\b/i],
  ['never', /^(upfront cost exceeds account balance|signer had insufficient balance)/i],
  ['never', /^sender doesn't have enough funds to send tx\. the max upfront cost is/i],
  ['never', /^(invalid|wrong) chain ?id\b|^(trying to send an )?incompatible EIP-155 transaction/i],
  [
    'never',
    /^(invalid sender|(invalid( transaction)?|transaction) signature( is invalid)?$|failed to recover sender)/i,
  ],
  ['never', /^sender (is )?not an eoa\b|^sender account not authorized/i],
  ['never', /^((replacement )?transaction )?underpriced\b|^insufficient gas price to replace/i],
  ['never', /^could not replace existing tx\b/i],
  ['never', /^address already reserved\b|^future transaction tries to replace pending/i],
  [
    'never',
    /^(transaction )?fee too low\b|^gas price below (configured minimum gas price|current base fee)/i,
  ],
  [
    'never',
    /^max fee per gas less than block base fee|^max priority fee (per gas (higher|exceeds)|too high)/i,
  ],
  ['never', /^(tx fee \(.*\) exceeds the configured cap|transaction fee cap exceeded)/i],
  ['never', /^intrinsic ?gas\b|^gas limit too low\b|^insufficient gas for floor data/i],
  [
    'never',
    /^exceeds (block gas limit|(max )?transaction gas limit)|^transaction gas limit (too high|exceeds|is greater)/i,
  ],
  ['never', /^transaction (gas price|priority fee) below minimum\b/i],
  ['never', /^gas limit (reached|(is )?too high)|^transaction gas limit is \d+ and exceeds block gas limit/i],
  ['never', /^oversized data\b|^encoded length limit exceeded|^transaction (size exceeds|too large\b)/i],
  [
    'never',
    /^(transaction type not supported|unsupported transaction type|invalid transaction type|unknown transaction type)/i,
  ],
  ['never', /^nonce (is )?too (high|far in future)\b|^nonce has max value/i],
  ['never', /^(failed to decode signed transaction|transaction decoding error)/i],
  ['never', /^(empty transaction data|transaction data is empty)/i],
  // Nethermind before 2026 says the names of its results.
  [
    'never',
    /^(InsufficientFunds|FeeTooLow(ToCompete)?|ReplacementNotAllowed|NonceGap|NonceTooFarInFuture)\b/,
  ],
  [
    'never',
    /^(FailedToResolveSender|SenderIsContract|GasLimitExceeded|MaxTxSizeExceeded|NotSupportedTxType)\b/,
  ],
];

/** Standing of signed bytes after a node's error message; unknown messages are unclear. */
export function standingOf(message: string): OfferState {
  const words = message.replace(PREFIX, '');
  return WORDS.find(([, pattern]) => pattern.test(words))?.[0] ?? 'unclear';
}
