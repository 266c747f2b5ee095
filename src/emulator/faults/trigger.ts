import { MINUTE_MS, type EpochMs } from '../../core/brand.ts';
import { chanceOf } from '../../core/seededRandom.ts';
import type { State } from '../state/state.ts';
import {
  type ChainRule,
  type FaultRule,
  type Layer,
  type MessageRule,
  type OrderRule,
  layerOf,
} from '../state/faultRules.ts';
import { gatewayReply } from '../state/messages.ts';
import type { VenueReply } from '../state/constants.ts';

/** Request to match against rules. `what` identifies it without its nonce. */
export type Target = Readonly<{ on: 'venue' | 'node'; endpoint: string; what: string }>;

type RuleOf = { message: MessageRule; chain: ChainRule; order: OrderRule };
type FaultState = Pick<State, 'faults' | 'seed' | 'now'>;

/**
 * The first rule of a layer that a request triggers, or null. Depends only on plan, instant and request (without its
 * nonce), not on the order in which sockets are read, unless a rule counts requests.
 */
export function triggeredRule<L extends Layer>(
  state: FaultState,
  target: Target,
  layer: L,
): RuleOf[L] | null {
  const { faults, seed, now } = state;
  const struck = faults.find((count, index) => {
    const { rule } = count;
    if (layerOf(rule) !== layer || !meets(rule, target, now)) return false;
    count.met++;
    if (count.met <= (rule.after ?? 0) || count.struck >= (rule.times ?? Infinity)) return false;
    return (
      rule.probability === 1 || chanceOf(`${seed} fault ${index} ${now} ${target.what}`) < rule.probability
    );
  });
  if (!struck) return null;
  struck.struck++;
  return struck.rule as RuleOf[L];
}

const meets = ({ on = 'venue', endpoint, from, until }: FaultRule, target: Target, now: EpochMs): boolean =>
  on === target.on &&
  (endpoint === undefined || endpoint === target.endpoint) &&
  (from === undefined || now >= Date.parse(from)) &&
  (until === undefined || now < Date.parse(until));

/** True when a rule of the plan applies to the node. */
export const isNodeAtRisk = ({ faults }: Pick<State, 'faults'>): boolean =>
  faults.some(({ rule }) => rule.on === 'node');

/** Takes a token from the bucket. If it is empty, the request is refused before the venue receives it. */
export function limited({ rateLimit }: State, now: EpochMs): VenueReply | null {
  if (!rateLimit) return null;
  const { perMinute, burst } = rateLimit;
  rateLimit.tokens = Math.min(burst, rateLimit.tokens + ((now - rateLimit.at) * perMinute) / MINUTE_MS);
  rateLimit.at = now;
  if (rateLimit.tokens >= 1) {
    rateLimit.tokens--;
    return null;
  }
  const seconds = Math.ceil(((1 - rateLimit.tokens) * MINUTE_MS) / perMinute / 1000);
  return gatewayReply(429, rateLimit.retryAfter ? { 'retry-after': String(seconds) } : {});
}
