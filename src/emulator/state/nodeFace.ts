import type { EpochMs } from '../../core/brand.ts';

/** Programs that nodes run. */
export const CLIENTS = ['geth', 'reth', 'besu', 'nethermind', 'erigon', 'monad', 'anvil', 'hardhat'] as const;
export type Client = (typeof CLIENTS)[number];

/** The behaviour of the chain's node where nodes of real chains differ. */
export type NodeFace = Readonly<{
  /** Whose words and codes the node refuses in. */
  client: Client;
  /** True when the count of a wallet's transactions at `pending` includes those that wait. */
  countsWaiting: boolean;
  /** True when a transaction that waits is found by its hash. */
  showsWaiting: boolean;
  /** Gas that a receipt shows and the block charges for: the gas used, or the transaction's limit. */
  charges: 'used' | 'limit';
  /** Form of a revert's cause: a text, an error of the contract's own, or nothing. */
  reverts: 'text' | 'custom' | 'bare';
  /** Least rise of both fees of a replacement, in percent; 0: any higher price for the next block suffices. */
  replacementPercent: number;
  /** Milliseconds after which a transaction that waits is forgotten; null for never. */
  expiryMs: number | null;
  /** The base fee walks between its usual height divided and multiplied by this; with 1 it stands still. */
  baseFeePeak: number;
}>;

/** The node of a state: how it behaves without a fault and at present, and from when on the base fee has walked how high. */
export type NodeState = Readonly<{
  usual: NodeFace;
  face: NodeFace;
  walks: readonly Readonly<{ from: EpochMs; peak: number }>[];
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

/** Behaviour of the node of a state; a state from before nodes had faces keeps that of go-ethereum. */
export const faceOf = ({ node }: Readonly<{ node?: NodeState }>): NodeFace =>
  node?.face ?? faceOfClient('geth');

/** Codes of JSON-RPC, and of nodes. */
export const RPC_CODES = {
  parse: -32700,
  request: -32600,
  method: -32601,
  params: -32602,
  node: -32000,
  revert: 3,
} as const;

/** The node says no: an error of JSON-RPC. */
export class NodeRefusal extends Error {
  readonly code: number;
  /** Null for none. */
  readonly data: unknown;

  constructor(message: string, code: number = RPC_CODES.node, data: unknown = null) {
    super(message);
    this.name = 'NodeRefusal';
    this.code = code;
    this.data = data;
  }
}
