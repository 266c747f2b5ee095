import { tradingCalendar, type TradingCalendar } from '../../calendar/index.ts';
import { epochMs, toIso, type EpochMs } from '../../core/brand.ts';
import { countWhile } from '../../core/countWhile.ts';
import { ConfigError, StrategyError } from '../../core/errors.ts';
import type { Interval } from '../../domain/bar.ts';
import type { DataNeeds, StrategyDefinition } from '../../strategy/contract.ts';
import { needsOf, WARM_UP_MAX } from '../../strategy/dataNeeds.ts';
import { decisionsOf, undecidedIn, type Decision, endOf } from './lookahead.ts';
import { spanOf, type BacktestBars, type BacktestOptions, type BacktestStrategy } from '../options.ts';

/** Bars that a strategy declares for its warm-up, and the least number tried that is enough; null when none was. */
type WarmUpOfSeries = Readonly<{
  symbol: string;
  interval: Interval;
  declared: number;
  enough: number | null;
}>;

/** First decision of a strategy that more bars before the start change. Null for none at that instant. */
export type WarmUpMove = Readonly<{
  strategy: string;
  at: string;
  withDeclared: string | null;
  withMore: string | null;
  series: readonly WarmUpOfSeries[];
}>;

/**
 * `asked`: number of strategies that ask for bars. `starts`: later starts that were tried; 0 if the bars are too few. `times`:
 * largest multiple of the warm-up before each. `undecided`: strategies without a decision after any of the starts, of which nothing
 * was checked. `found`: one for each strategy whose decisions still move.
 */
export type WarmUpCheck = Readonly<{
  asked: number;
  starts: number;
  times: number;
  decisions: number;
  undecided: readonly string[];
  found: readonly WarmUpMove[];
}>;

/** Multiples of the declared warm-up that are tried. */
const FACTORS = [2, 4, 8, 16] as const;
/** Bars by which a shorter warm-up grows: an indicator may hide behind one that is not declared. */
const LEAST_BARS = 20;
const STARTS_MAX = 10;
/** Difference of two numbers in a decision, as a part of them, that is the rounding of a recursive indicator. */
const SAME_PART = 0.001;

/**
 * Starts a backtest later, each time with the declared warm-up and with many times as many bars before it. A strategy whose
 * warm-up is long enough decides the same; an indicator that is computed from its own last value may need several times its
 * length. What never changes a decision is not seen.
 * @throws what `runBacktest` throws
 */
export async function checkWarmUp(given: BacktestOptions, starts: number): Promise<WarmUpCheck> {
  const options: BacktestOptions = { ...given, delisted: 'last' };
  const strategies = checkedOf(options).filter(({ needs }) => (needs.bars?.length ?? 0) > 0);
  const { times, spans } = planOf(options, strategies, Math.min(starts, STARTS_MAX));
  const found = new Map<string, WarmUpFinding>();
  const decisions: Decision[] = [];
  for (const span of spans) {
    const runs = new Runs({ ...options, ...span }, strategies);
    const [short, long] = [await runs.with(1), await runs.with(times)];
    decisions.push(...long);
    for (const { id, needs } of strategies) {
      const difference = differenceOf(ofStrategy(short, id), ofStrategy(long, id));
      if (!difference) continue;
      const before = found.get(id);
      const enough = Math.max(before?.enough ?? 0, await runs.enough(id, times));
      found.set(id, { needs, enough, difference: before?.difference ?? difference });
    }
  }
  return {
    asked: strategies.length,
    starts: spans.length,
    times,
    decisions: decisions.length,
    undecided: undecidedIn(
      strategies.map(({ id }) => id),
      decisions,
    ),
    found: [...found].map(([id, own]) => moveOf(id, own)),
  };
}

/** First difference of a strategy, and the least multiple that was enough at every start; Infinity for none. */
type WarmUpFinding = Readonly<{ needs: DataNeeds; enough: number; difference: Difference }>;

const moveOf = (
  strategy: string,
  { needs: { bars = [] }, enough, difference }: WarmUpFinding,
): WarmUpMove => ({
  strategy,
  ...difference,
  series: bars.map(({ symbol, interval, warmUp = 0 }) => ({
    symbol,
    interval,
    declared: warmUp,
    enough: enough === Infinity ? null : barsFor(warmUp, enough),
  })),
});

type Subject = Readonly<{ id: string; given: BacktestStrategy; needs: DataNeeds }>;
type Span = Readonly<{ from: EpochMs; to: EpochMs }>;

/** Backtests of one span, by the multiple of the warm-up. */
class Runs {
  readonly #options: BacktestOptions;
  readonly #strategies: readonly Subject[];
  readonly #decisions = new Map<number, readonly Decision[]>();

  constructor(
    { strategy: _strategy, params: _params, ...options }: BacktestOptions,
    strategies: readonly Subject[],
  ) {
    this.#options = options;
    this.#strategies = strategies;
  }

  async with(times: number): Promise<readonly Decision[]> {
    const known = this.#decisions.get(times);
    if (known) return known;
    const strategies = this.#strategies.map(({ id, given }) => ({
      ...given,
      id,
      definition: widened(given.definition, times),
    }));
    const decisions = await decidedBy({ ...this.#options, strategies });
    this.#decisions.set(times, decisions);
    return decisions;
  }

  /** Minimum multiple tried that leads to the decisions of the largest; Infinity where only that one does. */
  async enough(id: string, most: number): Promise<number> {
    const long = ofStrategy(await this.with(most), id);
    for (const times of FACTORS) {
      if (times >= most) break;
      if (!differenceOf(ofStrategy(await this.with(times), id), long)) return times;
    }
    return Infinity;
  }
}

/** Decisions of a run; a strategy that throws decides that. */
async function decidedBy(options: BacktestOptions): Promise<readonly Decision[]> {
  try {
    return await decisionsOf(options);
  } catch (error) {
    if (!(error instanceof StrategyError)) throw error;
    const { strategy = '' } = error.details as Readonly<{ strategy?: string }>;
    return [{ at: epochMs(spanOf(options).from), strategy, what: error.message, ofBar: true }];
  }
}

const ofStrategy = (decisions: readonly Decision[], id: string): Decision[] =>
  decisions.filter(({ strategy }) => strategy === id);

const widened = (definition: StrategyDefinition, times: number): StrategyDefinition => ({
  ...definition,
  data: (params) => {
    const needs = definition.data(params);
    if (times === 1 || !needs.bars) return needs;
    return { ...needs, bars: needs.bars.map((need) => ({ ...need, warmUp: barsFor(need.warmUp, times) })) };
  },
});

const barsFor = (declared = 0, times: number): number =>
  Math.min(WARM_UP_MAX, declared + Math.max(declared, LEAST_BARS) * (times - 1));

type Difference = Pick<WarmUpMove, 'at' | 'withDeclared' | 'withMore'>;

function differenceOf(short: readonly Decision[], long: readonly Decision[]): Difference | null {
  const length = Math.max(short.length, long.length);
  for (let index = 0; index < length; index++) {
    const [a, b] = [short[index], long[index]];
    if (a && b && a.at === b.at && isAlike(a.what, b.what)) continue;
    const at = Math.min(a?.at ?? Infinity, b?.at ?? Infinity);
    const what = (decision: Decision | undefined) => (decision?.at === at ? decision.what : null);
    return { at: toIso(epochMs(at)), withDeclared: what(a), withMore: what(b) };
  }
  return null;
}

const NUMBER = /-?\d+(?:\.\d+)?/g;

/** True for decisions of the same words, whose numbers differ by no more than a rounding. */
function isAlike(a: string, b: string): boolean {
  if (a === b) return true;
  if (a.replace(NUMBER, '#') !== b.replace(NUMBER, '#')) return false;
  const [one, other] = [a, b].map((text) => (text.match(NUMBER) ?? []).map(Number));
  return (one ?? []).every((value, index) => {
    const against = other?.[index] ?? NaN;
    return Math.abs(value - against) <= SAME_PART * Math.max(Math.abs(value), Math.abs(against));
  });
}

type Plan = Readonly<{ times: number; spans: readonly Span[] }>;

/** The largest multiple for which half of the span is left to play, and the spans; no spans if none is. */
function planOf(options: BacktestOptions, strategies: readonly Subject[], starts: number): Plan {
  const { calendar = tradingCalendar, bars } = options;
  const [longest] = [...bars].sort((a, b) => b.start.length - a.start.length);
  const { from, to } = spanOf(options);
  if (longest && strategies.length > 0) {
    const begin = Math.max(from, longest.start[0] ?? NaN);
    const last = Math.min(to, endOf(longest, longest.start.length - 1, calendar));
    for (const times of [...FACTORS].reverse()) {
      const first = Math.max(begin, earliest(bars, { strategies, times, calendar }));
      if (first - begin > (last - begin) / 2) continue;
      return { times, spans: spansOf(longest, { first, last, starts }, calendar) };
    }
  }
  return { times: 1, spans: [] };
}

function checkedOf({ strategy, params, strategies }: BacktestOptions): Subject[] {
  const given = strategies ?? (strategy ? [{ definition: strategy, params }] : []);
  return given.map((one: BacktestStrategy) => {
    const { definition, explain } = one;
    const id = one.id ?? definition.name;
    const parsed = definition.params.safeParse(one.params ?? {});
    if (!parsed.success) throw new ConfigError(`the parameters of ${id} do not fit`, { strategy: id });
    return { id, given: one, needs: needsOf({ id, definition, params: parsed.data, explain }) };
  });
}

type Wide = Readonly<{ strategies: readonly Subject[]; times: number; calendar: TradingCalendar }>;

/** Instant from which on every series has the bars of that multiple before it; Infinity for none. */
function earliest(bars: readonly BacktestBars[], { strategies, times, calendar }: Wide): number {
  const needs = strategies.flatMap((own) => own.needs.bars ?? []);
  return Math.max(
    ...needs.map(({ symbol, interval, warmUp }) => {
      const series = bars.find((each) => each.symbol === symbol && each.interval === interval);
      const count = barsFor(warmUp, times);
      return series && series.start.length > count ? endOf(series, count - 1, calendar) : Infinity;
    }),
  );
}

type Bounds = Readonly<{ first: number; last: number; starts: number }>;

/** Spans of about equal numbers of bars between two instants, each up to the start of the next. */
function spansOf(bars: BacktestBars, { first, last, starts }: Bounds, calendar: TradingCalendar): Span[] {
  const from = countWhile(bars.start, (_start, index) => endOf(bars, index, calendar) <= first);
  const to = countWhile(bars.start, (_start, index) => endOf(bars, index, calendar) <= last);
  const step = Math.max(1, Math.ceil((to - from) / starts));
  const spans: Span[] = [];
  for (let index = from; index < to; index += step) {
    const next = Math.min(index + step, to) - 1;
    spans.push({ from: endOf(bars, index - 1, calendar), to: endOf(bars, next, calendar) });
  }
  return spans;
}
