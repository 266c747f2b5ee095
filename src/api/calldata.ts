import { z } from 'zod';
import { wire } from './wire.ts';

/**
 * What every `/calldata` endpoint answers: a transaction for the user's wallet to sign and submit. Before
 * signing, hold `toAddress`, `chainId`, `value` and the decoded arguments against what was asked for.
 *
 * Source: venue specification, "Calldata result".
 */
export const calldata = z.object({
  chainId: z.int(),
  productType: z.string().nullish(),
  /** The router. */
  toAddress: wire.address,
  /** Native token, in its smallest unit. So far always `0`. */
  value: wire.decimal,
  /** ABI-encoded, `0x` and whole bytes. */
  callData: wire.bytes,
  /** The router's function: `placeLimitOrder`, `deposit`, ... */
  method: z.string(),
});
export type Calldata = z.output<typeof calldata>;
