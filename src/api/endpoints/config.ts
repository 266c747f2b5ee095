import { configData } from '../assumptions/venueRules.ts';
import { defineEndpoint, type ResponseOf } from '../endpoint.ts';

/**
 * Cashier buffers, fee rates and cash tokens of the scoped chain and product.
 *
 * Source: venue specification, "Market data"; the sub-fields are assumed.
 *
 * @example
 * const { exchangeFeeConfig } = await client.config();
 */
export const config = defineEndpoint({
  method: 'GET',
  path: '/api/v1/config',
  access: 'READ_ONLY',
  repeat: 'always',
  lane: 'data',
  response: configData,
});

export type ConfigResponse = ResponseOf<typeof config>;
