import { z } from 'zod';

/** Milliseconds, up to a day. */
export const day = z.int().min(1).max(86_400_000);

/** When and where a rule holds. */
export const common = {
  /** What listens: the venue, or the node of the chain. */
  on: z.enum(['venue', 'node']).optional(),
  /**
   * Method and path as the venue lists them, `POST /api/v1/orders/send`, or a method of the node, `eth_getLogs`; every
   * one when absent.
   */
  endpoint: z.string().optional(),
  /** Of each request that meets the rule. */
  probability: z.number().min(0).max(1).default(1),
  /** So many requests that meet the rule pass first. */
  after: z.int().min(1).optional(),
  /** After so many strikes the rule has done its work. */
  times: z.int().min(1).optional(),
  /** From this instant on, and before that one. */
  from: z.iso.datetime().optional(),
  until: z.iso.datetime().optional(),
};
