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
 * What a run needs beyond a valid file: limits in live, an account in dry-run, a state folder in both.
 * @throws {ConfigError} without a state folder or an account
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
  if (config.mode === 'dry-run' && config.dryRun === undefined)
    throw new ConfigError(
      `${file}: a dry run has an account of its own, and nothing says what it opens with. ` +
        "Add it: dryRun: { cash: '100000' }; config/dry-run.yaml shows how",
      { file },
    );
}
