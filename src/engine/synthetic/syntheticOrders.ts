import { formatDecimal, type Price } from '../../core/amount.ts';
import { epochMs, type EpochMs } from '../../core/brand.ts';
import { InvariantError } from '../../core/errors.ts';
import type { Bar } from '../../domain/bar.ts';
import { describeSynthetic } from '../../domain/describe.ts';
import type { Ticker } from '../../domain/instrument.ts';
import type { Order } from '../../domain/orders/order.ts';
import type { OrderIntent } from '../../domain/orders/orderIntent.ts';
import {
  buyStopOf,
  filledBy,
  openChild,
  type SyntheticEvent,
  type SyntheticOrder,
  type SyntheticState,
  type Trigger,
} from '../../domain/orders/syntheticOrder.ts';
import { followsPrice } from '../../domain/orders/triggers.ts';
import type { OpenIntents } from '../intents/intents.ts';
import type { EngineContext } from '../state/engineContext.ts';
import type { Decide, SyntheticAction } from './action.ts';
import { bracketNext } from './bracket.ts';
import { exitNext } from './exit.ts';
import { stopBuyNext } from './stopBuy.ts';
import { SyntheticInput } from './syntheticInput.ts';
import { workNext } from './work.ts';

/** Maximum number of steps of one synthetic order at one time: more means that two of its rules contradict each other. */
const STEPS_MAX = 100;

const DECIDE: Readonly<Record<SyntheticOrder['terms']['kind'], Decide>> = {
  stop: exitNext,
  trail: exitNext,
  oco: exitNext,
  bracket: bracketNext,
  stopBuy: stopBuyNext,
  work: workNext,
};

/** Pause in ms before a failed cancel request is repeated. */
const CANCEL_AGAIN_MS = 1_000;

/** True when a price triggers an order, raises its stop, or may let its next slice trade. */
function concerns(state: SyntheticState, price: Price): boolean {
  const { order, stop, mark, trigger, children } = state;
  if (trigger) return false;
  if (order.terms.kind === 'work')
    return order.terms.style.kind === 'chase' || children.at(-1)?.ended !== null;
  const buyStop = buyStopOf(state);
  if (buyStop !== null) return price >= buyStop;
  return (stop !== null && price <= stop) || (followsPrice(state) && (mark === null || price > mark));
}

const buys = ({ terms }: SyntheticOrder): boolean => terms.kind === 'bracket' || terms.kind === 'stopBuy';

/** Next step of a synthetic order; none while an ended child order is open again because the chain undid its end. */
export function nextOf(context: EngineContext, state: SyntheticState): SyntheticAction {
  const { open } = context.accountState;
  const again = state.children.find(({ id, ended }) => ended !== null && open.has(id));
  if (again) return { kind: 'wait', alarm: `${again.leg} ${again.id} is open again: it waits for its end` };
  return DECIDE[state.order.terms.kind](state, new SyntheticInput(context, state));
}

/** Runs the synthetic orders: watches their prices and times, and creates and cancels their child orders. */
export class SyntheticOrders {
  readonly #context: EngineContext;
  readonly #intents: OpenIntents;
  /** Times at which waiting orders are checked again, by id. */
  readonly #wake = new Map<string, EpochMs>();
  #nextDue = Infinity;
  /** Alarm texts raised since the last all-clear, by id, without their numbers: an age in one would make every text new. */
  readonly #alarms = new Map<string, Set<string>>();
  #isStopping = false;

  constructor(context: EngineContext, intents: OpenIntents) {
    this.#context = context;
    this.#intents = intents;
  }

  /**
   * Next time at which an order must be checked even if nothing changes; Infinity if none. May be too early, since the
   * order it was for may have ended.
   */
  get nextDue(): number {
    return this.#nextDue <= this.#context.now ? Infinity : this.#nextDue;
  }

  /** True while nothing has changed and no wait is over: a check would do nothing. */
  get isAtRest(): boolean {
    return this.#context.accountState.synthetics.changed.size === 0 && this.#context.now < this.#nextDue;
  }

  /** Marks every order for a check, as after a start and at an open. */
  lookAtAll(): void {
    const { live, changed } = this.#context.accountState.synthetics;
    for (const id of live.keys()) changed.add(id);
  }

  place(order: SyntheticOrder): void {
    this.#context.record({ kind: 'syntheticPlaced', order });
    this.#context.notify(
      'decision',
      () => `${describeSynthetic(order)}: held by this bot, not by the venue`,
      order.strategyId,
    );
  }

  /** Moves the exits of an order at the strategy's request. */
  adjust({ order }: SyntheticState, event: Extract<SyntheticEvent, { kind: 'adjusted' }>, why: string): void {
    this.#context.record({ kind: 'syntheticMoved', id: order.id, event });
    const text = () =>
      `${describeSynthetic({ ...order, terms: event.terms })}: moved by its strategy${why && `: ${why}`}`;
    this.#context.notify('decision', text, order.strategyId);
  }

  /** Ends an order early; its children are cancelled first. False for an unknown id. */
  cancel(id: string, why: string): boolean {
    const state = this.#context.accountState.synthetics.live.get(id);
    if (!state) return false;
    if (state.ending) return true;
    this.#context.record({ kind: 'syntheticMoved', id, event: { kind: 'ending', how: 'cancelled', why } });
    return true;
  }

  /** Marks orders that trade by volume for a check when a bar has finished. */
  barEnded({ symbol, interval }: Pick<Bar, 'symbol' | 'interval'>): void {
    const { synthetics } = this.#context.accountState;
    for (const id of synthetics.inSymbol(symbol)) {
      const { terms } = synthetics.of(id).order;
      if (terms.kind === 'work' && terms.style.kind === 'pov' && terms.style.interval === interval)
        synthetics.changed.add(id);
    }
  }

  /** Ends the entries of a strategy (null: of all). Orders that protect a position stay armed. */
  cancelEntries(strategyId: string | null, why: string): void {
    for (const state of [...this.#context.accountState.synthetics.live.values()])
      if (strategyId === null || state.order.strategyId === strategyId) this.#cancelUnprotected(state, why);
  }

  /** Ends the entries of strategies that no longer run. Their exits stay armed and are reported: nothing else would sell. */
  started(running: ReadonlyMap<string, unknown>): void {
    for (const state of [...this.#context.accountState.synthetics.live.values()]) {
      const { id, strategyId } = state.order;
      if (running.has(strategyId) || this.#cancelUnprotected(state, 'its strategy is not run any more'))
        continue;
      this.#context.notify(
        'alarm',
        `${describeSynthetic(state.order)}: its strategy is not run any more, and what it protects is still held: this bot ` +
          `keeps watching it. \`drover cancel ${id}\` ends that`,
        { code: 'EXIT_WITHOUT_STRATEGY', strategyId, symbol: state.order.symbol },
      );
    }
    this.lookAtAll();
  }

  /** Cancels the part of an order that still buys; filled shares stay protected. False if it buys nothing. */
  cancelEntry(state: SyntheticState, why: string): boolean {
    const { order } = state;
    const entry = openChild(state, 'entry');
    if (order.terms.kind === 'work' && order.terms.side === 'sell') return false;
    if (entry) this.#intents.cancel(entry.id, why);
    else if (order.terms.kind === 'work' || (buys(order) && filledBy(state, 'entry') === 0n))
      this.cancel(order.id, why);
    else return false;
    return true;
  }

  /** Ends orders that protect no position: entries, and working orders of either side. */
  #cancelUnprotected(state: SyntheticState, why: string): boolean {
    return state.order.terms.kind === 'work'
      ? this.cancel(state.order.id, why)
      : this.cancelEntry(state, why);
  }

  /** Ends orders and cancels their children at once. Returns the number ended. */
  cancelAll(states: readonly SyntheticState[], why: string): number {
    for (const { order, children } of states) {
      this.cancel(order.id, why);
      for (const { id, ended } of children) if (ended === null) this.#intents.cancel(id, why);
    }
    return states.length;
  }

  /** Marks a strategy's orders in a stock for a check after one of its orders ended: its holdings have changed. */
  orderEnded({ strategyId, terms: { symbol } }: Pick<Order, 'strategyId' | 'terms'>): void {
    const { synthetics } = this.#context.accountState;
    for (const id of synthetics.inSymbol(symbol))
      if (synthetics.of(id).order.strategyId === strategyId) synthetics.changed.add(id);
  }

  /** Checks the latest prices of all stocks: the first price of a session may equal the last one of the night. */
  pricedAll(): void {
    for (const symbol of this.#context.accountState.synthetics.symbols) this.priced(symbol);
  }

  /** Marks orders that the latest price of a stock triggers, or whose stop it raises. */
  priced(symbol: Ticker): void {
    const { synthetics } = this.#context.accountState;
    const price = this.#context.market.price(symbol);
    if (price === null) return;
    for (const id of synthetics.inSymbol(symbol))
      if (concerns(synthetics.of(id), price)) synthetics.changed.add(id);
  }

  /** Stops acting for the rest of this run, except to end finished orders; armed orders wait for the next run. */
  stop(): void {
    this.#isStopping = true;
  }

  /** Advances orders that have changed. True when an intent was created or cancelled. */
  check(): boolean {
    if (this.#context.accountState.synthetics.live.size === 0 || this.#context.isStarting) return false;
    this.#wakeDue();
    let hasActed = false;
    const { changed } = this.#context.accountState.synthetics;
    for (const id of changed) {
      changed.delete(id);
      if (this.#advance(id)) hasActed = true;
    }
    return hasActed;
  }

  #wakeDue(): void {
    const { now, accountState } = this.#context;
    if (now < this.#nextDue) return;
    this.#nextDue = Infinity;
    for (const [id, at] of this.#wake)
      if (at > now) this.#nextDue = Math.min(this.#nextDue, at);
      else accountState.synthetics.changed.add(id);
  }

  #wakeAt(id: string, at: EpochMs): void {
    this.#wake.set(id, at);
    this.#nextDue = Math.min(this.#nextDue, at);
  }

  #advance(id: string): boolean {
    this.#wake.delete(id);
    for (let step = 0; step < STEPS_MAX; step++) {
      const state = this.#context.accountState.synthetics.live.get(id);
      if (!state) return true;
      if (this.#context.now < state.order.notBefore && !state.ending) {
        this.#wakeAt(id, state.order.notBefore);
        return step > 0;
      }
      const action = nextOf(this.#context, state);
      if (!this.#act(state, action)) return step > 0;
    }
    throw new InvariantError(`synthetic order ${id} does not come to rest`);
  }

  /** Carries out a step. False when it only waits. */
  #act(state: SyntheticState, action: SyntheticAction): boolean {
    const { id, strategyId } = state.order;
    if (this.#isStopping && action.kind !== 'end') return false;
    if (action.kind !== 'wait' || action.alarm === undefined) this.#allClear(state);
    switch (action.kind) {
      case 'wait':
        if (action.until !== undefined && action.until > this.#context.now) this.#wakeAt(id, action.until);
        if (action.alarm !== undefined) this.#alarm(state, action.alarm);
        return false;
      case 'move':
        this.#context.record({ kind: 'syntheticMoved', id, event: action.event });
        if (action.event.kind === 'triggered') this.#sayTriggered(state, action.event);
        if (action.event.kind === 'entered') this.#sayTriggered(state, { cause: 'stop', ...action.event });
        return true;
      case 'cancel':
        return this.#cancelChild(id, action);
      case 'create':
        this.#create(state, action);
        return true;
      case 'end':
        this.#context.record({ kind: 'syntheticEnded', id, how: action.how, why: action.why });
        this.#context.notify(
          'decision',
          () => `${describeSynthetic(state.order)}: ${action.how}, ${action.why}`,
          strategyId,
        );
        return true;
    }
  }

  /** Cancels a child. False if that changed nothing. */
  #cancelChild(id: string, { id: child, why }: Extract<SyntheticAction, { kind: 'cancel' }>): boolean {
    const { recorded, now } = this.#context;
    this.#intents.cancel(child, why);
    if (this.#context.recorded > recorded) return true;
    this.#wakeAt(id, epochMs(now + CANCEL_AGAIN_MS));
    return false;
  }

  #create(
    { order }: SyntheticState,
    { leg, terms, reason, expires }: Extract<SyntheticAction, { kind: 'create' }>,
  ): void {
    const { now, accountState } = this.#context;
    const intent: OrderIntent = {
      id: `${order.strategyId}-${accountState.intentCount + 1}`,
      strategyId: order.strategyId,
      symbol: order.symbol,
      terms,
      reason: order.reason === '' ? reason : `${order.reason} (${reason})`,
      at: now,
      notBefore: now,
      outside: order.phases && this.#context.rules.trade ? 'limit' : 'wait',
      after: [],
      parent: { id: order.id, leg },
      ...(order.tag === undefined ? {} : { tag: order.tag }),
      ...(expires === undefined ? {} : { expires }),
    };
    this.#context.record({ kind: 'intentCreated', intent });
  }

  #sayTriggered({ order }: SyntheticState, { cause, price }: Omit<Trigger, 'at'>): void {
    const by = price === null ? '' : `, by a price of ${formatDecimal(price)}`;
    this.#context.notify(
      'decision',
      () => `${describeSynthetic(order)}: triggered ${cause === 'stop' ? `at its stop${by}` : 'by its time'}`,
      order.strategyId,
    );
  }

  #alarm({ order }: SyntheticState, why: string): void {
    const cause = why.replace(/[\d.,]+/g, '#');
    const raised = this.#alarms.get(order.id) ?? new Set();
    if (raised.has(cause)) return;
    this.#alarms.set(order.id, raised.add(cause));
    this.#context.alarm(`synthetic ${order.id}`, `${describeSynthetic(order)}: ${why}`, {
      code: 'EXIT_NOT_SOLD',
      strategyId: order.strategyId,
      symbol: order.symbol,
    });
  }

  #allClear({ order, ending }: SyntheticState): void {
    if (!this.#alarms.delete(order.id)) return;
    const what = ending ? ': is ending, nothing more is sent for it' : ' continues';
    this.#context.allClear(`synthetic ${order.id}`, `${describeSynthetic(order)}${what}`, order.strategyId);
  }
}
