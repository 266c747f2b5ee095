import { z } from 'zod';
import { InvalidValueError } from '../../core/errors.ts';
import type {
  DataNeeds,
  HookContext,
  OrderView,
  StrategyDefinition,
  StrategyHooks,
  StrategyState,
} from '../contract.ts';
import { remember } from '../remember.ts';
import { ColumnSet, GrowingColumns, type SignalColumns } from './signalColumns.ts';
import { barName, latestOf, weightsOf, type SignalWeights } from './signalWeights.ts';

type BarNeeds = NonNullable<DataNeeds['bars']>;

/** Strategy that says at every bar what share of the equity each stock should be, and leaves the orders to the engine. */
export type SignalsDefinition<Params extends z.ZodType = z.ZodType> = StrategyDefinition<Params> &
  Readonly<{ signals(columns: SignalColumns, params: z.output<Params>): SignalWeights }>;

type SignalsTerms<Params extends z.ZodType> = Pick<
  SignalsDefinition<Params>,
  'name' | 'description' | 'params' | 'signals'
> &
  Readonly<{
    /** Bars of one length, of one symbol or several; the last `warmUp` before the start are the first of the columns. */
    data(params: z.output<Params>): Readonly<{ bars: BarNeeds }>;
  }>;

/**
 * Default export of a strategy file that computes target weights from columns of bars:
 *
 *     signals(bars, { symbol, length }) {
 *       const { close } = bars.of(symbol);
 *       const average = columns(sma(length), close);
 *       return { [symbol]: average.map((value, bar) => (Number(close[bar]) > value ? 1 : 0)) };
 *     }
 *
 * `signals` is called with all bars at once in a backtest, and again at each bar in a run, where the last weight counts. It must
 * not look ahead: a weight may depend on the bars up to its own. An order is placed where the weight in force changes (what a
 * price moves is not traded), and again at the next bar where it came to nothing.
 */
export function defineSignals<Params extends z.ZodType>(
  terms: SignalsTerms<Params>,
): SignalsDefinition<Params> {
  const definition: SignalsDefinition<Params> = {
    ...terms,
    create: ({ params, state }) => liveHooks(definition, params, state),
  };
  return definition;
}

export const isSignals = (definition: StrategyDefinition): definition is SignalsDefinition =>
  'signals' in definition;

/** Bars that signals are computed from. @throws {InvalidValueError} for anything but bars of one length */
export function signalBars({ bars = [], ...others }: DataNeeds): BarNeeds {
  const [other] = Object.keys(others);
  if (other !== undefined)
    throw new InvalidValueError(`signals are computed from bars alone: leave ${other} out of data()`);
  if (bars.length === 0) throw new InvalidValueError('signals need bars: name at least one symbol in data()');
  if (bars.some(({ phases }) => phases))
    throw new InvalidValueError(
      'signals are computed from bars of the regular session: leave phases out of data()',
    );
  const lengths = new Set(bars.map(({ interval }) => interval));
  if (lengths.size === 1) return bars;
  throw new InvalidValueError(
    `signals are computed from bars of one length, and data() asks for ${[...lengths].join(' and ')}`,
  );
}

const keptShape = z.object({
  /** Weight of the latest order of each symbol; null for one that came to nothing. */
  weights: z.record(z.string(), z.number().nullable()).default({}),
});

/** Rounding error by which weights may exceed 1 together. */
const ROUNDING = 1e-9;

/** @throws {InvalidValueError} for weights that are more than all of the equity */
export function requireWhole(sum: number, bar: () => string): void {
  if (sum > 1 + ROUNDING)
    throw new InvalidValueError(`weights at the bar of ${bar()}: together they are ${sum}, more than 1`);
}

/** Reason of the orders of signals. */
export const SIGNALS_REASON = 'its target weight has changed';

/** Places the orders of signals: where the weight in force is not that of the latest order. */
export class SignalOrders {
  readonly #symbols: readonly string[];
  readonly #kept: z.output<typeof keptShape>;

  /** @param state of the strategy, which keeps the weights that were ordered */
  constructor(symbols: readonly string[], state: StrategyState) {
    this.#symbols = symbols;
    this.#kept = remember(state, keptShape);
  }

  /** @param inForce weights by symbol, NaN for none. @throws {InvalidValueError} for more than 1 together */
  place(inForce: ArrayLike<number>, bar: () => string, context: PlacingContext): void {
    const { weights } = this.#kept;
    const changed: Record<string, number> = {};
    let sum = 0;
    for (const [index, symbol] of this.#symbols.entries()) {
      const weight = inForce[index] ?? NaN;
      const ordered = weights[symbol] ?? null;
      sum += Number.isNaN(weight) ? (ordered ?? 0) : weight;
      if (Number.isNaN(weight) || weight === ordered) continue;
      if (weight === 0 && ordered === null && hasNothing(symbol, context)) weights[symbol] = 0;
      else changed[symbol] = weight;
    }
    requireWhole(sum, bar);
    if (Object.keys(changed).length === 0) return;
    context.order.rebalance(changed, { rest: 'keep' }, SIGNALS_REASON);
    Object.assign(weights, changed);
  }

  /** Notes an order that has ended without a fill: it is placed again at the next bar. One that was cancelled is not. */
  ended({ symbol, status }: Pick<OrderView, 'symbol' | 'status'>): void {
    if (FAILED.has(status)) this.#kept.weights[symbol] = null;
  }
}

type PlacingContext = Pick<HookContext, 'view' | 'order'>;

/** True if a weight of 0 is what there is. */
const hasNothing = (symbol: string, { view }: PlacingContext): boolean =>
  view.position(symbol) === 0 && view.orders(symbol).length === 0;

const FAILED: ReadonlySet<OrderView['status']> = new Set([
  'expired',
  'rejected',
  'refused',
  'reverted',
  'dropped',
]);

/** Hooks of a run: the columns grow by a bar at a time, and all weights are computed again at each. */
function liveHooks<Params extends z.ZodType>(
  { data, signals }: SignalsDefinition<Params>,
  params: z.output<Params>,
  state: StrategyState,
): StrategyHooks {
  const symbols = signalBars(data(params)).map(({ symbol }) => symbol);
  const bars = new Map(symbols.map((symbol) => [symbol, new GrowingColumns()]));
  const orders = new SignalOrders(symbols, state);
  return {
    onBar({ bar }) {
      bars.get(bar.symbol)?.append(bar);
    },
    onBars({ view, order }) {
      const columns = new ColumnSet(new Map([...bars].map(([symbol, own]) => [symbol, own.columns])));
      const weights = weightsOf((given) => signals(given, params), columns);
      const inForce = weights.map((column) => latestOf(column, columns));
      orders.place(inForce, () => barName(columns, columns.start.length - 1), { view, order });
    },
    onOrder({ update }) {
      orders.ended(update);
    },
  };
}
