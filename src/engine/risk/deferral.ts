import type { EpochMs } from '../../core/brand.ts';
import type { Order } from '../../domain/orders/order.ts';
import type { OrderIntent } from '../../domain/orders/orderIntent.ts';
import { describeIntent } from '../../domain/describe.ts';
import type { EngineContext } from '../state/engineContext.ts';
import { sessionMeant } from '../state/market.ts';

/** A decision that has waited for longer was made for another market. */
export const DECISION_AGE_MAX_MS = 120_000;

/** What keeps everything back passes by itself: a decision may wait for it so long. */
const HELD_MAX_MS = 600_000;

/** Good till cancelled: it is meant for any market. */
export const isStanding = ({ want }: OrderIntent): boolean =>
  want.kind === 'limit' && want.goodTill === 'cancelled';

const isOld = (since: EpochMs, now: EpochMs): boolean => now - since > DECISION_AGE_MAX_MS;

/** Intents that the runner's own trouble keeps back, and not their timing. */
export class Deferral {
  readonly #context: EngineContext;
  readonly #told = new Set<string>();

  constructor(context: EngineContext) {
    this.#context = context;
  }

  /** Behind an order of the same symbol and side. Gives why the intent is given up, or null: it waits, and that is told once. */
  behind(intent: OrderIntent, { id, state, claim }: Order): string | null {
    const lacks = claim ? 'the account has not confirmed its end' : 'it has no answer';
    if (!isStanding(intent) && isOld(intent.notBefore, this.#context.now))
      return `order ${id} on the same side comes first: ${lacks} yet`;
    if ((state.kind !== 'unknown' && !claim) || this.#told.has(intent.id)) return null;
    this.#told.add(intent.id);
    const text = `${describeIntent(intent)}: waits for order ${id} on the same side: ${lacks} yet`;
    this.#context.notify('decision', text, intent.owner);
    return null;
  }

  /** By a hold. Gives why the intent is given up, or null: it waits. */
  held(intent: OrderIntent, why: string): string | null {
    const age = this.#context.now - intent.notBefore;
    if (isStanding(intent) || age <= HELD_MAX_MS) return null;
    return `it has been kept back for ${Math.floor(age / 60_000)} minutes: ${why}`;
  }

  /**
   * Reason why a start gives up what an earlier run has not sent: it was meant for at once, or for a session that has closed
   * since. Null for what waits on: an order that is good till cancelled, or one that waits for sells.
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
