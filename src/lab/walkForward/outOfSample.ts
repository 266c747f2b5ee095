import {
  modelOf,
  type BacktestOptions,
  type MarketModel,
  type SaleAtClose,
  type UnpaidDividend,
} from '../../backtest/options.ts';
import { marksPerYear } from '../../backtest/figures.ts';
import type { BacktestResult } from '../../backtest/result.ts';
import { runBacktest } from '../../backtest/runBacktest.ts';
import { cash, toNumber, wadFromNumber } from '../../core/amount.ts';
import { counted } from '../../core/counted.ts';
import { feeOf } from '../../domain/fees.ts';
import type { FillFigures, MarkFigures, RunFigures, TradeFigures } from '../../statistics/figures.ts';
import { metricsOf, type Metrics } from '../../statistics/metrics.ts';
import type { ParamSet } from '../search/space.ts';
import { trialOptions } from '../trials/kernelTrials.ts';
import type { Span, TrialSetup } from '../trials/trial.ts';

/** Part of a walk-forward, traded with the parameters chosen before it; null: none was chosen, so it holds cash. */
export type ChosenPart = Readonly<{ span: Span; params: ParamSet | null }>;

/** Result of a part. `runId`: of its backtest; null if nothing was traded. */
export type TradedPart = ChosenPart &
  Readonly<{
    runId: string | null;
    start: number;
    end: number;
    /** Dividends still due, in mUSD, included in the final equity. */
    receivable: number;
    /** Value of shares that could not be sold, in mUSD: in the final equity at the last close, without costs. */
    unsold: number;
    trades: number;
    metrics: Metrics['metrics'];
  }>;

/** Out-of-sample parts as one run: the result that a trader would have had. */
export type OutOfSample = Readonly<{
  figures: RunFigures;
  metrics: Metrics['metrics'];
  notes: Metrics['notes'];
  parts: readonly TradedPart[];
}>;

/** Sentence about stock that could not be sold in the last bars of parts; null if all was sold. */
export function unsoldText(parts: readonly Pick<TradedPart, 'unsold'>[]): string | null {
  const left = parts.filter(({ unsold }) => unsold > 0);
  if (left.length === 0) return null;
  const sum = left.reduce((all, { unsold }) => all + unsold, 0);
  return `${sum.toFixed(2)} mUSD of stock was not sold at the end of ${counted(left.length, 'part')} out of sample: the last bar had too little volume, so it counts at the close, without costs`;
}

type Dates = readonly Readonly<{ date: string; at: number }>[];

/** Options of the walk-forward: sessions of each part by their closes, for parts that hold cash. */
export type WalkOptions = Readonly<{
  setup: TrialSetup;
  datesOf: (span: Span) => Dates;
  startEquity: number;
}>;

/** Part of a run that is joined to others. */
type Stretch = Readonly<{
  marks: readonly MarkFigures[];
  trades: readonly TradeFigures[];
  lots: readonly TradeFigures[];
  fills: readonly FillFigures[];
  unsold: number;
}>;

/**
 * Trades each part with its parameters through the engine, one after another, with the money left by the previous part.
 * At the end of a part all holdings are sold at the last close, by the fill model and with fees: the next part starts
 * with cash, and with the dividends still due. Shares that the last bar cannot absorb count at its close.
 * @throws what `runBacktest` throws
 */
export async function tradeParts(parts: readonly ChosenPart[], options: WalkOptions): Promise<OutOfSample> {
  const { setup, datesOf, startEquity } = options;
  const { riskFree = 0, seed = 0 } = setup.options;
  const statistics = { riskFree, seed, marksPerYear: marksPerYear(setup.options) };
  const model = modelOf(setup.options);
  const stretches: Stretch[] = [];
  const traded: TradedPart[] = [];
  let equity = startEquity;
  let unpaid: readonly UnpaidDividend[] = [];
  for (const part of parts) {
    const start = equity;
    const money = equity - receivableOf(unpaid);
    const run = part.params && money > 0 ? await runPart(setup, part.params, { part, money, unpaid }) : null;
    unpaid = run?.result.unpaid ?? unpaidAfter(unpaid, datesOf(part.span));
    const stretch = run ? stretchOf(run, model) : inCash(datesOf(part.span), equity);
    equity = stretch.marks.at(-1)?.equity ?? equity;
    stretches.push(stretch);
    traded.push({
      ...part,
      runId: run?.result.runId ?? null,
      start,
      end: equity,
      receivable: receivableOf(unpaid),
      unsold: stretch.unsold,
      trades: stretch.trades.length,
      metrics: metricsOf(figuresOf([stretch], start), statistics).metrics,
    });
  }
  const figures = figuresOf(stretches, startEquity);
  const { metrics, notes } = metricsOf(figures, statistics);
  return { figures, metrics, notes, parts: traded };
}

/** Payments still due at the end of a part without a backtest. */
const unpaidAfter = (unpaid: readonly UnpaidDividend[], dates: Dates): readonly UnpaidDividend[] =>
  unpaid.filter(({ payableDate, exDate }) => (payableDate ?? exDate) > (dates.at(-1)?.date ?? ''));

const receivableOf = (unpaid: readonly UnpaidDividend[]): number =>
  unpaid.reduce((sum, { amount }) => sum + Number(amount), 0);

const figuresOf = (stretches: readonly Stretch[], startEquity: number): RunFigures => ({
  startEquity,
  marks: stretches.flatMap(({ marks }) => marks),
  trades: stretches.flatMap(({ trades }) => trades),
  lots: { closed: stretches.flatMap(({ lots }) => lots), open: [] },
  fills: stretches.flatMap(({ fills }) => fills),
  benchmark: null,
});

type PartRun = Readonly<{ result: BacktestResult; sales: readonly SaleAtClose[] }>;

const runPart = async (
  setup: TrialSetup,
  params: ParamSet,
  { part, money, unpaid }: Readonly<{ part: ChosenPart; money: number; unpaid: readonly UnpaidDividend[] }>,
): Promise<PartRun> => {
  const capital = money.toFixed(MONEY_PLACES);
  const own: TrialSetup = {
    ...setup,
    options: { ...setup.options, cash: capital, unpaid },
    strategy: { ...setup.strategy, capital },
  };
  let sales: readonly SaleAtClose[] = [];
  const options: BacktestOptions = {
    ...trialOptions(own, params, part.span),
    onEnd: (found) => {
      sales = found;
    },
  };
  const result = await runBacktest(options);
  return { result, sales };
};

const MONEY_PLACES = 6;

const inCash = (dates: Dates, equity: number): Stretch => ({
  marks: dates.map(({ date, at }) => ({ date, at, equity, positions: {} })),
  trades: [],
  lots: [],
  fills: [],
  unsold: 0,
});

function stretchOf({ result, sales }: PartRun, model: MarketModel): Stretch {
  const { marks, lots, fills } = result;
  const last = marks.at(-1);
  const trades = [
    ...result.tradeList.map((trade) => ({ ...trade, pnl: toNumber(trade.pnl) })),
    ...soldInPart(result),
  ].sort((one, other) => one.exitAt - other.exitAt);
  if (!last || lots.open.length === 0) return { marks, trades, lots: lots.closed, fills, unsold: 0 };
  const left = new Map(sales.map(({ symbol, sold }) => [symbol, sold]));
  const sold = lots.open.flatMap((lot) => {
    const shares = Math.min(lot.shares, left.get(lot.symbol) ?? 0);
    left.set(lot.symbol, (left.get(lot.symbol) ?? 0) - shares);
    const price = sales.find(({ symbol }) => symbol === lot.symbol)?.price ?? NaN;
    return shares > 0
      ? [saleOf({ ...lot, shares, cost: (lot.cost / lot.shares) * shares }, { price, result, model })]
      : [];
  });
  const cost = sold.reduce((sum, sale) => sum + sale.cost, 0);
  return {
    marks: [...marks.slice(0, -1), { ...last, equity: last.equity - cost }],
    trades: [...trades, ...sold.map(({ trade }) => trade)],
    lots: [...lots.closed, ...sold.map(({ trade }) => trade)],
    fills: [...fills, ...sold.map(({ fill }) => fill)],
    unsold: sales.reduce((sum, { symbol, sold: count }) => sum + unsoldOf(symbol, count, result), 0),
  };
}

/** Lots sold before the end of a part, from round trips still open there. */
function soldInPart({ tradeList, lots }: BacktestResult): TradeFigures[] {
  const ends = new Map<string, number>(tradeList.map(({ symbol, exitAt }) => [symbol, exitAt]));
  return lots.closed.filter(({ symbol, exitAt }) => exitAt > (ends.get(symbol) ?? -Infinity));
}

/** Value in mUSD, at the last close, of the unsold shares of a stock. */
function unsoldOf(symbol: string, sold: number, { marks, open }: BacktestResult): number {
  const held = Number(open.find((one) => one.symbol === symbol)?.quantity ?? sold);
  return (marks.at(-1)?.positions[symbol] ?? 0) * Math.max(1 - sold / held, 0);
}

type Sale = Readonly<{ cost: number; trade: TradeFigures; fill: FillFigures }>;

const END_REASON = 'end of an out-of-sample part';

type EndOfPart = Readonly<{ price: number; result: BacktestResult; model: MarketModel }>;

/** Sale of an open lot at the end of its part. `cost`: fees, and slippage against the last close. */
function saleOf(
  lot: BacktestResult['lots']['open'][number],
  { price, result: { marks, open }, model }: EndOfPart,
): Sale {
  const { symbol, shares, strategy } = lot;
  const last = marks.at(-1);
  const held = Number(open.find((one) => one.symbol === symbol)?.quantity ?? shares);
  const close = (last?.positions[symbol] ?? 0) / held;
  const fees = toNumber(cash(feeOf('sell', cash(wadFromNumber(shares * price)), model.fees)));
  const slippage = shares * (close - price);
  const [at, gain] = [last?.at ?? lot.at, shares * price - fees - lot.cost];
  const entryPrice = lot.cost / shares;
  const move = price / entryPrice - 1;
  return {
    cost: fees + slippage,
    trade: {
      strategy,
      symbol,
      entryAt: lot.at,
      exitAt: at,
      shares,
      entryPrice,
      exitPrice: price,
      pnl: gain,
      mae: Math.min(move, 0),
      mfe: Math.max(move, 0),
      entryReason: lot.reason,
      exitReason: END_REASON,
    },
    fill: { at, symbol, side: 'sell', shares, price, fees, mintFee: 0, slippage },
  };
}
