import { z } from 'zod';
import { faceOfClient, type NodeFace, nodeFace, faceOf } from '../state/nodeFace.ts';
import { faultRule, VENUE_ALONE, type FaultRule } from '../state/faultRules.ts';
import { DAY_MS, type EpochMs } from '../../core/brand.ts';
import { InvalidValueError } from '../../core/errors.ts';
import { setLag } from '../state/venueState.ts';
import type { State } from '../state/state.ts';

/** Behaviour of the chain's node: that of `client`, with the given values overriding its own. */
const givenFace = nodeFace
  .partial()
  .required({ client: true })
  .transform(({ client, ...own }): NodeFace => {
    const given = Object.entries(own).filter(([, value]) => value !== undefined);
    return { ...faceOfClient(client), ...Object.fromEntries(given) };
  });

/** Everything that goes wrong at the venue from now on; omitted parts behave normally. */
export const faultPlan = z.strictObject({
  rules: z.array(faultRule).max(100).default([]),
  /** Delay of the indexer behind the chain in ms. */
  indexerLagMs: z.int().min(0).max(DAY_MS).optional(),
  /**
   * Milliseconds by which the venue's clock is ahead of the chain's: in its `Date` header, in `t` and when it checks
   * timestamps.
   */
  clockOffsetMs: z.int().min(-DAY_MS).max(DAY_MS).optional(),
  /** Requests per minute, with bursts of up to `burst`; with `retryAfter` the refusal states the seconds to wait. */
  rateLimit: z
    .strictObject({
      perMinute: z.number().positive().max(1_000_000),
      burst: z.int().min(1).max(1_000_000).default(1),
      retryAfter: z.boolean().default(true),
    })
    .optional(),
  /** Milliseconds between blocks that take transactions, in whole seconds. */
  blockMs: z.int().min(1000).max(3_600_000).multipleOf(1000).optional(),
  /** Additional milliseconds that transactions wait before a block can take them. */
  mempoolMs: z.int().min(0).max(DAY_MS).optional(),
  /** Behaviour of the chain's node where real nodes differ. */
  node: givenFace.optional(),
});
export type FaultPlan = z.output<typeof faultPlan>;

/** True for an existing endpoint, or method of the node. */
type EndpointCheck = (on: 'venue' | 'node', endpoint: string) => boolean;

/** Activates a plan. @throws {InvalidValueError} naming the rule; nothing has changed then */
export function setPlan(
  state: State,
  { plan, isKnown }: Readonly<{ plan: FaultPlan; isKnown: EndpointCheck }>,
  now: EpochMs,
) {
  for (const [index, rule] of plan.rules.entries()) {
    const problem = problemOf(rule, isKnown);
    if (problem !== null) throw new InvalidValueError(`rules[${index}] (${rule.kind}): ${problem}`);
  }
  state.faults = plan.rules.map((rule) => ({ rule, met: 0, struck: 0 }));
  setLag(state, plan.indexerLagMs ?? state.indexer.usualLagMs, now);
  state.clockOffsetMs = plan.clockOffsetMs ?? 0;
  const { rateLimit } = plan;
  state.rateLimit = rateLimit ? { ...rateLimit, tokens: rateLimit.burst, at: now } : null;
  state.blocks = { everyMs: plan.blockMs ?? 1000, waitMs: plan.mempoolMs ?? 0 };
  setNode(state, plan.node, now);
}

/** Sets the behaviour of the node. A state older than this setting behaves like go-ethereum. */
function setNode(state: State, given: FaultPlan['node'], now: EpochMs): void {
  const { usual, walks } = state.node ?? { usual: faceOfClient('geth'), walks: [] };
  const face = given ?? usual;
  const peak = face.baseFeePeak;
  const isSame = (walks.at(-1)?.peak ?? 1) === peak;
  state.node = { usual, face, walks: isSame ? walks : [...walks, { from: now, peak }] };
}

function problemOf(rule: FaultRule, isKnown: EndpointCheck): string | null {
  const { on = 'venue', endpoint, from, until } = rule;
  if (endpoint !== undefined && !isKnown(on, endpoint))
    return on === 'venue'
      ? `there is no endpoint ${endpoint}: write method and path as the venue lists them, as in "GET /api/v1/orders/{orderId}"`
      : `there is no method ${endpoint}: write one that the node has, as in "eth_getLogs"`;
  if (on === 'node' && VENUE_ALONE.includes(rule.kind)) return 'this is for the venue alone';
  if (on === 'venue' && rule.kind === 'busy-node') return 'this is for the node alone: give "on": "node"';
  if (from !== undefined && until !== undefined && Date.parse(from) >= Date.parse(until))
    return `from ${from} is not before until ${until}`;
  if (isEmptyLie(rule)) return 'it says nothing that is false: give what is to be shown';
  if (rule.kind === 'edit' && rule.remove && rule.value !== undefined)
    return 'a path is set to a value or removed, not both';
  if (rule.kind === 'edit' && !rule.remove && rule.value === undefined) return 'value or remove is missing';
  return null;
}

function isEmptyLie(rule: FaultRule): boolean {
  if (rule.kind === 'false-settlement') return (rule.price ?? rule.pay ?? rule.receive) === undefined;
  if (rule.kind !== 'false-listing') return false;
  const { as, decimals, onChainDecimals, priceFactor } = rule;
  return [as, decimals, onChainDecimals, priceFactor].every((given) => given === undefined);
}

/** The active plan; for each rule also how many requests met its conditions and how many triggered it. */
export const planView = (state: State) => {
  const { faults, indexer, clockOffsetMs, rateLimit, blocks } = state;
  return {
    rules: faults.map(({ rule, met, struck }) => ({ ...rule, met, struck })),
    indexerLagMs: indexer.lagMs,
    clockOffsetMs,
    rateLimit: rateLimit && {
      perMinute: rateLimit.perMinute,
      burst: rateLimit.burst,
      retryAfter: rateLimit.retryAfter,
    },
    blockMs: blocks.everyMs,
    mempoolMs: blocks.waitMs,
    node: faceOf(state),
  };
};
