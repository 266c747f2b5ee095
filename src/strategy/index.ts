/** Exports of `drover/strategy`, for strategy files. */
export { defineStrategy } from './contract.ts';
export type {
  BarHistory,
  DataNeeds,
  Fill,
  HookContext,
  Leg,
  Orders,
  OrderStatus,
  OrderView,
  QuoteNeed,
  SessionView,
  StrategyDefinition,
  StrategyHooks,
  StrategyState,
  TimerDay,
  TimerNeed,
  View,
} from './contract.ts';
export type {
  BracketTerms,
  BuySize,
  Decimal,
  ExitChange,
  ExitSize,
  HeldTiming,
  LevelTerms,
  LimitTerms,
  OcoTerms,
  OrderChange,
  SellSize,
  SessionTime,
  StopTerms,
  TakeProfitPart,
  TargetSize,
  Timing,
  TrailDistance,
  TrailTerms,
  WorkTerms,
} from './orderTerms.ts';
export type { SeriesHistory, SeriesNeed, SeriesRow } from './datedSeries.ts';
export type {
  DividendView,
  FeeView,
  FetchedView,
  InstrumentView,
  WindowView,
  Log,
  LogFields,
  Plot,
  QuoteView,
  SplitView,
  StrategyLimit,
} from './shown.ts';
export type { Bar, Interval } from '../domain/bar.ts';
export type { QuotePhase } from '../domain/instrument.ts';
export type { PlotPlace } from '../domain/plots.ts';
export type { EndCode } from '../domain/orders/endCode.ts';
export { accumulationDistribution, cmf } from './indicators/accumulation.ts';
export { adx, type Adx } from './indicators/adx.ts';
export { aroon, type Aroon } from './indicators/aroon.ts';
export { atr, natr, trueRange } from './indicators/atr.ts';
export { beta } from './indicators/beta.ts';
export { bollinger } from './indicators/bollinger.ts';
export { cci } from './indicators/cci.ts';
export { columns, type CandleColumns, type Columns, type RowColumns } from './indicators/columns.ts';
export { crossedAbove, crossedBelow } from './indicators/crossing.ts';
export { dema, tema } from './indicators/dema.ts';
export { standardDeviation, zScore } from './indicators/deviation.ts';
export { donchian } from './indicators/donchian.ts';
export { ema } from './indicators/ema.ts';
export { highest, lowest } from './indicators/extremes.ts';
export { heikinAshi, type HeikinAshi } from './indicators/heikinAshi.ts';
export { hma } from './indicators/hma.ts';
export { ichimoku, type Ichimoku } from './indicators/ichimoku.ts';
export type { Candle, Channel, Indicator, Pair } from './indicators/indicator.ts';
export { kama } from './indicators/kama.ts';
export { kdj, type Kdj } from './indicators/kdj.ts';
export { keltner } from './indicators/keltner.ts';
export { macd, type Macd } from './indicators/macd.ts';
export { mfi } from './indicators/mfi.ts';
export { momentum } from './indicators/momentum.ts';
export { obv } from './indicators/obv.ts';
export { parabolicSar } from './indicators/parabolicSar.ts';
export { percentRank } from './indicators/percentRank.ts';
export { ppo, type Ppo } from './indicators/ppo.ts';
export { roc } from './indicators/roc.ts';
export { rsi } from './indicators/rsi.ts';
export { slope } from './indicators/slope.ts';
export { sma } from './indicators/sma.ts';
export { stochastic, williamsR, type Stochastic } from './indicators/stochastic.ts';
export { stochRsi } from './indicators/stochRsi.ts';
export { supertrend, type Supertrend } from './indicators/supertrend.ts';
export { trix } from './indicators/trix.ts';
export { ultimateOscillator } from './indicators/ultimateOscillator.ts';
export { rollingVwap, vwap, vwma } from './indicators/vwap.ts';
export { wma } from './indicators/wma.ts';
export {
  inverseVolatility,
  meanVariance,
  minimumVariance,
  riskParity,
  volatilityTarget,
  type VolatilityTarget,
} from './portfolio/optimal.ts';
export { fractionalKelly, riskPercent, type RiskOfTrade, type TradeOdds } from './portfolio/sizes.ts';
export {
  equalWeights,
  topByRank,
  type AssetReturns,
  type Scores,
  type Weights,
} from './portfolio/weights.ts';
export {
  defineFill,
  type FillAnswer,
  type FillDefinition,
  type FillOrder,
  type FillQuestion,
} from './fills.ts';
export { defineSignals, type SignalsDefinition } from './signals/defineSignals.ts';
export type { SignalColumns, SymbolColumns } from './signals/signalColumns.ts';
export type { SignalWeights } from './signals/signalWeights.ts';
export { interval, notional, sessionTime, ticker } from './params.ts';
export { remember } from './remember.ts';
