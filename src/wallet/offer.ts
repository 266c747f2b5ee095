/** What a node's answer to signed bytes says of them. */
export type Standing = 'taken' | 'nonceUsed' | 'never' | 'unclear';

/** Nodes word the same thing differently; what no pattern knows is unclear. */
const WORDS: readonly (readonly [RegExp, Standing])[] = [
  [/already known|known transaction|already imported|already exists/i, 'taken'],
  [/nonce too low|nonce is too low|old nonce/i, 'nonceUsed'],
  [/insufficient funds|insufficient balance/i, 'never'],
  [/invalid chain ?id|wrong chain|invalid sender|invalid signature/i, 'never'],
  [/underpriced|fee too low|less than block base fee|tip above fee cap/i, 'never'],
  [/intrinsic gas too low|exceeds block gas limit|gas limit too high|oversized data/i, 'never'],
  [/nonce too high/i, 'never'],
];

/**
 * What becomes of a transaction that a node has turned away with these words. `never`: it keeps nothing of it, and
 * nobody else has it. `nonceUsed`: another, or this very one, has been mined in its place.
 */
export const standingOf = (message: string): Standing =>
  WORDS.find(([pattern]) => pattern.test(message))?.[1] ?? 'unclear';
