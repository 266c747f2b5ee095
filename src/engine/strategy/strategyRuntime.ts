import { InvalidValueError, orElse } from '../../core/errors.ts';
import { isNestedDeeper, LEVELS_MAX } from '../../core/nesting.ts';
import type {
  StrategyState,
  Fill,
  Orders,
  OrderView,
  StrategyDefinition,
  StrategyHooks,
  View,
} from '../../strategy/contract.ts';
import type { DividendView, Log, Plot, SplitView } from '../../strategy/shown.ts';
import type { Session } from '../../calendar/index.ts';
import type { Bar } from '../../domain/bar.ts';
import type { RuntimeLoss } from '../state/precedents.ts';
import type { ViewFeed } from './viewData.ts';
import { refusePromise, requireHooks } from './hooks.ts';

/** Maximum size of a state in bytes of JSON: it is journaled again with every change. */
const STATE_MAX = 1_000_000;
/** Maximum bytes that one UTF-16 unit takes in UTF-8. */
const BYTES_PER_UNIT = 3;

/**
 * JSON of a strategy's state. A value that JSON would change is refused, because it would differ after a restart: NaN
 * becomes null, a Map an empty object, a Date a text. An undefined value may come back as null.
 * @throws {InvalidValueError} naming the field and its value, or the size of a state that is too large
 */
function stateText(state: StrategyState): string {
  const text = JSON.stringify(state, keptValue);
  if (isNestedDeeper(text, LEVELS_MAX))
    throw new InvalidValueError(
      `the state is nested deeper than ${LEVELS_MAX} levels: keep a flat object or list`,
    );
  const size = text.length * BYTES_PER_UNIT > STATE_MAX ? Buffer.byteLength(text) : 0;
  if (size <= STATE_MAX) return text;
  throw new InvalidValueError(
    `the state is ${size.toLocaleString('en-US')} bytes of JSON, and at most ${STATE_MAX.toLocaleString('en-US')} are kept: ` +
      'remember less, for example a sum instead of every value',
  );
}

/** The value unchanged; `value` is the result of its `toJSON`, if it has one. */
function keptValue(this: unknown, name: string, value: unknown): unknown {
  const own = (this as Readonly<Record<string, unknown>>)[name];
  const problem = problemOf(own) ?? problemOf(value);
  if (problem === null) return value;
  throw new InvalidValueError(
    `the state cannot keep ${problem}, which "${name}" is: keep a number, text or null`,
  );
}

function problemOf(value: unknown): string | null {
  switch (typeof value) {
    case 'number':
      return Number.isFinite(value) ? null : String(value);
    case 'bigint':
    case 'symbol':
    case 'function':
      return `a ${typeof value}`;
    case 'object':
      return isPlain(value) ? null : 'a Map, a Set, a Date or another object of a class';
    default:
      return null;
  }
}

function isPlain(value: object | null): boolean {
  if (value === null) return true;
  if ('toJSON' in value) return false;
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

/** Functions saved before a strategy is loaded, because it may replace the globals. */
const { parse, stringify } = JSON;

/** Call of a hook: its name, and its arguments apart from view and orders. */
export type HookCall = Readonly<
  | { hook: 'onStart' | 'onStop' }
  | { hook: 'onBar'; bar: Bar }
  | { hook: 'onQuote'; symbol: string; price: number }
  | { hook: 'onFill'; fill: Fill }
  | { hook: 'onOrder'; update: OrderView }
  | { hook: 'onSession'; session: Session; change: 'opened' | 'closed' }
  | { hook: 'onTimer'; timer: string }
  | { hook: 'onBars'; bars: readonly Bar[] }
  | { hook: 'onSplit'; split: SplitView }
  | { hook: 'onDividend'; dividend: DividendView }
>;

/** Parts of a runtime that its strategy uses: the view and `order`. */
export type RuntimeContext = Readonly<{
  view: View;
  order: Orders;
  log: Log;
  plot: Plot;
  /** The view as data, for a strategy that runs in another thread. */
  feed: ViewFeed;
  /** Called when `order` was used after its hook had ended. */
  noteLate: () => void;
}>;

/** The code of a strategy was lost with its thread, through no fault of its own: nothing of the call ran. `build` restarts it. */
export class RuntimeLostError extends Error implements RuntimeLoss {
  readonly alone: string;

  constructor(message: string, alone: string) {
    super(message);
    this.alone = alone;
  }
}

export type CreateRuntime = (context: RuntimeContext) => StrategyRuntime;

/**
 * Runs the code of one strategy, in this thread or another. Methods throw what the strategy throws; after that it is
 * not called again. All but `build` and `state` may throw `RuntimeLostError`.
 */
export interface StrategyRuntime {
  /** Builds the strategy on a state, given as JSON. `isAfresh`: with its file loaded again. */
  build(state: string, isAfresh?: boolean): void;
  /** True if its code runs in another thread, with which it may be lost. */
  readonly isInThread: boolean;
  /** Why its code is gone; null while it is there. */
  readonly lost: RuntimeLostError | null;
  /** True when the strategy has this hook; always false before it is built. */
  has(hook: keyof StrategyHooks): boolean;
  call(call: HookCall): void;
  /** Same as `call` with `onBar`. Hot path of a backtest. */
  bar(bar: Bar): void;
  /** Calls `onBar` for an old bar, then restores the state `before`. */
  warm(bar: Bar, before: string): void;
  /** Waits for work that the hooks left behind, such as the rest of a promise. @throws the error of that work */
  settle(): void;
  /** The state as JSON. @throws {InvalidValueError} for a state that cannot be stored */
  state(): string;
}

type LocalContext = Pick<RuntimeContext, 'view' | 'order' | 'log' | 'plot'>;

/** Hooks may return something, whatever the types say. */
type UntypedHooks = { readonly [Hook in keyof StrategyHooks]?: (context: object) => unknown };

export class LocalRuntime implements StrategyRuntime {
  readonly isInThread = false;
  readonly lost = null;
  readonly #definition: StrategyDefinition;
  readonly #params: unknown;
  readonly #context: LocalContext;
  #hooks: UntypedHooks | null = null;
  #state: StrategyState = {};

  constructor(definition: StrategyDefinition, params: unknown, context: LocalContext) {
    this.#definition = definition;
    this.#params = params;
    this.#context = context;
  }

  build(state: string): void {
    this.#state = parse(state) as StrategyState;
    const hooks = this.#definition.create({ params: this.#params, state: this.#state });
    this.#hooks = requireHooks(hooks) as UntypedHooks;
  }

  has(hook: keyof StrategyHooks): boolean {
    return this.#hooks?.[hook] !== undefined;
  }

  call(call: HookCall): void {
    const { hook, ...given } = call;
    const { view, order, log, plot } = this.#context;
    const context = hook === 'onStop' ? { view, log } : { view, order, log, plot, ...given };
    const answer = this.#hooks?.[hook]?.(context);
    if (typeof answer === 'object') refusePromise(answer, hook);
  }

  bar(bar: Bar): void {
    const { view, order, log, plot } = this.#context;
    const answer = this.#hooks?.onBar?.({ view, order, log, plot, bar });
    if (answer !== undefined) refusePromise(answer, 'onBar');
  }

  warm(bar: Bar, before: string): void {
    try {
      this.bar(bar);
    } finally {
      if (looselyWritten(this.#state) !== before) this.#reset(before);
    }
  }

  /** Does nothing: in this thread, errors outside the hooks reach the process itself. */
  settle(): void {
    return;
  }

  state(): string {
    return isEmpty(this.#state) ? '{}' : stateText(this.#state);
  }

  #reset(state: string): void {
    for (const key of Object.keys(this.#state)) Reflect.deleteProperty(this.#state, key);
    Object.assign(this.#state, parse(state));
  }
}

/** Runs a strategy in this thread. `params` have been checked against the definition's schema. */
export const inProcess =
  (definition: StrategyDefinition, params: unknown): CreateRuntime =>
  (context) =>
    new LocalRuntime(definition, params, context);

/** Text of a state that is not stored, whatever it contains: an indicator that is not warm yet has NaN. */
const looselyWritten = (state: StrategyState): string | null => orElse(() => stringify(state), null);

function isEmpty(state: StrategyState): boolean {
  for (const _ in state) return false;
  return true;
}
