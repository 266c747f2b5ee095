import type { BacktestOptions } from './backtest/options.ts';
import type { BacktestResult } from './backtest/result.ts';
import type { Emulator, EmulatorOptions } from './emulator/index.ts';
import type { OptimiseBarsOptions } from './lab/optimiseBars.ts';
import type { StudyResult } from './lab/studyResult.ts';

/** The package: a client of the venue, its emulator, its calendar and a backtester. Strategy files import `drover/strategy`. */

export { ALLOWED_GROUPS } from './api/allowList.ts';
export type { AllowedGroup } from './api/allowList.ts';
export { assumptionsOf } from './api/assumptions/assumptions.ts';
export type { Assumptions } from './api/assumptions/assumptions.ts';
export type { AssumptionOverlay } from './api/assumptions/overlay.ts';
export { createVenueClient } from './api/client.ts';
export type { DryRun, EndpointCalls, RequestCounts, VenueClient, VenueClientOptions } from './api/client.ts';
/** Requests and responses by endpoint, such as `Endpoints.OrderSendRequest`. */
export type * as Endpoints from './api/endpoints/index.ts';
export { signRequest } from './api/signing.ts';
export type {
  BacktestAction,
  BacktestBars,
  BacktestOptions,
  BacktestStrategy,
  FillKind,
} from './backtest/options.ts';
export type { BacktestEvent } from './backtest/actions.ts';
export type { StrategyOutcome } from './backtest/result.ts';
export type { BacktestOrders } from './backtest/orderTally.ts';
export type { Mark } from './backtest/recorder.ts';
export type { BacktestResult } from './backtest/result.ts';
export type { BacktestFill } from './backtest/rows.ts';
export type { SeriesFile } from './market/seriesCsv.ts';
export type { Trade } from './sim/roundTrips.ts';
export { tradingCalendar } from './calendar/index.ts';
export type { Phase, PhaseAt, Session, TradingCalendar } from './calendar/index.ts';
export { epochMs } from './core/brand.ts';
export type { EpochMs } from './core/brand.ts';
export type { Clock } from './core/clock.ts';
export { VirtualClock } from './core/virtualClock.ts';
export {
  ConfigError,
  DroverError,
  InvalidValueError,
  NoAnswerError,
  NotSentError,
  OutcomeUnknownError,
  RateLimitedError,
  SafetyError,
  StrategyError,
  UnauthorizedError,
  UnreachableError,
  VenueRefusedError,
} from './core/errors.ts';
export type { OptimiseBarsOptions } from './lab/optimiseBars.ts';
export type { StudyResult } from './lab/studyResult.ts';
export type { Emulator, EmulatorInfo, EmulatorOptions } from './emulator/index.ts';

/**
 * The venue on this machine, over HTTP on loopback, with its control port.
 * @throws {ConfigError} when a port is taken, or an option contradicts the state directory
 */
export async function startEmulator(options?: EmulatorOptions): Promise<Emulator> {
  const emulator = await import('./emulator/index.ts');
  return emulator.startEmulator(options);
}

/**
 * Runs strategies over bars on a simulated exchange, with the engine that trades live.
 * @throws {ConfigError} when options, parameters or bars do not fit, {StrategyError} when a strategy throws
 */
export async function runBacktest(options: BacktestOptions): Promise<BacktestResult> {
  const backtest = await import('./backtest/runBacktest.ts');
  return backtest.runBacktest(options);
}

/**
 * Searches the parameters of a strategy over bars, and says whether to believe the best of them.
 * @throws {ConfigError} when a space, window, objective or study does not fit
 */
export async function optimise(options: OptimiseBarsOptions): Promise<StudyResult> {
  const lab = await import('./lab/optimiseBars.ts');
  return lab.optimiseBars(options);
}
