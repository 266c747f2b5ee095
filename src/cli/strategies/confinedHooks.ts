import { ORDER_VERBS } from '../isolation/messages.ts';
import { isRealmLocked } from '../isolation/realm.ts';
import type { BarHistory, HookContext, StrategyHooks, View } from '../../strategy/contract.ts';
import { HOOK_NAMES } from '../../engine/strategy/hooks.ts';

type Context = Pick<HookContext, 'view' | 'log'> & Partial<HookContext>;
type Hook = (context: Context) => unknown;

/**
 * Hooks of a compartment as the engine calls them: they are shown views and orders that cannot be changed, and have no method
 * beside those of the contract; what they give is copied before the engine looks at it.
 */
export function confinedHooks(hooks: StrategyHooks): StrategyHooks {
  if (typeof hooks !== 'object' || (hooks as unknown) === null || hooks instanceof Promise) return hooks;
  const shown = new Shown();
  const confined: Record<string, unknown> = { ...hooks };
  for (const name of HOOK_NAMES) {
    // Also one of a class.
    const hook: unknown = hooks[name];
    if (typeof hook === 'function')
      confined[name] = (context: Context): unknown => (hook as Hook).call(hooks, shown.of(context));
  }
  return confined;
}

const sealed = <Value>(value: Value): Value => (isRealmLocked() ? harden(value) : value);

/** A copy of what a strategy gives: nothing that runs when it is read. @throws for a function within it */
const copyOf = (given: unknown): unknown =>
  typeof given === 'object' && given !== null ? structuredClone(given) : given;

type Call = (...given: readonly unknown[]) => unknown;

/** The same function, called with copies. */
const withCopies = <Function extends Call>(call: Function): Function =>
  ((...given: unknown[]) => call(...given.map(copyOf))) as Function;

/** Bars as the contract has them, without the methods by which the engine appends to them. */
class ShownBars implements BarHistory {
  readonly #bars: BarHistory;

  constructor(bars: BarHistory) {
    this.#bars = bars;
  }

  get length(): number {
    return this.#bars.length;
  }

  at(back: number): ReturnType<BarHistory['at']> {
    return this.#bars.at(back);
  }

  closes(count: number): Float64Array {
    return this.#bars.closes(count);
  }
}

/** Objects that the hooks of one strategy are shown: each of the engine's is wrapped once. */
class Shown {
  readonly #bars = new WeakMap<BarHistory, BarHistory>();
  #view: View | null = null;
  #seeing: Pick<HookContext, 'view' | 'log'> | null = null;
  #acting: Pick<HookContext, 'order' | 'plot'> | null = null;

  of(context: Context): Context {
    if (context.view !== this.#view || !this.#seeing) {
      this.#view = context.view;
      this.#seeing = this.#seen(context);
      this.#acting = null;
    }
    const { view, log } = this.#seeing;
    const { order, plot } = context;
    if (!order || !plot) return { ...context, view, log };
    this.#acting ??= acted({ order, plot });
    return { ...context, view, log, order: this.#acting.order, plot: this.#acting.plot };
  }

  #seen({ view, log }: Context): Pick<HookContext, 'view' | 'log'> {
    const bars: View['bars'] = (symbol, interval) => this.#barsOf(view.bars(symbol, interval));
    const own = { ...Object.getOwnPropertyDescriptors(view), bars: { value: bars, enumerable: true } };
    return sealed({
      view: Object.defineProperties({}, own) as View,
      log: withCopies(log as Call),
    });
  }

  #barsOf(bars: BarHistory): BarHistory {
    const known = this.#bars.get(bars);
    if (known) return known;
    const shown = sealed(new ShownBars(bars));
    this.#bars.set(bars, shown);
    return shown;
  }
}

function acted({ order, plot }: Pick<HookContext, 'order' | 'plot'>): Pick<HookContext, 'order' | 'plot'> {
  const verbs = ORDER_VERBS.map((verb) => [verb, withCopies(order[verb].bind(order) as Call)] as const);
  return sealed({
    order: Object.fromEntries(verbs) as unknown as HookContext['order'],
    plot: withCopies(plot as Call),
  });
}
