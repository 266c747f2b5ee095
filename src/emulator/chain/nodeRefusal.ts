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
