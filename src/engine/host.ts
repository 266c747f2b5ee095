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
import { refusePromise, requireHooks } from './hooks.ts';
import type { Wishes } from './wishes.ts';
import { stateText } from './stateText.ts';
import { barsOf, symbolsOf, viewOf } from './view.ts';
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

/** Whatever the types say, a hook may answer. */
type Answering = Readonly<{ onBar?(context: HookContext & Readonly<{ bar: Bar }>): unknown }>;

/** Runs one strategy: builds it, calls its hooks, keeps its state. What it throws stops it, and nothing else. */
export class Host {
  readonly id: string;
  readonly setup: StrategySetup;
  readonly wishing: Wishing;
  readonly #desk: Desk;
  readonly #wishes: Wishes;
  readonly #view: View;
  #state: StrategyState = {};
  /** The state as it was last written down. */
  #kept = '{}';
  /** It holds what cannot be kept: said once, and what was kept before stays. */
  #isUnkeepable = false;
  #hooks: StrategyHooks | null = null;

  constructor(desk: Desk, wishes: Wishes, setup: StrategySetup) {
    this.id = setup.id;
    this.setup = setup;
    this.#desk = desk;
    this.#wishes = wishes;
    const known = symbolsOf(setup.needs);
    this.#view = viewOf(desk, { owner: setup.id, known, bars: barsOf(setup.needs) });
    this.wishing = new Wishing(desk, wishes, { owner: setup.id, known });
  }

  /** Nothing is told of its orders to one that would not listen. */
  get hearsOrders(): boolean {
    return this.#hooks === null || this.#hooks.onOrder !== undefined;
  }

  get hearsQuotes(): boolean {
    return this.#hooks?.onQuote !== undefined && (this.setup.needs.quotes ?? []).length > 0;
  }

  get running(): boolean {
    const { stopped } = this.#desk.books;
    return this.#hooks !== null && (stopped.size === 0 || !stopped.has(this.id));
  }

  /** Builds the strategy on the state that it kept. */
  build(): void {
    const kept = this.#desk.books.states.get(this.id) ?? {};
    this.#kept = JSON.stringify(kept);
    this.#state = JSON.parse(this.#kept) as StrategyState;
    const { definition, params } = this.setup;
    if (this.#desk.books.stopped.has(this.id)) this.#desk.record({ kind: 'strategyStarted', owner: this.id });
    this.#isUnkeepable = false;
    this.#guarded(() => {
      this.#hooks = requireHooks(definition.create({ params, state: this.#state }));
    });
  }

  /** Shows old bars, which may fill indicators but change neither orders nor the kept state. */
  warm(bar: Bar): void {
    if (!this.running) return;
    const before = this.#written();
    this.call((hooks, context) => hooks.onBar?.({ ...context, bar }));
    if (looselyWritten(this.#state) === before) return;
    for (const key of Object.keys(this.#state)) Reflect.deleteProperty(this.#state, key);
    Object.assign(this.#state, JSON.parse(before));
  }

  /** Builds it anew on the state that it kept, as a restart would: what it worked out from old prices is void. */
  rebuild(bars: readonly Bar[]): void {
    if (!this.running) return;
    this.wishing.enabled = false;
    this.build();
    for (const bar of bars) this.warm(bar);
    this.start();
  }

  start(): void {
    this.wishing.enabled = true;
    this.call((hooks, context) => hooks.onStart?.(context));
  }

  stop(): void {
    this.wishing.enabled = false;
    this.call((hooks, { view }) => hooks.onStop?.({ view }));
  }

  /** Shows a finished bar. The hot path of a backtest: nothing here but the call. */
  bar(bar: Bar): void {
    const hooks: Answering | null = this.#hooks;
    if (hooks?.onBar === undefined || !this.running) return;
    this.wishing.isOpen = true;
    try {
      const answer = hooks.onBar({ view: this.#view, order: this.wishing, bar });
      if (answer !== undefined) refusePromise(answer);
    } catch (thrown) {
      this.#stopFor(thrown);
    }
    this.wishing.isOpen = false;
  }

  /** Shows a finished bar on which nothing is to be ordered. What the strategy remembers of it stays. */
  study(bar: Bar): void {
    const { enabled } = this.wishing;
    this.wishing.enabled = false;
    this.bar(bar);
    this.wishing.enabled = enabled;
  }

  call(hook: (hooks: StrategyHooks, context: HookContext) => unknown): void {
    const hooks = this.#hooks;
    if (!hooks || !this.running) return;
    this.wishing.isOpen = true;
    this.#guarded(() => hook(hooks, { view: this.#view, order: this.wishing }));
    this.wishing.isOpen = false;
  }

  /** Tells what an order has moved, once, when it has closed. One that is not running is told when it runs again. */
  tellFill({ id, wish, state, terms }: Order): void {
    if (!this.running || state.kind !== 'closed' || !state.settlement) return;
    this.#desk.record({ kind: 'told', id });
    if (this.#hooks?.onFill === undefined) return;
    const { price, pay, receive, mintFee, protocolFee } = state.settlement;
    const fill = {
      orderId: wish,
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
    if (this.#isUnkeepable || (this.#kept === '{}' && isEmpty(this.#state))) return;
    const text = this.#written();
    if (text === this.#kept) return;
    this.#kept = text;
    this.#desk.record({ kind: 'strategyState', owner: this.id, state: JSON.parse(text) as StrategyState });
  }

  /** The state as text; what cannot be kept stops the strategy, and what was kept before stays. */
  #written(): string {
    try {
      return stateText(this.#state);
    } catch (thrown) {
      this.#isUnkeepable = true;
      this.#stopFor(thrown);
      return this.#kept;
    }
  }

  #guarded(run: () => unknown): void {
    try {
      refusePromise(run());
    } catch (thrown) {
      this.#stopFor(thrown);
    }
  }

  #stopFor(thrown: unknown): void {
    const error = (this.setup.explain ?? messageOf)(thrown);
    this.#desk.record({ kind: 'strategyStopped', owner: this.id, error });
    this.#desk.tell('alarm', `stopped by its own error: ${error}`, this.id);
    for (const wish of [...this.#desk.books.wishes.values()])
      if (wish.owner === this.id) this.#wishes.cancel(wish.id, 'its strategy has stopped');
  }
}

/** Of a state that is not to be kept, whatever is in it: an indicator that is not warm yet says NaN. */
function looselyWritten(state: StrategyState): string | null {
  try {
    return JSON.stringify(state);
  } catch {
    return null;
  }
}

function isEmpty(state: StrategyState): boolean {
  for (const _ in state) return false;
  return true;
}
