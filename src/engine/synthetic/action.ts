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
  /** `expires`: instant from which on the child is no longer sent, and is cancelled. */
  | { kind: 'create'; leg: Leg; terms: IntentTerms; reason: string; expires?: EpochMs }
  /** Cancels a child; its end is awaited before anything else of it is sent. */
  | { kind: 'cancel'; id: string; why: string }
  | { kind: 'move'; event: SyntheticEvent }
  /** Waits until an instant, or until something of it changes. `alarm`: reason that a person has to know. */
  | { kind: 'wait'; until?: EpochMs | undefined; alarm?: string }
  | { kind: 'end'; how: SyntheticEnd; why: string }
>;

/** Decides the next step of a synthetic order. Pure: it is asked again after each step, until it waits or has ended. */
export type Decide = (state: SyntheticState, at: SyntheticInput) => SyntheticAction;

export const WAIT: SyntheticAction = { kind: 'wait' };

export const waitUntil = (until: EpochMs | null | undefined, alarm?: string): SyntheticAction => ({
  kind: 'wait',
  until: until ?? undefined,
  ...(alarm === undefined ? {} : { alarm }),
});

export const EXPIRED = 'it has expired';

/** Step that begins the end of an order whose time is over; null before that, and for one that is good till cancelled. */
export const expiryStep = (
  { expires }: Pick<SyntheticOrder, 'expires'>,
  now: EpochMs,
): SyntheticAction | null =>
  expires === undefined || now < expires
    ? null
    : { kind: 'move', event: { kind: 'ending', how: 'expired', why: EXPIRED } };

/** The earliest of some instants; undefined for none. */
export function earliest(...instants: readonly (EpochMs | null | undefined)[]): EpochMs | undefined {
  let first: EpochMs | undefined;
  for (const instant of instants)
    if (instant !== null && instant !== undefined && (first === undefined || instant < first))
      first = instant;
  return first;
}
