import { tradingCalendar, type TradingCalendar } from '../../calendar/index.ts';
import { epochMs, toIso, type EpochMs } from '../../core/brand.ts';
import { countWhile } from '../../core/countWhile.ts';
import { ConfigError, StrategyError } from '../../core/errors.ts';
import type { Interval } from '../../domain/bar.ts';
import type { DataNeeds, StrategyDefinition } from '../../strategy/contract.ts';
import { needsOf, WARM_UP_MAX } from '../../strategy/dataNeeds.ts';
import { decisionsOf, undecidedIn, type Decision, endOf } from './lookahead.ts';
import { spanOf, type BacktestBars, type BacktestOptions, type BacktestStrategy } from '../options.ts';

/** Warm-up bars that a strategy declares, and the smallest tested number that is enough; null when none was. */
type WarmUpOfSeries = Readonly<{
  symbol: string;
  interval: Interval;
  declared: number;
  enough: number | null;
}>;

/** First decision of a strategy that changes with more bars before the start. Null: no decision at that instant. */
export type WarmUpMove = Readonly<{
  strategy: string;
  at: string;
  withDeclared: string | null;
  withMore: string | null;
  series: readonly WarmUpOfSeries[];
}>;

/**
 * `asked`: number of strategies that request bars. `starts`: number of later starts tried; 0 if there are too few bars.
 * `times`: largest multiple of the warm-up before each start. `undecided`: strategies that made no decision after any
 * start, which were not checked. `found`: one entry for each strategy whose decisions change.
 */
export type WarmUpCheck = Readonly<{
  asked: number;
  starts: number;
  times: number;
  decisions: number;
  undecided: readonly string[];
  found: readonly WarmUpMove[];
}>;

/** Multiples of the declared warm-up to try. */
const FACTORS = [2, 4, 8, 16] as const;
/** Minimum number of bars added per multiple: an indicator may need a warm-up that is not declared. */
const LEAST_BARS = 20;
const STARTS_MAX = 10;
/** Relative difference between numbers in two decisions that still counts as rounding of a recursive indicator. */
const SAME_PART = 0.001;

/**
 * Starts a backtest later, once with the declared warm-up and once with a multiple of it. If the warm-up is long
 * enough, the decisions are the same; an indicator that is computed from its own last value may need several times its
 * length. Effects that never change a decision are not detected.
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

/** First difference of a strategy, and the smallest multiple that was enough at every start; Infinity for none. */
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

/** Backtests of one span, by multiple of the warm-up. */
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

  /** Smallest multiple tried that leads to the same decisions as the largest; Infinity if only the largest does. */
  async enough(id: string, most: number): Promise<number> {
    const long = ofStrategy(await this.with(most), id);
    for (const times of FACTORS) {
      if (times >= most) break;
      if (!differenceOf(ofStrategy(await this.with(times), id), long)) return times;
    }
    return Infinity;
  }
}

/** Decisions of a run; an error that a strategy throws counts as a decision. */
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

/** True for decisions with the same wording whose numbers differ only by rounding. */
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

/** Largest multiple that leaves at least half of the span to play, with the spans; no spans if there is none. */
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

/** Earliest instant at which every series has the bars of that multiple before it; Infinity for none. */
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

/** Spans with about equal numbers of bars, together covering the time between two instants. */
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
