/** What a strategy file imports as `drover/strategy`. */
export { defineStrategy } from './contract.ts';
export type {
  BarHistory,
  BuySize,
  DataNeeds,
  Decimal,
  Fill,
  HookContext,
  LimitTerms,
  Orders,
  OrderStatus,
  OrderView,
  SellSize,
  SessionTime,
  SessionView,
  StrategyDefinition,
  StrategyHooks,
  StrategyState,
  TargetSize,
  Timing,
  View,
} from './contract.ts';
export type { Bar, Interval } from '../domain/bar.ts';
export type { Indicator } from './indicators/indicator.ts';
export { sma } from './indicators/sma.ts';
export { interval, notional, sessionTime, ticker } from './params.ts';
export { remember } from './state.ts';
