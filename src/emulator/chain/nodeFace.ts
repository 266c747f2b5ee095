import type { State } from '../state.ts';
import type { Client } from './clientWords.ts';

/** The behaviour of the chain's node where nodes of real chains differ. */
export type NodeFace = Readonly<{
  /** Whose words and codes the node refuses in. */
  client: Client;
  /** Whether the count of a wallet's transactions at `pending` includes those that wait. */
  countsWaiting: boolean;
  /** Whether a transaction that waits is found by its hash. */
  showsWaiting: boolean;
  /** What a receipt names as used and the block charges for: the gas that was used, or all that was allowed. */
  charges: 'used' | 'limit';
  /** What a revert carries: its cause as text, as an error of the contract's own, or nothing. */
  reverts: 'text' | 'custom' | 'bare';
  /** Percent by which both fees of a replacement are higher at least; with 0 any higher price for the next block does. */
  replacementPercent: number;
  /** Milliseconds after which a transaction that waits is forgotten; null for never. */
  expiryMs: number | null;
  /** The base fee walks between its usual height divided and multiplied by this; with 1 it stands still. */
  baseFeePeak: number;
}>;

const GETH: NodeFace = {
  client: 'geth',
  countsWaiting: true,
  showsWaiting: true,
  charges: 'used',
  reverts: 'text',
  replacementPercent: 10,
  expiryMs: null,
  baseFeePeak: 1,
};

/**
 * The node of Monad, the chain of this venue: it counts and shows only what is in blocks, charges all that was allowed, and
 * lets any higher price replace a transaction (docs.monad.xyz, "RPC differences" and "Gas"; monad-eth-txpool, tracked/list.rs).
 */
const MONAD: NodeFace = {
  ...GETH,
  client: 'monad',
  countsWaiting: false,
  showsWaiting: false,
  charges: 'limit',
  replacementPercent: 0,
};

/** The face of a client as it comes. */
export const faceOfClient = (client: Client): NodeFace => (client === 'monad' ? MONAD : { ...GETH, client });

/** How the node of a state behaves; one that was begun before nodes had faces goes on with that of go-ethereum. */
export const faceOf = ({ node }: Pick<State, 'node'>): NodeFace => node?.face ?? faceOfClient('geth');
