import { InvalidValueError } from '../../core/errors.ts';
import { LEVELS_MAX } from '../../core/nesting.ts';
import { HOOK_NAMES } from '../../engine/strategy/hooks.ts';
import type {
  BarHistory,
  HookContext,
  StrategyDefinition,
  StrategyHooks,
  View,
} from '../../strategy/contract.ts';
import type { SeriesHistory } from '../../strategy/datedSeries.ts';
import { errorData, errorFrom, ORDER_VERBS } from '../realm/messages.ts';
import { guarded, sealed } from '../realm/realm.ts';

/** Context of one call of a hook. */
type Context = { -readonly [Part in keyof HookContext]?: HookContext[Part] } & Pick<
  HookContext,
  'view' | 'log'
>;

/** Functions of a compartment's strategy as the engine calls them: they return plain data, and confined hooks. */
export const confinedCode = (
  definition: Pick<StrategyDefinition, 'data' | 'create'>,
): Pick<StrategyDefinition, 'data' | 'create'> => ({
  data: guarded((given) => plainNeeds(definition.data(given))),
  create: guarded((given) => confinedHooks(definition.create(given))),
});

/** Replaces a promise of the strategy by one of ours, which its reader refuses; the strategy's rejection is swallowed. */
function promiseFor<Answer>(answer: Answer): Answer {
  // Its own `catch` and `then` are never called.
  void Promise.prototype.then.call(answer as Promise<unknown>, undefined, () => undefined);
  return Promise.resolve() as Answer;
}

/** A copy of the needs. A promise is kept. @throws {InvalidValueError} for anything but plain data */
function plainNeeds<Needs>(needs: Needs): Needs {
  if (needs instanceof Promise) return promiseFor(needs);
  try {
    // Plain data can be serialised; a cyclic list or a function cannot.
    JSON.stringify(needs);
    return structuredClone(needs);
  } catch {
    throw new InvalidValueError('data() returns something that is not plain data, such as a function');
  }
}

/**
 * A compartment's hooks as the engine calls them: they receive views and orders that cannot be changed, and have only the
 * methods of the contract; return values are copied before the engine reads them, and errors are made plain.
 */
function confinedHooks(hooks: StrategyHooks): StrategyHooks {
  // Nothing is passed on directly: a proxy may return something different each time it is read.
  if (typeof hooks !== 'object' || (hooks as unknown) === null) return undefined as never;
  if (hooks instanceof Promise) return promiseFor(hooks);
  const shown = new ConfinedContext();
  const confined: Record<string, unknown> = Object.fromEntries(
    Object.keys(hooks).map((name) => [name, undefined]),
  );
  for (const name of HOOK_NAMES) {
    // Also finds methods of a class.
    const hook = hooks[name] as ((context: Context) => unknown) | null | undefined;
    if (hook === undefined || hook === null) continue;
    // Like `guarded`, but without a list of arguments: a backtest calls it for each bar.
    confined[name] = (context: Context): unknown => {
      try {
        const answer = hook.call(hooks, shown.in(context));
        return answer instanceof Promise ? promiseFor(answer) : undefined;
      } catch (thrown) {
        throw errorFrom(errorData(thrown));
      }
    };
  }
  return confined;
}

/** A copy of a strategy's plain data: reading it runs no code. @throws {InvalidValueError} for a function */
function copyOf(given: unknown, levels = LEVELS_MAX): unknown {
  // The copy of a Map or Set would be empty: without weights, everything would be sold.
  if (typeof given === 'function' || levels === 0 || given instanceof Map || given instanceof Set)
    throw new InvalidValueError(
      'a function, a Map, a Set, or an object within itself, is given to order, log or plot: give plain data',
    );
  if (typeof given !== 'object' || given === null) return given;
  if (Array.isArray(given)) return Array.from(given, (one: unknown) => copyOf(one, levels - 1));
  const copy: Record<string, unknown> = {};
  for (const name of Object.keys(given)) {
    // A message between threads drops it.
    if (name === '__proto__') throw new InvalidValueError('order, log and plot take nothing named __proto__');
    const value = copyOf((given as Readonly<Record<string, unknown>>)[name], levels - 1);
    // A name on a frozen prototype, such as `toString`, cannot be assigned.
    if (name in copy)
      Object.defineProperty(copy, name, { value, enumerable: true, configurable: true, writable: true });
    else copy[name] = value;
  }
  return copy;
}

type Call = (...given: readonly unknown[]) => unknown;

/** The same function, called with copies. */
const withCopies = <Function extends Call>(call: Function): Function =>
  guarded((...given: unknown[]) => {
    for (let index = 0; index < given.length; index++) given[index] = copyOf(given[index]);
    return call(...given);
  }) as Function;

/** Bars as in the contract, without the methods with which the engine appends to them. */
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

/** Rows of a dated series, with plain errors. */
const shownSeries = (history: SeriesHistory): SeriesHistory => {
  const row = (found: ReturnType<SeriesHistory['at']>) =>
    found &&
    Object.freeze({
      known: found.known,
      number: guarded((column: string) => found.number(column)),
      text: guarded((column: string) => found.text(column)),
    });
  return {
    get length() {
      return history.length;
    },
    at: (back) => row(history.at(back)),
    latest: guarded((texts) => row(history.latest(texts))),
  };
};

/** Objects shown to the hooks of one strategy: each engine object is wrapped once. */
class ConfinedContext {
  readonly #wrapped = new WeakMap<object, object>();
  #from: View | null = null;
  #seen: Pick<HookContext, 'view' | 'log'> | null = null;
  #acted: Pick<HookContext, 'order' | 'plot'> | null = null;

  /** The context that the engine makes for each call, with wrapped objects in it. */
  in(context: Context): Context {
    const { view, log, order, plot } = context;
    if (view !== this.#from || !this.#seen) {
      this.#from = view;
      this.#seen = sealed({ view: this.#viewOf(view), log: withCopies(log as Call) });
      this.#acted = null;
    }
    context.view = this.#seen.view;
    context.log = this.#seen.log;
    if (!order || !plot) return context;
    this.#acted ??= acted({ order, plot });
    context.order = this.#acted.order;
    context.plot = this.#acted.plot;
    return context;
  }

  /** Only the members of the contract, whether of an object or a class. */
  #viewOf(view: View): View {
    const wrapped = <Part extends object>(part: Part, wrap: (part: Part) => Part): Part => {
      const known = this.#wrapped.get(part) ?? sealed(wrap(part));
      this.#wrapped.set(part, known);
      return known as Part;
    };
    return {
      get now() {
        return view.now;
      },
      get session() {
        return view.session;
      },
      get phase() {
        return view.phase;
      },
      get cash() {
        return view.cash;
      },
      get equity() {
        return view.equity;
      },
      get fees() {
        return view.fees;
      },
      get limits() {
        return view.limits;
      },
      position: (symbol) => view.position(symbol),
      averagePrice: (symbol) => view.averagePrice(symbol),
      unrealised: ((symbol?: string) =>
        symbol === undefined ? view.unrealised() : view.unrealised(symbol)) as View['unrealised'],
      price: (symbol) => view.price(symbol),
      quote: (symbol) => view.quote(symbol),
      instrument: (symbol) => view.instrument(symbol),
      weight: (symbol) => view.weight(symbol),
      bars: guarded((symbol, interval) =>
        wrapped(view.bars(symbol, interval), (bars) => new ShownBars(bars)),
      ),
      series: guarded((name) => wrapped(view.series(name), shownSeries)),
      fetched: guarded((name) => view.fetched(name)),
      orders: (symbol) => view.orders(symbol),
    };
  }
}

function acted({ order, plot }: Pick<HookContext, 'order' | 'plot'>): Pick<HookContext, 'order' | 'plot'> {
  const verbs = ORDER_VERBS.map((verb) => [verb, withCopies(order[verb].bind(order) as Call)] as const);
  return sealed({
    order: Object.fromEntries(verbs) as unknown as HookContext['order'],
    plot: withCopies(plot as Call),
  });
}
