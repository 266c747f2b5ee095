import type { EpochMs } from '../../core/brand.ts';
import type { Order } from '../../domain/orders/order.ts';
import type { OrderIntent } from '../../domain/orders/orderIntent.ts';
import { describeIntent } from '../../domain/describe.ts';
import type { EngineContext } from '../state/engineContext.ts';
import { sessionMeant } from '../state/market.ts';

/** Longest wait of a decision in ms: after it, the market is another. */
export const DECISION_AGE_MAX_MS = 120_000;

/** Longest wait in ms for the end of a hold on everything, which ends by itself. */
const HELD_MAX_MS = 600_000;

/** True for a good-till-cancelled intent: it is meant for any market. */
export const isStanding = ({ want }: OrderIntent): boolean =>
  want.kind === 'limit' && want.goodTill === 'cancelled';

const isOld = (since: EpochMs, now: EpochMs): boolean => now - since > DECISION_AGE_MAX_MS;

/** Deferral of intents: they wait because of a hold or another order, and not because of their timing. */
export class Deferral {
  readonly #context: EngineContext;
  readonly #reported = new Set<string>();

  constructor(context: EngineContext) {
    this.#context = context;
  }

  /** Defers an intent behind an order of its symbol and side. Reason to drop it, or null: it waits, which is reported once. */
  behind(intent: OrderIntent, { id, state, claim }: Order): string | null {
    const lacks = claim ? 'the account has not confirmed its end' : 'it has no answer';
    if (!isStanding(intent) && isOld(intent.notBefore, this.#context.now))
      return `order ${id} on the same side comes first: ${lacks} yet`;
    if ((state.kind !== 'unknown' && !claim) || this.#reported.has(intent.id)) return null;
    this.#reported.add(intent.id);
    const text = `${describeIntent(intent)}: waits for order ${id} on the same side: ${lacks} yet`;
    this.#context.notify('decision', text, intent.owner);
    return null;
  }

  /** Defers an intent because of a hold. Reason to drop it, or null: it waits. */
  held(intent: OrderIntent, why: string): string | null {
    const age = this.#context.now - intent.notBefore;
    if (isStanding(intent) || age <= HELD_MAX_MS) return null;
    return `it has been kept back for ${Math.floor(age / 60_000)} minutes: ${why}`;
  }

  /**
   * Reason why a start drops an intent that an earlier run has not sent: it was for immediate sending, or for a session that has
   * closed since. Null for one that goes on waiting: good till cancelled, or until its sells have brought money.
   */
  leftOver(intent: OrderIntent): string | null {
    const { at, notBefore, after } = intent;
    if (isStanding(intent) || after.length > 0) return null;
    if (notBefore <= at && isOld(at, this.#context.now))
      return 'it was decided before the runner was restarted';
    const { date, close } = sessionMeant(this.#context, intent);
    return this.#context.now >= close
      ? `the session of ${date} that it was for has closed without a run`
      : null;
  }
}
