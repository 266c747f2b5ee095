/** Exports of `drover/testing`: a stage for tests of strategies, under any test runner. */
export { Stage } from './stage.ts';
export type { Prices, StageLimits, StageOptions } from './options.ts';
export type { BarPrices, Span } from './times.ts';
export type { Intent, LogEntry, PlotEntry } from './transcript.ts';
export type { HookCall } from '../engine/strategy/strategyRuntime.ts';
