import { epochMs, toIso } from '../core/brand.ts';
import { messageOf, StrategyError } from '../core/errors.ts';
import { sharesPer } from '../domain/corporateAction.ts';
import { countBefore } from '../market/mergeBars.ts';
import { mapColumns, type BarColumns } from '../domain/barColumns.ts';
import type { DataNeeds, StrategyDefinition, StrategyHooks, StrategyState } from '../strategy/contract.ts';
import { signalBars, SignalOrders, type SignalsDefinition } from '../strategy/signals/defineSignals.ts';
import { ColumnSet } from '../strategy/signals/signalColumns.ts';
import {
  barName,
  changesOf,
  lookAheadIn,
  weightsOf,
  type LookAhead,
  type Signals,
  type WeightChanges,
} from '../strategy/signals/signalWeights.ts';
import type { PlannedSplit } from './actions.ts';
import { rescaleBars, type Tape } from './tape.ts';

/** Signal strategy with checked parameters. */
export type SignalsPlan = Readonly<{
  id: string;
  definition: SignalsDefinition;
  params: unknown;
  needs: DataNeeds;
  explain?: ((thrown: unknown) => string) | undefined;
}>;

/** Bars of a symbol at the start. `first`: first bar that a strategy may see; `skipped`: first bar that is played. */
export type StartedBars = Pick<Tape, 'symbol' | 'interval' | 'columns' | 'first' | 'skipped'>;

type Bars = Readonly<{
  tapes: readonly StartedBars[];
  /** Splits after the start, in time order. */
  splits: readonly PlannedSplit[];
  /** Maximum number of rows of the histories used to test whether weights depend on later bars. */
  historyMax: number;
}>;

/** Rows between two splits. `first`: index of the first among all played; `changes`: by symbol, counted from there. */
export type SignalSegment = Readonly<{ first: number; changes: readonly WeightChanges[] }>;

/** Weights of a run. `start`: bar start of each row played. */
export type SignalRun = Readonly<{
  symbols: readonly string[];
  start: Float64Array;
  segments: readonly SignalSegment[];
}>;

/**
 * Computes all weights of a run before it is played. After a split of one of its stocks, a strategy is built again on
 * bars in post-split shares, beginning with its requested warm-up.
 * @throws {StrategyError} for an error of `signals`, for wrong weights, and for look-ahead, naming the bar
 */
export function signalRunOf(plan: SignalsPlan, bars: Bars): SignalRun {
  const symbols = guarded(plan, () => signalBars(plan.needs)).map(({ symbol }) => symbol);
  const starts: Float64Array[] = [];
  const segments: SignalSegment[] = [];
  let rows = 0;
  for (const { columns, first } of stretchesOf(plan, bars)) {
    const changes = guarded(plan, () => changesOfAll(plan, { columns, first, ...bars }));
    segments.push({ first: rows, changes });
    starts.push(columns.start.subarray(first));
    rows += columns.start.length - first;
  }
  const [only] = starts;
  return { symbols, segments, start: starts.length === 1 && only ? only : concatenated(starts, rows) };
}

function concatenated(parts: readonly Float64Array[], length: number): Float64Array {
  const all = new Float64Array(length);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** Bars of a segment with its warm-up. `first`: first row that is played. */
type Stretch = Readonly<{ columns: ColumnSet; first: number }>;

function* stretchesOf({ needs }: SignalsPlan, { tapes, splits }: Bars): Iterable<Stretch> {
  const now = new Map<string, NeededBars>(
    (needs.bars ?? []).flatMap(({ symbol, interval, warmUp = 0 }) => {
      const tape = tapes.find((each) => each.symbol === symbol && each.interval === interval);
      if (!tape) return [];
      const { columns, first, skipped } = tape;
      return [[symbol, { symbol, columns, first, skipped, warmUp }]];
    }),
  );
  const own = splits.filter(({ action }) => now.has(action.symbol));
  const opens = [...new Set(own.map(({ open }) => open))].sort((a, b) => a - b);
  for (const [index, from] of [-Infinity, ...opens].entries()) {
    for (const { action } of own.filter(({ open }) => open === from)) {
      const bars = now.get(action.symbol);
      if (bars) bars.columns = rescaled(bars.columns, from, sharesPer(action));
    }
    const stretch = stretchOf([...now.values()], from, opens[index] ?? Infinity);
    if (stretch) yield stretch;
  }
}

type NeededBars = Readonly<{ symbol: string; first: number; skipped: number; warmUp: number }> & {
  columns: BarColumns;
};

/** Bars between two instants, preceded by the warm-up of each symbol; null if none is played. */
function stretchOf(bars: readonly NeededBars[], from: number, until: number): Stretch | null {
  const places = bars.map(({ symbol, columns, first, skipped, warmUp }) => {
    const shown = Math.max(skipped, countBefore(columns.start, from));
    const begin = Math.max(first, shown - warmUp);
    const end = Math.max(shown, countBefore(columns.start, until));
    const own = mapColumns(columns, (column) => column.subarray(begin, end));
    return { symbol, columns: own, warm: shown - begin };
  });
  const columns = new ColumnSet(new Map(places.map((each) => [each.symbol, each.columns])));
  const firsts = places.flatMap(({ symbol, warm, columns: own }) =>
    warm < own.start.length ? [columns.rowsOf(symbol)?.[warm] ?? warm] : [],
  );
  return firsts.length === 0 ? null : { columns, first: Math.min(...firsts) };
}

function rescaled(columns: BarColumns, before: number, per: number): BarColumns {
  const copy = { ...mapColumns(columns, (column) => column.slice()), start: columns.start };
  rescaleBars(copy, before, per);
  return copy;
}

type StretchHistory = Stretch & Pick<Bars, 'historyMax'>;

function changesOfAll(plan: SignalsPlan, { columns, first, historyMax }: StretchHistory): WeightChanges[] {
  const signals: Signals = (given) => plan.definition.signals(given, plan.params);
  const weights = weightsOf(signals, columns);
  const found = lookAheadIn(signals, { columns, weights }, historyMax);
  if (found) throw lookAheadError(plan, columns, found);
  return weights.map((column) => changesOf(column, first, columns));
}

/** @throws {StrategyError} for any error of the strategy's code */
function guarded<Made>({ id, explain = messageOf }: SignalsPlan, make: () => Made): Made {
  try {
    return make();
  } catch (thrown) {
    if (thrown instanceof StrategyError) throw thrown;
    throw new StrategyError(
      `strategy ${id}: its signals cannot be computed: ${explain(thrown)}`,
      { strategy: id },
      { cause: thrown },
    );
  }
}

function lookAheadError({ id: strategy }: SignalsPlan, columns: ColumnSet, found: LookAhead): StrategyError {
  const bar = barName(columns, found.row);
  const text = (weight: number) => (Number.isNaN(weight) ? 'none' : String(weight));
  const [withFuture, withoutFuture] = [found.with, found.without].map(
    (weight) => `weight of ${found.symbol} ${text(weight)}`,
  );
  return new StrategyError(
    `strategy ${strategy} looks ahead: its weight of ${found.symbol} at the bar of ${bar} is ${text(found.with)}, but ` +
      `${text(found.without)} while the bars after that of ${barName(columns, found.known - 1)} are not known. ` +
      'A weight may depend only on the bars up to its own',
    { strategy, at: bar, withFuture, withoutFuture },
  );
}

/** Weights in force, row by row. */
export class WeightCursor {
  /** By symbol; NaN for none. */
  readonly inForce: Float64Array;
  readonly changes: MergedChanges;
  /** Number of changes applied so far. */
  passed = 0;

  constructor(run: SignalRun) {
    this.changes = mergedChanges(run);
    this.inForce = new Float64Array(run.symbols.length).fill(NaN);
  }

  /** Row of the next change; Infinity for none. */
  get next(): number {
    return this.changes.rows[this.passed] ?? Infinity;
  }

  /** Advances to a row. */
  advance(row: number): void {
    const { rows, symbols, weights } = this.changes;
    for (; (rows[this.passed] ?? Infinity) <= row; this.passed++) {
      const symbol = symbols?.[this.passed] ?? 0;
      if (symbol === EVERY) this.inForce.fill(NaN);
      else this.inForce[symbol] = weights[this.passed] ?? NaN;
    }
  }

  /** Index of a symbol's change at a row if that is the latest change applied; otherwise -1. */
  changeAt(row: number, symbol: number): number {
    const { rows, symbols } = this.changes;
    const latest = this.passed - 1;
    return rows[latest] === row && (symbols?.[latest] ?? 0) === symbol ? latest : -1;
  }
}

/** Changes of all symbols in row order. `symbols`: null if there is only one. */
export type MergedChanges = Readonly<{ rows: Int32Array; symbols: Int32Array | null; weights: Float64Array }>;

/** Symbol index that stands for all: the weights of every symbol are reset. */
const EVERY = -1;

function mergedChanges({ symbols, segments }: SignalRun): MergedChanges {
  const [first] = segments;
  const [only] = first?.changes ?? [];
  if (segments.length === 1 && symbols.length === 1 && only) return { ...only, symbols: null };
  const all = segments.flatMap(({ first: from, changes }) => [
    { row: from, symbol: EVERY, weight: NaN },
    ...changes.flatMap(({ rows, weights }, symbol) =>
      Array.from(rows, (row, index) => ({ row: from + row, symbol, weight: weights[index] ?? NaN })),
    ),
  ]);
  all.sort((a, b) => a.row - b.row || a.symbol - b.symbol);
  return {
    rows: Int32Array.from(all, ({ row }) => row),
    symbols: Int32Array.from(all, ({ symbol }) => symbol),
    weights: Float64Array.from(all, ({ weight }) => weight),
  };
}

/** Signal strategy in a backtest: its weights are computed once and looked up at each bar. */
export class PlayedSignals {
  readonly #plan: SignalsPlan;
  #run: (SignalRun & Readonly<{ weights: WeightCursor }>) | null = null;
  /** Number of rows played. */
  #passed = 0;

  constructor(plan: SignalsPlan) {
    this.#plan = plan;
  }

  /** Strategy that looks up its weights. */
  get definition(): StrategyDefinition {
    return { ...this.#plan.definition, create: ({ state }) => this.#hooks(state) };
  }

  /** @throws as `signalRunOf` does */
  compute(bars: Omit<Bars, 'historyMax'>): void {
    const run = signalRunOf(this.#plan, { ...bars, historyMax: Infinity });
    this.#run = { ...run, weights: new WeightCursor(run) };
  }

  #hooks(state: StrategyState): StrategyHooks {
    const symbols = this.#run?.symbols ?? [];
    const orders = new SignalOrders(symbols, state);
    const onOrder: StrategyHooks['onOrder'] = ({ update }) => {
      orders.ended(update);
    };
    const decide = (at: number, context: Parameters<SignalOrders['place']>[2]) => {
      const inForce = this.#at(at);
      if (inForce) orders.place(inForce, () => toIso(epochMs(at)), context);
    };
    // Bars of one instant are delivered together only for several symbols, because that is slower.
    if (symbols.length === 1) return { onOrder, onBar: ({ bar, ...context }) => decide(bar.start, context) };
    return {
      onOrder,
      onBars: ({ bars, ...context }) => decide(Math.max(...bars.map(({ start }) => start)), context),
    };
  }

  /** Weights in force for a bar start; null for a bar of the warm-up. */
  #at(at: number): Float64Array | null {
    const run = this.#run;
    if (!run || !((run.start[this.#passed] ?? Infinity) <= at)) return null;
    while ((run.start[this.#passed] ?? Infinity) <= at) this.#passed++;
    run.weights.advance(this.#passed - 1);
    return run.weights.inForce;
  }
}
