import { toNumber } from '../core/amount.ts';
import { messageOf } from '../core/errors.ts';
import type { Bar } from '../domain/bar.ts';
import type { Order } from '../domain/order.ts';
import type {
  DataNeeds,
  HookContext,
  StrategyDefinition,
  StrategyHooks,
  StrategyState,
  View,
} from '../strategy/contract.ts';
import type { Desk } from './desk.ts';
import type { Planning } from './planning.ts';
import { viewOf } from './view.ts';
import { Wishing } from './wishing.ts';

export type StrategySetup = Readonly<{
  id: string;
  definition: StrategyDefinition;
  /** Already checked by the definition's own schema. */
  params: unknown;
  /** What its `data` asks for with these parameters. */
  needs: DataNeeds;
  /** What to say of an error that its code threw: where in the author's file, and what. */
  explain?: (thrown: unknown) => string;
}>;

/** Runs one strategy: builds it, calls its hooks, keeps its state. What it throws stops it, and nothing else. */
export class Host {
  readonly id: string;
  readonly setup: StrategySetup;
  readonly wishing: Wishing;
  readonly #desk: Desk;
  readonly #planning: Planning;
  readonly #view: View;
  #state: StrategyState = {};
  /** The state as it was last written down. */
  #kept = '{}';
  #hooks: StrategyHooks | null = null;

  constructor(desk: Desk, planning: Planning, setup: StrategySetup) {
    this.id = setup.id;
    this.setup = setup;
    this.#desk = desk;
    this.#planning = planning;
    this.#view = viewOf(desk, setup.id);
    this.wishing = new Wishing(desk, planning, setup.id);
  }

  get running(): boolean {
    return this.#hooks !== null && !this.#desk.books.stopped.has(this.id);
  }

  /** Builds the strategy on the state that it kept. */
  build(): void {
    const kept = this.#desk.books.states.get(this.id) ?? {};
    this.#kept = JSON.stringify(kept);
    this.#state = JSON.parse(this.#kept) as StrategyState;
    const { definition, params } = this.setup;
    this.#guarded(() => {
      this.#hooks = definition.create({ params, state: this.#state });
    });
  }

  /** Shows old bars, which may fill indicators but change neither orders nor the kept state. */
  warm(bar: Bar): void {
    if (!this.running) return;
    const before = JSON.stringify(this.#state);
    this.call((hooks, context) => hooks.onBar?.({ ...context, bar }));
    if (JSON.stringify(this.#state) === before) return;
    for (const key of Object.keys(this.#state)) Reflect.deleteProperty(this.#state, key);
    Object.assign(this.#state, JSON.parse(before));
  }

  start(): void {
    this.wishing.enabled = true;
    if (!this.running) return;
    this.#desk.record({ kind: 'strategyStarted', owner: this.id });
    this.call((hooks, context) => hooks.onStart?.(context));
  }

  stop(): void {
    this.wishing.enabled = false;
    this.call((hooks, { view }) => hooks.onStop?.({ view }));
  }

  call(hook: (hooks: StrategyHooks, context: HookContext) => void): void {
    const hooks = this.#hooks;
    if (!hooks || !this.running) return;
    this.#guarded(() => hook(hooks, { view: this.#view, order: this.wishing }));
  }

  /** Tells what an order has moved, once, when it has closed. */
  tellFill(order: Order): void {
    const { state, terms } = order;
    if (state.kind !== 'closed' || !state.settlement || state.settlement.receive === 0n) return;
    const { price, pay, receive, mintFee, protocolFee } = state.settlement;
    const fill = {
      orderId: order.wish,
      symbol: terms.symbol,
      side: terms.side,
      shares: toNumber(terms.side === 'buy' ? receive : pay),
      price: toNumber(price),
      fee: toNumber(mintFee + protocolFee),
      at: this.#desk.now,
    };
    this.call((hooks, context) => hooks.onFill?.({ ...context, fill }));
  }

  /** Writes the state down if it has changed since. */
  keepState(): void {
    const text = JSON.stringify(this.#state);
    if (text === this.#kept) return;
    this.#kept = text;
    this.#desk.record({ kind: 'strategyState', owner: this.id, state: JSON.parse(text) as StrategyState });
  }

  #guarded(run: () => void): void {
    try {
      run();
    } catch (thrown) {
      const error = (this.setup.explain ?? messageOf)(thrown);
      this.#desk.record({ kind: 'strategyStopped', owner: this.id, error });
      this.#desk.tell('alarm', `stopped by its own error: ${error}`, this.id);
      for (const wish of [...this.#desk.books.wishes.values()])
        if (wish.owner === this.id) this.#planning.cancelWish(wish.id, 'its strategy has stopped');
    }
  }
}
