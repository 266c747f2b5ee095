import { z } from 'zod';
import { common, day } from './common.ts';

/** A false statement ends so many ms after the send that it is about; without it, never. */
const forMs = day.optional();
const wad = z.string().regex(/^\d{1,60}(\.\d{1,18})?$/, 'must be a decimal number such as 12.5');

/** False statements of the venue about an order; money and stock move as they would. */
export const orderLies = [
  /** The order is shown as ended without a fill, from `afterMs` after its send on. */
  z.strictObject({
    kind: z.literal('false-end'),
    word: z.enum(['Failed', 'Rejected', 'Canceled']),
    afterMs: z.int().min(0).max(86_400_000).default(0),
    ...{ forMs, ...common },
  }),
  /** Its settlement is shown with other figures: those that are given. */
  z.strictObject({
    kind: z.literal('false-settlement'),
    ...{ price: wad.optional(), pay: wad.optional(), receive: wad.optional(), ...common },
  }),
] as const;

/** False statements of the node about a transaction that was mined and succeeded. */
export const chainLies = [
  /**
   * `reverted`: its receipt has status 0x0 and no logs, in a block that is `depth` blocks older than its own. `missing`: it has no
   * receipt, and the node does not know it.
   */
  z.strictObject({
    kind: z.literal('false-receipt'),
    how: z.enum(['reverted', 'missing']),
    depth: z.int().min(0).max(100_000).default(0),
    ...{ forMs, ...common },
  }),
] as const;

const decimals = z.int().min(0).max(36);

/** Answers that say what is not so. */
export const messageLies = [
  /** The venue does what was asked, and answers that it refused it. */
  z.strictObject({
    kind: z.literal('false-refusal'),
    text: z.string().min(1).max(1_000).default('deadline has expired'),
    code: z.int().default(10_002),
    ...common,
  }),
  /** A stock is listed with the contract of `as`, or with other decimals. */
  z.strictObject({
    kind: z.literal('false-listing'),
    symbol: z.string().min(1).max(20),
    as: z.string().min(1).max(20).optional(),
    ...{ decimals: decimals.optional(), onChainDecimals: decimals.optional(), ...common },
  }),
  /** At a path of the answer stands an array in an array, and so on, `depth` of them. */
  z.strictObject({
    kind: z.literal('nested'),
    ...{ path: z.string().min(1), depth: z.int().min(1).max(8_000_000), ...common },
  }),
] as const;

export type OrderLie = z.output<(typeof orderLies)[number]>;
export type ChainLie = z.output<(typeof chainLies)[number]>;
