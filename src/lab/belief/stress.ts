import { actionsOf, isSplit, type PlannedSplit } from '../../backtest/actions.ts';
import { tradingCalendar, type Session } from '../../calendar/index.ts';
import { sharesPer } from '../../domain/corporateAction.ts';
import type { BacktestResult } from '../../backtest/result.ts';
import { slippageOf, type BacktestBars, type BacktestOptions } from '../../backtest/options.ts';
import { runBacktest } from '../../backtest/runBacktest.ts';
import { parseFees } from '../../domain/fees.ts';
import type { Clock } from '../../core/clock.ts';
import { counted } from '../../core/counted.ts';
import type { Random } from '../../core/random.ts';
import { seededRandom } from '../../core/seededRandom.ts';
import { missing, type Missing } from '../../statistics/figures.ts';
import { growthOf, quantileOf, sorted, deviationOf } from '../../statistics/moments.ts';
import { InvalidValueError, InvariantError } from '../../core/errors.ts';
import { StudyTrials } from '../trials/studyTrials.ts';
import { columnsOf, type BarColumns } from '../../domain/barColumns.ts';

/** Result of the chosen parameters at doubled costs. */
export type CostsDoubled = Readonly<{ totalReturn: number | null; sharpe: number | null }>;

/** Sharpe ratios over noisy prices, sorted. */
export type PriceNoise = Readonly<{ size: number; sharpes: readonly number[]; median: number }>;

/** Market crisis that the run covers. Returns are fractions: -0.2 is a loss of 20 %. */
export type CrisisReturn = Readonly<{
  name: string;
  from: string;
  to: string;
  own: number;
  held: number | null;
}>;

/** Doubles the fees, and the slippage if there is any. */
export async function costsDoubled(options: BacktestOptions): Promise<CostsDoubled> {
  const { buyMintFeeBps, buyProtocolFeeBps, sellProtocolFeeBps } = parseFees(options.fees ?? 'venue');
  const fees = `rates:${2 * buyMintFeeBps}/${2 * buyProtocolFeeBps}/${2 * sellProtocolFeeBps}`;
  const { outside } = options;
  const slippage = twice(slippageOf(options));
  const night = outside?.slippage && { outside: { ...outside, slippage: twice(outside.slippage) } };
  const { metrics } = await runBacktest({ ...options, ...night, fees, slippage });
  return { totalReturn: metrics.totalReturn, sharpe: metrics.sharpe };
}

function twice(slippage: string): string {
  const [kind = '', size] = slippage.split(':');
  return size === undefined ? kind : `${kind}:${2 * Number(size)}`;
}

const NOISE_SIZE = 0.2;
const NOISE_RUNS = 20;
/** Maximum number of bars for runs with noise: with more, the twenty runs would take longer than many a search. */
const NOISE_BARS_MAX = 1_000_000;

/** Callbacks of long work between its steps. `isStopped`: true once it should end. */
export type Watch = Readonly<{ onStep: (text: string) => void; isStopped: () => boolean; clock: Clock }>;

/**
 * Runs over prices with noise of a fifth of a bar's usual move: a result that depends on the exact prices disappears.
 * Null when stopped; missing with more than a million bars.
 */
export async function priceNoise(
  options: BacktestOptions,
  seed: number,
  { onStep, isStopped, clock }: Watch,
): Promise<PriceNoise | Missing | null> {
  const all = [...options.bars, ...(options.outside?.bars ?? [])];
  const bars = all.reduce((sum, { start }) => sum + start.length, 0);
  if (bars > NOISE_BARS_MAX)
    return missing(
      `not run on more than ${counted(NOISE_BARS_MAX, 'bar')}, and there are ${counted(bars, 'bar')}: repeat the study on fewer with --from`,
    );
  const sharpes: number[] = [];
  for (let run = 0; run < NOISE_RUNS; run++) {
    onStep(`noise on prices, ${run + 1} of ${NOISE_RUNS}`);
    await clock.sleep(0);
    if (isStopped()) return null;
    sharpes.push(await sharpeWithNoise(options, { random: seededRandom(`${seed} noise ${run}`), clock }));
  }
  const ascending = sorted(sharpes);
  return { size: NOISE_SIZE, sharpes: [...ascending], median: quantileOf(ascending, 0.5) };
}

/** Sharpe ratio of a trial over noisy bars. Errors of such a run are reported by the backtest itself. */
async function sharpeWithNoise(
  { strategies: [strategy] = [], from = -Infinity, to = Infinity, ...options }: BacktestOptions,
  { random, clock }: Pick<Watch, 'clock'> & Readonly<{ random: Random }>,
): Promise<number> {
  if (!strategy) throw new InvariantError('noise on the prices of no strategy');
  const splits = actionsOf(options, options.calendar ?? tradingCalendar).filter(isSplit);
  const made = ({ symbol, interval, ...columns }: BacktestBars): BacktestBars => {
    const own = splits.filter(({ action }) => action.symbol === symbol);
    return { symbol, interval, ...noisyBars(columns, { random, size: NOISE_SIZE, splits: own }) };
  };
  const { outside } = options;
  const night = outside && { outside: { ...outside, bars: outside.bars.map(made) } };
  const noisy = { ...options, bars: options.bars.map(made), ...night, benchmark: 'none' };
  const setup = { options: noisy, strategy, objectives: [], functions: {}, clock };
  const outcome = await new StudyTrials(setup).run({ params: {}, span: { from, to } });
  if (outcome.state === 'done') return outcome.headline.sharpe ?? 0;
  const { metrics } = await runBacktest({ ...noisy, strategies: [strategy], from, to });
  return metrics.sharpe ?? 0;
}

/** Declines of the US market by date, from the preceding high to the low or the recovery of confidence. */
const CRISES = [
  ['Dot-com bust', '2000-03-24', '2002-10-09'],
  ['Financial crisis', '2007-10-09', '2009-03-09'],
  ['Flash crash and euro fears', '2010-04-23', '2010-07-02'],
  ['Downgrade of the US', '2011-07-07', '2011-10-03'],
  ['China fears', '2015-07-20', '2016-02-11'],
  ['Volatility spike', '2018-01-26', '2018-02-08'],
  ['Rate fears', '2018-09-20', '2018-12-24'],
  ['Covid crash', '2020-02-19', '2020-03-23'],
  ['Inflation bear market', '2022-01-03', '2022-10-12'],
  ['Tariff shock', '2025-02-19', '2025-04-08'],
] as const;

/** Minimum number of sessions of a crisis for a run to have covered it. */
const SESSIONS_MIN = 5;

/** Returns within each crisis that the run covers at least partly, with those of holding its stocks. */
export function crisisReturns(
  { marks, equity }: Pick<BacktestResult, 'marks' | 'equity'>,
  sessions: readonly Session[],
  held: Float64Array | null,
): CrisisReturn[] {
  const before = [Number(equity.start), ...marks.map((mark) => mark.equity)];
  const places = new Map(sessions.map(({ date }, place) => [date, place]));
  return CRISES.flatMap(([name, from, to]) => {
    const within = marks.flatMap(({ date }, place) => (date > from && date <= to ? [{ date, place }] : []));
    const [first, last] = [within[0], within.at(-1)];
    if (!first || !last || within.length < SESSIONS_MIN) return [];
    const own = (before[last.place + 1] ?? NaN) / (before[first.place] ?? NaN) - 1;
    const alike = held && within.map(({ date }) => held[places.get(date) ?? -1] ?? 0);
    return [{ name, from: first.date, to: last.date, own, held: alike && growthOf(alike) - 1 }];
  });
}

/**
 * Bars with noise on all prices: each open, high, low and close times e^(s·z), with z standard normal and s a fraction
 * of the deviation of log returns from close to close. High and low are widened to enclose open and close. Noise is not
 * carried into the next bar, so the series does not drift. Times and volumes are kept; a split is no move.
 *
 * @param size noise as a fraction of that deviation, such as 0.1
 * @throws {InvalidValueError} for a size below 0
 */
export function noisyBars(
  bars: BarColumns,
  { random, size, splits = [] }: Readonly<{ random: Random; size: number; splits?: readonly PlannedSplit[] }>,
): BarColumns {
  if (!(size >= 0 && size < Infinity))
    throw new InvalidValueError(
      `noise of size ${size}: write a fraction of the usual move of a bar, such as 0.1`,
    );
  const { close } = bars;
  const sharesSince = (start = NaN) =>
    splits.reduce((shares, { action, open }) => (start < open ? shares * sharesPer(action) : shares), 1);
  const present = close.map((price, at) => price / sharesSince(bars.start[at]));
  const changes = present
    .map((price, at) => (at === 0 ? 0 : Math.log(price / (present[at - 1] ?? NaN))))
    .slice(1);
  const scale = changes.length > 1 ? size * deviationOf(changes) : 0;
  const noisy = (price = NaN) => price * Math.exp(scale * normalOf(random));
  const made = columnsOf(close.length);
  made.start.set(bars.start);
  made.volume.set(bars.volume);
  for (let at = 0; at < close.length; at++) {
    const [open, last] = [noisy(bars.open[at]), noisy(close[at])];
    made.open[at] = open;
    made.close[at] = last;
    made.high[at] = Math.max(noisy(bars.high[at]), open, last);
    made.low[at] = Math.min(noisy(bars.low[at]), open, last);
  }
  return made;
}

/** Standard normal number (Box–Muller). */
const normalOf = (random: Random): number =>
  Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
