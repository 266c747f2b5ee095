/** Exports of `drover/strategy`, for strategy files. */
export { defineStrategy } from './contract.ts';
export type {
  BarHistory,
  BracketTerms,
  BuySize,
  DataNeeds,
  Decimal,
  ExitSize,
  Fill,
  HeldTiming,
  HookContext,
  Leg,
  LevelTerms,
  LimitTerms,
  OcoTerms,
  Orders,
  OrderStatus,
  OrderView,
  QuoteNeed,
  SellSize,
  SessionTime,
  SessionView,
  StrategyDefinition,
  StrategyHooks,
  StrategyState,
  StopTerms,
  TargetSize,
  TimerDay,
  TimerNeed,
  Timing,
  TrailDistance,
  TrailTerms,
  View,
  WorkTerms,
} from './contract.ts';
export type {
  DividendView,
  FeeView,
  InstrumentView,
  Log,
  LogFields,
  QuoteView,
  SplitView,
  StrategyLimit,
} from './shown.ts';
export type { Bar, Interval } from '../domain/bar.ts';
export type { QuotePhase } from '../domain/instrument.ts';
export type { EndCode } from '../domain/orders/endCode.ts';
export { adx, type Adx } from './indicators/adx.ts';
export { atr } from './indicators/atr.ts';
export { bollinger } from './indicators/bollinger.ts';
export { cci } from './indicators/cci.ts';
export { columns, type CandleColumns, type Columns } from './indicators/columns.ts';
export { standardDeviation, zScore } from './indicators/deviation.ts';
export { donchian } from './indicators/donchian.ts';
export { ema } from './indicators/ema.ts';
export { highest, lowest } from './indicators/extremes.ts';
export type { Candle, Channel, Indicator } from './indicators/indicator.ts';
export { keltner } from './indicators/keltner.ts';
export { macd, type Macd } from './indicators/macd.ts';
export { mfi } from './indicators/mfi.ts';
export { obv } from './indicators/obv.ts';
export { roc } from './indicators/roc.ts';
export { rsi } from './indicators/rsi.ts';
export { slope } from './indicators/slope.ts';
export { sma } from './indicators/sma.ts';
export { stochastic, williamsR, type Stochastic } from './indicators/stochastic.ts';
export { rollingVwap, vwap } from './indicators/vwap.ts';
export { wma } from './indicators/wma.ts';
export { interval, notional, sessionTime, ticker } from './params.ts';
export { remember } from './contract.ts';
