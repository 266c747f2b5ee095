import { toSeconds } from '../core/brand.ts';
import { CHAIN_ID, PRODUCT } from './deployment.ts';
import type { Hex, Mapping } from './state.ts';

/** What the indexer has filled in of a link so far. */
export type Filled = Readonly<{ status: string; orderId: Hex | null; operationId: Hex | null }>;

/** The link from a transaction to its API key. `createTime` in Unix seconds. */
export const linkView = (mapping: Mapping, { status, orderId, operationId }: Filled) => ({
  txHash: mapping.txHash,
  operationType: mapping.type,
  status,
  orderId,
  operationId,
  chainId: CHAIN_ID,
  productType: PRODUCT,
  createTime: toSeconds(mapping.createdAt),
});
