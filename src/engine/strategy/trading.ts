import type { OpenIntents } from '../intents/intents.ts';
import type { SyntheticOrders } from '../synthetic/syntheticOrders.ts';

/** Parts of the kernel through which a strategy trades. */
export type Trading = Readonly<{ intents: OpenIntents; synthetics: SyntheticOrders }>;
