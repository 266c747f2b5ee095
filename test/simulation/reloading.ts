import type { Cash } from '../../src/core/amount.ts';
import type { Limits } from '../../src/domain/limits.ts';
import type { OperatorCommand, OperatorRequest } from '../../src/domain/operator/command.ts';
import type { PollingPeriods, Settings } from '../../src/domain/operator/settings.ts';
import type { Runner } from '../../src/engine/runtime/runner.ts';
import { limitsOf } from './exposure.ts';
import type { Simulation } from './simulation.ts';

/** Periods of a run in ms, as its config has them. */
export const PERIODS: PollingPeriods = {
  quotesMs: 5_000,
  ordersMs: 5_000,
  restingMs: 10_000,
  accountMs: 30_000,
};

const PLACE = 'limits, in percent';
/** Least part of its limits, in percent, to which an operator narrows a run. */
const LEAST = 50;

/** A reload of the config that narrows the limits of the run, or brings back its own: never looser, so that the judge holds. */
export function reloadTo(roll: number): OperatorCommand {
  const percent = roll < 0.6 ? LEAST + Math.floor((100 - LEAST) * (roll / 0.6)) : 100;
  return { kind: 'reload', changes: { [PLACE]: { from: '', to: String(percent) } } };
}

/** Completes a reload with the settings that apply until now in this process and from here on, as `drover run` does. */
export function completed(request: OperatorRequest, runner: Runner, { plan }: Simulation): OperatorRequest {
  const { command } = request;
  if (command.kind !== 'reload') return request;
  const { rules, polling } = runner.kernel.context;
  const rest = {
    ownLimits: Object.fromEntries(rules.ownLimits),
    ...(rules.stateAgeMs === undefined ? {} : { stateAgeMs: rules.stateAgeMs }),
    ...(rules.onKill === undefined ? {} : { onKill: rules.onKill }),
  };
  const { to: percent } = command.changes[PLACE] as Readonly<{ to: string }>;
  const before: Settings = { ...rest, limits: rules.limits, polling: polling ?? PERIODS };
  const settings: Settings = {
    ...rest,
    limits: narrowed(limitsOf(plan), BigInt(percent)),
    polling: slower(PERIODS, Number(percent)),
  };
  return { ...request, command: { ...command, before, settings } };
}

const narrowed = (limits: ReturnType<typeof limitsOf>, percent: bigint): Limits => ({
  ...limits,
  orderNotional: ((limits.orderNotional * percent) / 100n) as Cash,
  positionNotional: ((limits.positionNotional * percent) / 100n) as Cash,
});

/** Reads the less often, the narrower the limits are. */
const slower = (periods: PollingPeriods, percent: number): PollingPeriods => ({
  ...periods,
  quotesMs: Math.round((periods.quotesMs * 100) / percent),
  ordersMs: Math.round((periods.ordersMs * 100) / percent),
});
