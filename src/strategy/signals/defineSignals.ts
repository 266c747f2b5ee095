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

/** Strategy that sets a target share of the equity for each stock at every bar, and leaves orders to the engine. */
export type SignalsDefinition<Params extends z.ZodType = z.ZodType> = StrategyDefinition<Params> &
  Readonly<{ signals(columns: SignalColumns, params: z.output<Params>): SignalWeights }>;

type SignalsTerms<Params extends z.ZodType> = Pick<
  SignalsDefinition<Params>,
  'name' | 'description' | 'params' | 'signals'
> &
  Readonly<{
    /** Bars of one length, for one or more symbols; the columns begin with the last `warmUp` bars before the start. */
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
 * `signals` is called with all bars at once in a backtest, and again at each bar in a live run, where only the last
 * weight counts. It must not look ahead: a weight may depend only on bars up to its own. An order is placed when the
 * weight in force changes (price drift is not traded), and again at the next bar if it was not filled.
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

/** Bars from which signals are computed. @throws {InvalidValueError} for anything but bars of one length */
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
  /** Weight of the latest order of each symbol; null for an order without a fill. */
  weights: z.record(z.string(), z.number().nullable()).default({}),
});

/** Rounding error by which the sum of weights may exceed 1. */
const ROUNDING = 1e-9;

/** @throws {InvalidValueError} for weights that exceed the equity */
export function requireWhole(sum: number, bar: () => string): void {
  if (sum > 1 + ROUNDING)
    throw new InvalidValueError(`weights at the bar of ${bar()}: together they are ${sum}, more than 1`);
}

/** Reason given for the orders of signals. */
export const SIGNALS_REASON = 'its target weight has changed';

/** Places the orders of signals, where the weight in force differs from that of the latest order. */
export class SignalOrders {
  readonly #symbols: readonly string[];
  readonly #kept: z.output<typeof keptShape>;

  /** @param state of the strategy, which stores the weights ordered */
  constructor(symbols: readonly string[], state: StrategyState) {
    this.#symbols = symbols;
    this.#kept = remember(state, keptShape);
  }

  /** @param inForce weights by symbol, NaN for none. @throws {InvalidValueError} for a sum above 1 */
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

  /** Records an order that ended without a fill: it is placed again at the next bar, unless it was cancelled. */
  ended({ symbol, status }: Pick<OrderView, 'symbol' | 'status'>): void {
    if (FAILED.has(status)) this.#kept.weights[symbol] = null;
  }
}

type PlacingContext = Pick<HookContext, 'view' | 'order'>;

/** True if the position is already 0, with no open order. */
const hasNothing = (symbol: string, { view }: PlacingContext): boolean =>
  view.position(symbol) === 0 && view.orders(symbol).length === 0;

const FAILED: ReadonlySet<OrderView['status']> = new Set([
  'expired',
  'rejected',
  'refused',
  'reverted',
  'dropped',
]);

/** Hooks of a live run: the columns grow by one bar at a time, and all weights are recomputed at each. */
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
