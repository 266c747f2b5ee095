import { DAY_MS } from '../core/brand.ts';
import {
  type RunFigures,
  type TradeFigures,
  from,
  missing,
  quotient,
  type Measure,
  NOTHING,
} from './figures.ts';
import { deviationOf, meanOf, quantileOf, sorted, sumOf } from './moments.ts';

/** Minimum number of trades for statements about future ones. */
export const TRADES_MIN = 10;
const NO_TRADE = 'no trade has closed';
/** Cap on the number of trades in the common variant of the system quality number. */
const SQN_TRADES_MAX = 100;

/** Trades, or closed lots instead, with their name for reasons. */
type TradeInput = Pick<RunFigures, 'trades' | 'marks' | 'closes'> & Readonly<{ noun?: string }>;

/** Return of a trade on the cost of its shares. */
export const returnOf = ({ pnl, shares, entryPrice }: TradeFigures): number => pnl / (shares * entryPrice);

/** Metric of enough trades; with fewer, the reason why it is undefined. */
const ofEnough = ({ trades, noun = 'trades' }: TradeInput, measure: () => Measure): Measure =>
  trades.length < TRADES_MIN ? missing(`${trades.length} ${noun}, but it needs ${TRADES_MIN}`) : measure();

export function tradeMetrics(input: TradeInput, tailRatio: Measure) {
  const { trades, marks } = input;
  const profits = trades.map(({ pnl }) => pnl);
  const [wins, losses] = [profits.filter((pnl) => pnl > 0), profits.filter((pnl) => pnl < 0)];
  const ofTrades = (measure: () => Measure) => ofEnough(input, measure);
  const winRate = ofTrades(() => wins.length / trades.length);
  const averageWin = ofTrades(() => (wins.length === 0 ? missing('no trade has won') : meanOf(wins)));
  const averageLoss = ofTrades(() => (losses.length === 0 ? missing('no trade has lost') : meanOf(losses)));
  const payoff = from(averageWin, (win) => from(averageLoss, (loss) => win / -loss));
  const profitFactor = ofTrades(() => quotient(sumOf(wins), -sumOf(losses), 'the sum of losses'));
  const ofRates = (make: (rate: number, payoff: number) => Measure): Measure =>
    from(winRate, (rate) => from(payoff, (ratio) => make(rate, ratio)));
  const some = (value: number): Measure => (trades.length === 0 ? missing(NO_TRADE) : value);
  return {
    wins: wins.length,
    losses: losses.length,
    breakEvens: trades.length - wins.length - losses.length,
    winRate,
    averageWin,
    averageLoss,
    payoff,
    profitFactor,
    expectancy: ofTrades(() => meanOf(profits)),
    expectancyRatio: ofRates((rate, ratio) => rate * (1 + ratio) - 1),
    expectancyR: ofTrades(() => inRisks(trades)),
    sqn: ofTrades(() => quality(profits, trades.length)),
    sqn100: ofTrades(() => quality(profits, Math.min(trades.length, SQN_TRADES_MAX))),
    kelly: ofRates((rate, ratio) => quotient(rate * ratio - (1 - rate), ratio, 'the payoff')),
    cpc: from(profitFactor, (factor) => ofRates((rate, ratio) => factor * rate * ratio)),
    commonSense: from(profitFactor, (factor) => from(tailRatio, (ratio) => factor * ratio)),
    consecutiveWins: longestRun(profits, 1),
    consecutiveLosses: longestRun(profits, -1),
    runsZScore: ofTrades(() => runsZScore(profits)),
    bestTrade: some(profits.reduce((best, pnl) => Math.max(best, pnl), -Infinity)),
    worstTrade: some(profits.reduce((worst, pnl) => Math.min(worst, pnl), Infinity)),
    tradesPerDay: marks.length === 0 ? missing('no session was marked') : trades.length / marks.length,
  };
}

function inRisks(trades: readonly TradeFigures[]): Measure {
  const multiples = trades.flatMap(({ pnl, risk = 0 }) => (risk > 0 ? [pnl / risk] : []));
  return multiples.length < TRADES_MIN ? missing('too few trades have a stated risk') : meanOf(multiples);
}

const quality = (profits: readonly number[], count: number): Measure =>
  quotient(Math.sqrt(count) * meanOf(profits), deviationOf(profits), 'the deviation of profits');

function longestRun(profits: readonly number[], sign: 1 | -1): number {
  let [longest, run] = [0, 0];
  for (const pnl of profits) {
    run = pnl * sign > 0 ? run + 1 : 0;
    longest = Math.max(longest, run);
  }
  return longest;
}

/**
 * Runs test of Wald and Wolfowitz: below 0 wins follow wins, above 0 wins and losses alternate. Trades without profit
 * or loss are excluded.
 */
function runsZScore(profits: readonly number[]): Measure {
  const signs = profits.filter((pnl) => pnl !== 0).map((pnl) => pnl > 0);
  const [n, wins] = [signs.length, signs.filter(Boolean).length];
  const runs = signs.filter((sign, index) => index === 0 || sign !== signs[index - 1]).length;
  const expected = (2 * wins * (n - wins)) / n + 1;
  const variance = ((expected - 1) * (expected - 2)) / (n - 1);
  return quotient(runs - expected, Math.sqrt(Math.max(variance, 0)), 'the deviation of runs');
}

/** Holding times of trades, in days of 24 hours. @param open holding times of lots still held */
export function durationMetrics({ trades }: Pick<RunFigures, 'trades'>, open: readonly number[] = []) {
  const days = trades.map(({ entryAt, exitAt }) => (exitAt - entryAt) / DAY_MS);
  const held = [...days, ...open];
  const all = sorted(held);
  const some = (values: Readonly<{ length: number }>, value: () => number, what = NO_TRADE): Measure =>
    values.length === 0 ? missing(what) : value();
  const mean = (of: readonly number[], what: string) => some(of, () => meanOf(of), what);
  const daysOf = (wins: (pnl: number) => boolean) =>
    days.filter((_, index) => wins(trades[index]?.pnl ?? NaN));
  return {
    tradeDaysMean: mean(held, NO_TRADE),
    tradeDaysMedian: some(all, () => quantileOf(all, 0.5)),
    tradeDaysMax: some(all, () => all.at(-1) ?? NaN),
    winnerDaysMean: mean(
      daysOf((pnl) => pnl > 0),
      'no trade has won',
    ),
    loserDaysMean: mean(
      daysOf((pnl) => pnl < 0),
      'no trade has lost',
    ),
  };
}

/** Group of trades: their number, profit in mUSD, and number of wins. */
export type TradeGroup = Readonly<{ name: string; trades: number; pnl: number; wins: number }>;

/** Groups of trades, most profitable first. @param nameOf group of a trade, such as its symbol or exit reason */
export function groupTrades<Trade extends Pick<TradeFigures, 'pnl'>>(
  trades: readonly Trade[],
  nameOf: (trade: Trade) => string,
): TradeGroup[] {
  const groups = new Map<string, { name: string; trades: number; pnl: number; wins: number }>();
  for (const trade of trades) {
    const name = nameOf(trade);
    const group = groups.get(name) ?? { name, trades: 0, pnl: 0, wins: 0 };
    groups.set(name, group);
    group.trades++;
    group.pnl += trade.pnl;
    if (trade.pnl > 0) group.wins++;
  }
  return [...groups.values()].sort((a, b) => b.pnl - a.pnl);
}

/** Excursions of trades while they were held. */
export function excursionMetrics(input: TradeInput) {
  const { trades, closes = {} } = input;
  const of = (measure: () => Measure) => ofEnough(input, measure);
  return {
    averageMae: of(() => meanOf(trades.map(({ mae }) => mae))),
    averageMfe: of(() => meanOf(trades.map(({ mfe }) => mfe))),
    endTradeDrawdown: of(() =>
      meanOf(trades.map((trade) => trade.mfe - (trade.exitPrice / trade.entryPrice - 1))),
    ),
    edgeRatio: of(() => edgeRatio(trades, closes)),
  };
}

/** Excursions of each trade over the volatility of its symbol, so that volatile symbols do not dominate. */
function edgeRatio(trades: readonly TradeFigures[], closes: NonNullable<RunFigures['closes']>): Measure {
  const deviations = new Map(
    Object.entries(closes).map(([symbol, prices]) => [symbol, deviationOf(changes(prices))]),
  );
  const scales = trades.map(({ symbol }) => deviations.get(symbol) ?? NaN);
  if (scales.some((deviation) => !(deviation > NOTHING)))
    return missing('the volatility of a symbol is not known');
  return quotient(
    meanOf(trades.map(({ mfe }, index) => mfe / (scales[index] ?? NaN))),
    meanOf(trades.map(({ mae }, index) => -mae / (scales[index] ?? NaN))),
    'the mean adverse excursion',
  );
}

const changes = (prices: readonly (number | null)[]): number[] =>
  prices.flatMap((price, index) => {
    const before = prices[index - 1] ?? null;
    return price === null || before === null ? [] : [price / before - 1];
  });
