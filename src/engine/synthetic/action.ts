import type { EpochMs } from '../../core/brand.ts';
import type { IntentTerms } from '../../domain/orders/orderIntent.ts';
import type {
  SyntheticEnd,
  SyntheticEvent,
  SyntheticOrder,
  SyntheticState,
} from '../../domain/orders/syntheticOrder.ts';
import type { SyntheticInput } from './syntheticInput.ts';
import type { Leg } from '../../domain/orders/order.ts';

/** Next step of a synthetic order. */
export type SyntheticAction = Readonly<
  /** `expires`: time at which an unsent child is dropped and a resting one is cancelled. */
  | { kind: 'create'; leg: Leg; terms: IntentTerms; reason: string; expires?: EpochMs }
  /** Cancels a child order. Nothing else is sent until that child has ended. */
  | { kind: 'cancel'; id: string; why: string }
  | { kind: 'move'; event: SyntheticEvent }
  /** Waits until a time, or until the order changes. `alarm`: problem that a person must know of. */
  | { kind: 'wait'; until?: EpochMs | undefined; alarm?: string }
  | { kind: 'end'; how: SyntheticEnd; why: string }
>;

/** Decides the next step of a synthetic order. Pure: called again after each step until the order waits or has ended. */
export type Decide = (state: SyntheticState, at: SyntheticInput) => SyntheticAction;

export const WAIT: SyntheticAction = { kind: 'wait' };

export const waitUntil = (until: EpochMs | null | undefined, alarm?: string): SyntheticAction => ({
  kind: 'wait',
  until: until ?? undefined,
  ...(alarm === undefined ? {} : { alarm }),
});

export const EXPIRED = 'it has expired';

/** First step of ending an order that has expired; null before that, and for one that is good till cancelled. */
export const expiryStep = (
  { expires }: Pick<SyntheticOrder, 'expires'>,
  now: EpochMs,
): SyntheticAction | null =>
  expires === undefined || now < expires
    ? null
    : { kind: 'move', event: { kind: 'ending', how: 'expired', why: EXPIRED } };

/** Earliest of the given times; undefined if there are none. */
export function earliest(...instants: readonly (EpochMs | null | undefined)[]): EpochMs | undefined {
  let first: EpochMs | undefined;
  for (const instant of instants)
    if (instant !== null && instant !== undefined && (first === undefined || instant < first))
      first = instant;
  return first;
}
