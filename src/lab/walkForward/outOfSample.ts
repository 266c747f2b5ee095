import {
  modelOf,
  type BacktestOptions,
  type MarketModel,
  type UnpaidDividend,
} from '../../backtest/options.ts';
import { marksPerYear } from '../../backtest/figures.ts';
import type { BacktestResult } from '../../backtest/result.ts';
import { runBacktest } from '../../backtest/runBacktest.ts';
import { cash, toNumber, wadFromNumber } from '../../core/amount.ts';
import { feeOf } from '../../domain/fees.ts';
import { slippedPrice } from '../../sim/slippage.ts';
import type { FillFigures, MarkFigures, RunFigures, TradeFigures } from '../../statistics/figures.ts';
import { metricsOf, type Metrics } from '../../statistics/metrics.ts';
import type { ParamSet } from '../search/space.ts';
import { trialOptions } from '../trials/kernelTrials.ts';
import type { Span, TrialSetup } from '../trials/trial.ts';

/** Part of a walk-forward that is traded with the parameters chosen before it; null: none could be chosen, and it holds cash. */
export type ChosenPart = Readonly<{ span: Span; params: ParamSet | null }>;

/** Part as it went. `runId`: of its backtest; null where nothing was traded. */
export type TradedPart = ChosenPart &
  Readonly<{
    runId: string | null;
    start: number;
    end: number;
    /** mUSD of dividends in the end's equity that are paid later. */
    receivable: number;
    trades: number;
    metrics: Metrics['metrics'];
  }>;

/** The out-of-sample parts as one run: what their owner would have had. */
export type OutOfSample = Readonly<{
  figures: RunFigures;
  metrics: Metrics['metrics'];
  notes: Metrics['notes'];
  parts: readonly TradedPart[];
}>;

type Dates = readonly Readonly<{ date: string; at: number }>[];

/** Options of the walk: sessions of each part by their closes, for parts that hold cash. */
export type WalkOptions = Readonly<{
  setup: TrialSetup;
  datesOf: (span: Span) => Dates;
  startEquity: number;
}>;

/** Part of a run that is stitched to others. */
type Stretch = Readonly<{
  marks: readonly MarkFigures[];
  trades: readonly TradeFigures[];
  fills: readonly FillFigures[];
}>;

/**
 * Trades each part with its parameters through the engine, one after the other, on the money that the part before left. At the
 * end of a part what is held is sold at the last close, with fees and slippage: the next one begins with cash, and with the dividends
 * that are not paid yet.
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
    const result =
      part.params && money > 0 ? await runPart(setup, part.params, { part, money, unpaid }) : null;
    unpaid = result?.unpaid ?? unpaidAfter(unpaid, datesOf(part.span));
    const stretch = result ? stretchOf(result, model) : inCash(datesOf(part.span), equity);
    equity = stretch.marks.at(-1)?.equity ?? equity;
    stretches.push(stretch);
    traded.push({
      ...part,
      runId: result?.runId ?? null,
      start,
      end: equity,
      receivable: receivableOf(unpaid),
      trades: stretch.trades.length,
      metrics: metricsOf(figuresOf([stretch], start), statistics).metrics,
    });
  }
  const figures = figuresOf(stretches, startEquity);
  const { metrics, notes } = metricsOf(figures, statistics);
  return { figures, metrics, notes, parts: traded };
}

/** Payments that are not paid by the end of a part without a backtest. */
const unpaidAfter = (unpaid: readonly UnpaidDividend[], dates: Dates): readonly UnpaidDividend[] =>
  unpaid.filter(({ payableDate, exDate }) => (payableDate ?? exDate) > (dates.at(-1)?.date ?? ''));

const receivableOf = (unpaid: readonly UnpaidDividend[]): number =>
  unpaid.reduce((sum, { amount }) => sum + Number(amount), 0);

const figuresOf = (stretches: readonly Stretch[], startEquity: number): RunFigures => ({
  startEquity,
  marks: stretches.flatMap(({ marks }) => marks),
  trades: stretches.flatMap(({ trades }) => trades),
  fills: stretches.flatMap(({ fills }) => fills),
  benchmark: null,
});

const runPart = (
  setup: TrialSetup,
  params: ParamSet,
  { part, money, unpaid }: Readonly<{ part: ChosenPart; money: number; unpaid: readonly UnpaidDividend[] }>,
): Promise<BacktestResult> => {
  const capital = money.toFixed(MONEY_PLACES);
  const own: TrialSetup = {
    ...setup,
    options: { ...setup.options, cash: capital, unpaid },
    strategy: { ...setup.strategy, capital },
  };
  return runBacktest(trialOptions(own, params, part.span) satisfies BacktestOptions);
};

const MONEY_PLACES = 6;

const inCash = (dates: Dates, equity: number): Stretch => ({
  marks: dates.map(({ date, at }) => ({ date, at, equity, positions: {} })),
  trades: [],
  fills: [],
});

function stretchOf(result: BacktestResult, model: MarketModel): Stretch {
  const { marks, lots, fills } = result;
  const last = marks.at(-1);
  const trades = result.tradeList.map((trade) => ({ ...trade, pnl: toNumber(trade.pnl) }));
  if (!last || lots.open.length === 0) return { marks, trades, fills };
  const sales = lots.open.map((lot) => saleOf(lot, result, model));
  const cost = sales.reduce((sum, sale) => sum + sale.cost, 0);
  return {
    marks: [...marks.slice(0, -1), { ...last, equity: last.equity - cost }],
    trades: [...trades, ...sales.map(({ trade }) => trade)],
    fills: [...fills, ...sales.map(({ fill }) => fill)],
  };
}

type Sale = Readonly<{ cost: number; trade: TradeFigures; fill: FillFigures }>;

const END_REASON = 'end of an out-of-sample part';

/** Sale of an open lot at the last close. `cost`: fees and slippage against that close. */
function saleOf(
  lot: BacktestResult['lots']['open'][number],
  { marks, open }: BacktestResult,
  model: MarketModel,
): Sale {
  const { symbol, shares, strategy } = lot;
  const last = marks.at(-1);
  const held = Number(open.find((one) => one.symbol === symbol)?.quantity ?? shares);
  const close = (last?.positions[symbol] ?? 0) / held;
  const price = toNumber(slippedPrice(model.slippage, { side: 'sell', price: close, shares: 0, volume: 1 }));
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
    fill: { at, symbol, side: 'sell', shares, price, fees, slippage },
  };
}
