import type { OpenIntents } from '../intents/intents.ts';
import type { SyntheticOrders } from '../synthetic/syntheticOrders.ts';

/** Orders that a strategy may place only if its config allows them. */
export const ALLOWED_ORDERS = ['depositsBeforeSells', 'deferredSells'] as const;
export type AllowedOrder = (typeof ALLOWED_ORDERS)[number];
/** Orders that a strategy may place on a simulated account, where nothing leaves a wallet. */
export const EVERY_ORDER: ReadonlySet<AllowedOrder> = new Set(ALLOWED_ORDERS);

/** Parts of the kernel through which a strategy trades. */
export type Trading = Readonly<{ intents: OpenIntents; synthetics: SyntheticOrders }>;
