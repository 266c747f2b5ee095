import { formatDecimal } from '../../src/core/amount.ts';
import type { EpochMs } from '../../src/core/brand.ts';
import type { JournalEntry, JournalEvent } from '../../src/domain/journalEvent.ts';
import type { Ticker } from '../../src/domain/instrument.ts';
import type { OrderId, Leg } from '../../src/domain/orders/order.ts';
import {
  isTakeProfit,
  type SyntheticEvent,
  type SyntheticOrder,
} from '../../src/domain/orders/syntheticOrder.ts';
import type { Order } from '../../src/emulator/state/state.ts';
import type { HeldCounter } from './heldCounters.ts';

type Of<K extends JournalEvent['kind']> = Extract<JournalEvent, { kind: K }>;

/** An order of a leg, as journal and venue tell of it. `truth`: the venue's order, once it was accepted. */
type LegOrder = {
  id: OrderId;
  leg: Leg;
  sentAt: EpochMs | null;
  cancelled: boolean;
  isAbsent: boolean;
  truth: Order | null;
};

/** An order that the runner holds, according to the journal. */
export type Held = {
  readonly order: SyntheticOrder;
  stop: bigint | null;
  triggeredAt: EpochMs | null;
  /** True for one that was cancelled or has expired, and waits for the ends of its legs: it owes no sale any more. */
  isEnding: boolean;
  hasEnded: boolean;
  /** True for an exit that has something to sell: of a bracket, once its entry has filled. */
  isArmed: boolean;
  readonly orders: LegOrder[];
};

export type HeldOrdersParts = Readonly<{
  accuse: (detail: string) => void;
  sometimes: Record<HeldCounter, number>;
  /** True for a stock about which venue or harness make statements or moves that no sum of orders explains. */
  isUnsure: (symbol: Ticker) => boolean;
}>;

const ARMED: ReadonlySet<SyntheticOrder['terms']['kind']> = new Set(['stop', 'trail', 'oco'] as const);
const SELLS: ReadonlySet<Leg> = new Set<Leg>(['exit', 'take profit', 'second take profit']);

/** True for the two take-profits of a bracket, which may be open at the same time. */
const arePair = (leg: Leg, other: Leg): boolean => leg !== other && leg !== 'exit' && other !== 'exit';

/** Reads the journal with a memory of its own, and holds the orders that the venue takes against what the runner holds. */
export class HeldOrders {
  readonly all = new Map<string, Held>();
  readonly #parts: HeldOrdersParts;
  readonly #legs = new Map<string, Readonly<{ held: Held; leg: Leg }>>();
  readonly #ofOrder = new Map<OrderId, Readonly<{ held: Held; own: LegOrder }>>();

  constructor(parts: HeldOrdersParts) {
    this.#parts = parts;
  }

  get live(): readonly Held[] {
    return [...this.all.values()].filter(({ hasEnded }) => !hasEnded);
  }

  read({ at, fact }: JournalEntry): void {
    switch (fact.kind) {
      case 'syntheticPlaced':
        return this.#placed(fact.order);
      case 'syntheticMoved':
        return this.#moved(this.all.get(fact.id), fact.event, at);
      case 'syntheticEnded':
        return this.#ended(fact);
      case 'intentCreated':
        return this.#child(fact.intent);
      case 'planned':
        return this.#planned(fact.order);
      case 'order':
        return this.#order(fact, at);
      case 'split':
        if (this.live.some(({ order }) => order.symbol === fact.action.symbol)) this.#met('splitWhileArmed');
        for (const { order, stop = null } of fact.synthetics ?? []) {
          const held = this.all.get(order.id);
          if (held) held.stop = stop;
        }
        return;
      default:
        return;
    }
  }

  /** Handles the death of a process. */
  died(): void {
    for (const held of this.live) {
      const isCancelling = held.orders.some(({ cancelled, truth }) => cancelled && truth?.closing === null);
      if (held.triggeredAt === null) this.#met('killedWhileArmed');
      else this.#met('killedWhileTriggered');
      if (held.triggeredAt !== null && isCancelling) this.#met('killedWhileCancellingLeg');
    }
  }

  /** Handles an order accepted by the venue: it never makes an exit, or a working order, larger than it is. */
  accepted(id: OrderId, truth: Order): void {
    const { held, own } = this.#ofOrder.get(id) ?? {};
    if (!held || !own) return;
    own.truth = truth;
    if (this.#parts.isUnsure(truth.symbol)) return;
    if (SELLS.has(own.leg)) this.#exitAccepted(held, own);
    if (own.leg === 'slice') this.#sliceAccepted(held, own);
  }

  #exitAccepted(held: Held, own: LegOrder): void {
    const beside = held.orders.find(
      (each) => each !== own && SELLS.has(each.leg) && !arePair(each.leg, own.leg) && isOpen(each),
    );
    if (beside) this.#parts.accuse(`${own.id} sells for ${held.order.id} while ${beside.id} of it is open`);
    const [sold, most] = [moving(held, SELLS), protectedBy(held)];
    if (most !== null && sold > most)
      this.#parts.accuse(
        `${held.order.id} sells ${formatDecimal(sold)} and protects ${formatDecimal(most)}: ${own.id}`,
      );
  }

  #sliceAccepted(held: Held, own: LegOrder): void {
    const { terms } = held.order;
    if (terms.kind !== 'work') return;
    const beside = held.orders.find((each) => each !== own && isOpen(each));
    if (beside) this.#parts.accuse(`${own.id} of ${held.order.id} leaves while ${beside.id} of it is open`);
    if (!('quantity' in terms.total)) return;
    const sent = moving(held, new Set<Leg>(['slice']));
    if (sent > terms.total.quantity)
      this.#parts.accuse(`${held.order.id} works ${formatDecimal(sent)}, more than was asked: ${own.id}`);
  }

  #met(counter: HeldCounter): void {
    this.#parts.sometimes[counter]++;
  }

  #placed(order: SyntheticOrder): void {
    if (this.all.has(order.id)) this.#parts.accuse(`${order.id} is placed a second time`);
    const stop = 'stop' in order.terms ? order.terms.stop : null;
    this.all.set(order.id, {
      order,
      stop,
      triggeredAt: null,
      isEnding: false,
      hasEnded: false,
      isArmed: ARMED.has(order.terms.kind),
      orders: [],
    });
    if (order.terms.kind !== 'work') this.#met('armed');
  }

  #moved(held: Held | undefined, event: SyntheticEvent, at: EpochMs): void {
    if (!held || held.hasEnded) return this.#parts.accuse('a step of an order that is not held');
    if (event.kind === 'triggered') {
      if (held.triggeredAt !== null) this.#parts.accuse(`${held.order.id} is triggered a second time`);
      held.triggeredAt = at;
      this.#met(event.cause === 'stop' ? 'triggeredByStop' : 'triggeredByTime');
    }
    if (event.kind === 'ending') {
      held.isEnding = true;
      this.#met(event.how === 'expired' ? 'heldExpired' : 'heldCancelled');
    }
    if (event.kind === 'adjusted') held.stop = event.stop;
    if (event.kind === 'adjusted') this.#met('exitAdjusted');
    if (event.kind === 'entered') this.#met('enteredByStop');
    if (event.kind !== 'levels') return;
    const { stop } = event;
    held.isArmed = true;
    if (held.stop !== null && stop !== null && isTrailing(held) && stop < held.stop)
      this.#parts.accuse(`the trailing stop of ${held.order.id} falls to ${formatDecimal(stop)}`);
    if (held.stop !== null && stop !== null && stop > held.stop) this.#met('trailingRaised');
    held.stop = stop;
  }

  #ended({ id, how, why }: Of<'syntheticEnded'>): void {
    const held = this.all.get(id);
    if (!held || held.hasEnded) return this.#parts.accuse(`${id} ends, and is not held`);
    held.hasEnded = true;
    if (held.order.terms.kind === 'work' && (how === 'expired' || why.includes('missing')))
      this.#met('workEndedShort');
  }

  #child({ id, parent, terms }: Of<'intentCreated'>['intent']): void {
    const held = parent && this.all.get(parent.id);
    if (!held) return;
    if (held.hasEnded) this.#parts.accuse(`${parent.id} has ended, and creates ${id}`);
    this.#legs.set(id, { held, leg: parent.leg });
    const { entry } = 'entry' in held.order.terms ? held.order.terms : {};
    const isLess = entry && 'quantity' in entry && 'quantity' in terms && terms.quantity !== 'all';
    if (isLess && SELLS.has(parent.leg) && terms.quantity < entry.quantity)
      this.#met('partialEntryProtected');
  }

  #planned({ id, intentId }: Of<'planned'>['order']): void {
    const { held, leg } = this.#legs.get(intentId) ?? {};
    if (!held || !leg) return;
    const own: LegOrder = { id, leg, sentAt: null, cancelled: false, isAbsent: false, truth: null };
    held.orders.push(own);
    this.#ofOrder.set(id, { held, own });
  }

  #order({ id, event }: Of<'order'>, at: EpochMs): void {
    const { held, own } = this.#ofOrder.get(id) ?? {};
    if (!held || !own) return;
    const { leg } = own;
    if (event.kind === 'sent') own.sentAt = at;
    if (event.kind === 'absent') own.isAbsent = true;
    if (event.kind === 'sent' && leg === 'slice') this.#met('sliceSent');
    if (event.kind === 'lost' && leg === 'slice') this.#met('sliceLost');
    if (event.kind === 'cancelSent') {
      own.cancelled = true;
      if (held.triggeredAt !== null && isTakeProfit(leg)) this.#met('takeProfitCancelledForStop');
      if (held.triggeredAt !== null && leg === 'entry') this.#met('entryCancelledForStop');
    }
    if (event.kind === 'reported' && event.report.status === 'filled' && isTakeProfit(leg)) {
      this.#met(own.cancelled ? 'bothRaced' : 'takeProfitFilled');
      if (leg === 'second take profit') this.#met('secondTakeProfitFilled');
    }
  }
}

const isTrailing = ({ order: { terms } }: Held): boolean => terms.kind === 'trail';

/** True while the venue may still execute an order. */
const isOpen = ({ truth, isAbsent }: LegOrder): boolean =>
  truth !== null &&
  truth.word !== 'Failed' &&
  truth.closing === null &&
  (truth.minedAt !== null || !isAbsent);

/** Shares that the orders of some legs have moved at the venue, or still may. */
function moving({ orders }: Held, legs: ReadonlySet<Leg>): bigint {
  let sum = 0n;
  for (const each of orders)
    if (each.truth && legs.has(each.leg) && each.truth.word !== 'Failed')
      sum += isOpen(each) ? (each.truth.quantity ?? 0n) : each.truth.filled;
  return sum;
}

/** Shares that an exit protects, by what the venue has executed; null where its size is what is held. */
function protectedBy(held: Held): bigint | null {
  const { terms } = held.order;
  if (terms.kind === 'bracket') return entered(held);
  return 'quantity' in terms && terms.quantity !== 'all' ? terms.quantity : null;
}

function entered({ orders }: Held): bigint {
  let sum = 0n;
  for (const { leg, truth } of orders) if (leg === 'entry' && truth) sum += truth.filled;
  return sum;
}
