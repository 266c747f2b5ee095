import { z } from 'zod';
import { chanceOf } from '../core/random.ts';
import type { VenueRequest } from './auth.ts';
import { gatewayReply, unauthorized, type VenueReply } from './reply.ts';
import type { State } from './state.ts';

const common = {
  /** Method and path as the venue lists them, `POST /api/v1/orders/send`; every endpoint when absent. */
  endpoint: z.string().optional(),
  /** Of each request that meets the rule. */
  probability: z.number().min(0).max(1).default(1),
  /** After so many requests the rule has done its work. */
  times: z.int().min(1).optional(),
};
/** Whether the venue takes the request before the answer is spoiled. */
const processed = z.boolean().default(true);

export const faultRule = z.discriminatedUnion('kind', [
  /** The connection breaks before the venue has the request. */
  z.strictObject({ kind: z.literal('lost-request'), ...common }),
  /** The connection breaks after the venue has done what was asked. */
  z.strictObject({ kind: z.literal('lost-response'), ...common }),
  /** The answer comes so many ms later. */
  z.strictObject({ kind: z.literal('delay'), ms: z.int().min(1).max(86_400_000), ...common }),
  /** A gateway's answer instead of the venue's. */
  z.strictObject({ kind: z.literal('status'), status: z.int().min(400).max(599), processed, ...common }),
  /** HTTP 200 with a web page. */
  z.strictObject({ kind: z.literal('html'), processed, ...common }),
  /** Only the first bytes of the answer's body. */
  z.strictObject({ kind: z.literal('truncate'), bytes: z.int().min(0), ...common }),
  z.strictObject({ kind: z.literal('429'), retryAfter: z.string().optional(), ...common }),
  z.strictObject({ kind: z.literal('unauthorized'), ...common }),
  /** A send succeeds, and its answer does not tell the transaction. */
  z.strictObject({ kind: z.literal('no-hash'), ...common }),
  /** The transaction of a send leaves the mempool again: no block ever has it. */
  z.strictObject({ kind: z.literal('unmined'), ...common }),
  /** The transaction of a send waits so many ms longer for its block, and with it those that its wallet sends after it. */
  z.strictObject({ kind: z.literal('mined-late'), ms: z.int().min(1).max(86_400_000), ...common }),
]);
export type FaultRule = z.output<typeof faultRule>;

export const faultPlan = z.strictObject({
  rules: z.array(faultRule).max(100).default([]),
  /** How far the indexer is behind the chain from now on; as usual when absent. */
  indexerLagMs: z.int().min(0).max(86_400_000).optional(),
});
export type FaultPlan = z.output<typeof faultPlan>;

/**
 * The first rule that strikes this request, if one does. Depends on plan, instant and request (but for its nonce) alone:
 * the order in which sockets are read changes nothing.
 */
export function strike(
  { faults, seed, now }: Pick<State, 'faults' | 'seed' | 'now'>,
  endpoint: string,
  { method, uri, body }: VenueRequest,
): FaultRule | null {
  const struck = faults.find(
    ({ rule, left }, index) =>
      left > 0 &&
      (rule.endpoint === undefined || rule.endpoint === endpoint) &&
      chanceOf(`${seed} fault ${index} ${now} ${method} ${uri} ${body}`) < rule.probability,
  );
  if (!struck) return null;
  struck.left--;
  return struck.rule;
}

/** The answer to a request that never came to the venue's own code. Null when it does come there. */
export function answerInstead(rule: FaultRule, now: State['now']): VenueReply | null {
  if (rule.kind === 'unauthorized') return unauthorized(now);
  if (rule.kind === '429')
    return gatewayReply(429, rule.retryAfter === undefined ? {} : { 'retry-after': rule.retryAfter });
  if ((rule.kind === 'status' || rule.kind === 'html') && !rule.processed)
    return spoil(rule, gatewayReply(200));
  return null;
}

/** What becomes of the venue's answer on its way. */
export function spoil(rule: FaultRule, reply: VenueReply): VenueReply {
  switch (rule.kind) {
    case 'status':
      return gatewayReply(rule.status);
    case 'html':
      return gatewayReply(200);
    case 'truncate':
      return { ...reply, body: reply.body.slice(0, rule.bytes) };
    case 'no-hash':
      return { ...reply, body: reply.body.replace(/"txHash":"0x[0-9a-f]+"/, '"txHash":null') };
    default:
      return reply;
  }
}
