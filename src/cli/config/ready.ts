import { ConfigError, SafetyError } from '../../core/errors.ts';
import type { LoadedConfig } from './load.ts';
import type { LimitsConfig } from './schema.ts';

/** The limits that live trading must not be without. */
const LIVE_LIMITS = [
  'orderNotional',
  'positionNotional',
  'grossExposure',
  'ordersPerMinute',
  'dayLoss',
  'priceBandBps',
  'quoteAgeMs',
] as const satisfies readonly (keyof LimitsConfig)[];

export const missingLimits = (limits: LimitsConfig): readonly string[] =>
  LIVE_LIMITS.filter((name) => limits[name] === undefined);

/**
 * What a run needs beyond a valid file: limits in live, a state folder in live and dry-run.
 * @throws {ConfigError} without a state folder
 * @throws {SafetyError} when live trading would have no limits
 */
export function requireRunnable({ config, file }: LoadedConfig): void {
  const missing = missingLimits(config.limits);
  if (config.mode === 'live' && missing.length > 0)
    throw new SafetyError(
      `${file}: live trading needs every limit, and limits.${missing.join(', limits.')} ` +
        `${missing.length === 1 ? 'is' : 'are'} not set. Set them; config/live.example.yaml shows all`,
      { missing },
    );
  if (config.mode !== 'emulator' && config.state === undefined)
    throw new ConfigError(
      `${file}: ${config.mode} keeps orders and positions over restarts, and has no folder for them. ` +
        'Set state: in the file, or pass --state DIR',
      { file },
    );
}
