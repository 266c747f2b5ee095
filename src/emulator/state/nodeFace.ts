import { z } from 'zod';
import type { EpochMs } from '../../core/brand.ts';
import { day } from './faultRules.ts';

/** Client software of nodes. */
export const CLIENTS = ['geth', 'reth', 'besu', 'nethermind', 'erigon', 'monad', 'anvil', 'hardhat'] as const;
export type Client = (typeof CLIENTS)[number];

/** Maximum peak of the base fee: beyond it one block would change it by more than an eighth (EIP-1559). */
const PEAK_MAX = 16;

/** Behaviour of the chain's node where nodes of real chains differ. */
export const nodeFace = z.strictObject({
  /** Client whose texts and codes the node uses for refusals. */
  client: z.enum(CLIENTS),
  /** True when a wallet's transaction count at `pending` includes pending ones. */
  countsWaiting: z.boolean(),
  /** True when a pending transaction can be found by its hash. */
  showsWaiting: z.boolean(),
  /** Gas that a receipt shows and the block charges: the gas used, or the transaction's limit. */
  charges: z.enum(['used', 'limit']),
  /** Form of a revert's cause: a text, a custom error of the contract, or nothing. */
  reverts: z.enum(['text', 'custom', 'bare']),
  /** Minimum increase of both fees for a replacement, in percent; 0: any higher price for the next block suffices. */
  replacementPercent: z.int().min(0).max(100),
  /** Milliseconds after which a pending transaction is dropped; null for never. */
  expiryMs: day.nullable(),
  /** Factor by which the base fee rises above and falls below its usual level; 1 for a constant fee. */
  baseFeePeak: z.number().min(1).max(PEAK_MAX),
});
export type NodeFace = Readonly<z.output<typeof nodeFace>>;

/** Behaviour of the node without faults and at present, and the base fee peaks with their start times. */
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
 * The node of Monad, the chain of this venue: it counts and shows only mined transactions, charges the gas limit, and
 * accepts any higher price for a replacement (docs.monad.xyz, "RPC differences" and "Gas"; monad-eth-txpool,
 * tracked/list.rs).
 */
const MONAD: NodeFace = {
  ...GETH,
  client: 'monad',
  countsWaiting: false,
  showsWaiting: false,
  charges: 'limit',
  replacementPercent: 0,
};

/** Default behaviour of a client. */
export const faceOfClient = (client: Client): NodeFace => (client === 'monad' ? MONAD : { ...GETH, client });

/** Behaviour of a state's node; a state older than this setting behaves like go-ethereum. */
export const faceOf = ({ node }: Readonly<{ node?: NodeState }>): NodeFace =>
  node?.face ?? faceOfClient('geth');

/** Error codes of JSON-RPC and of nodes. */
export const RPC_CODES = {
  parse: -32700,
  request: -32600,
  method: -32601,
  params: -32602,
  node: -32000,
  revert: 3,
} as const;

/** A refusal by the node: an error of JSON-RPC. */
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
