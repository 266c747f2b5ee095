import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { exceptionsAreOld, tradingCalendar } from '../../calendar/index.ts';
import type { Clock } from '../../core/clock.ts';
import type { LoadedConfig } from '../config/load.ts';
import { missingLimits } from '../config/ready.ts';
import { mistake, ok, warn, type Finding } from './finding.ts';

const DAY_MS = 86_400_000;
/** Days ahead that the published list must reach: the next one comes at the end of each year. */
const ENDING_DAYS = 60;

/** The file parses, or this would not run; what is left is who may change it. */
export function checkConfig({ config, file }: LoadedConfig, cwd: string): Finding {
  const count = config.strategies.length;
  const detail = `${file} is valid: mode ${config.mode}, ${count} ${count === 1 ? 'strategy' : 'strategies'}`;
  if ((statSync(resolve(cwd, file)).mode & 0o022) === 0) return ok('config', detail);
  return warn('config', {
    detail: `${detail}, but others on this machine may change it`,
    remedy: `Run: chmod go-w ${file}`,
  });
}

export function checkCalendar({ config }: LoadedConfig, clock: Clock): Finding {
  const { overrides } = config.calendar;
  const own =
    overrides.length === 0 ? '' : `; the config changes ${overrides.map(({ date }) => date).join(', ')}`;
  const { published, exceptionsAsOf } = tradingCalendar;
  const now = clock.now();
  const left = (tradingCalendar.newYorkTime(published.until, '23:59') - now) / DAY_MS;
  const asOf =
    `closures and early closes until ${published.until} as the exchange published them on ${published.on}; unscheduled ones ` +
    `announced up to ${exceptionsAsOf} are known${own}`;
  const why =
    left < 0
      ? `, but ${published.until} is past: sessions follow from the exchange's rules alone`
      : left < ENDING_DAYS
        ? `, which ends in ${Math.floor(left)} days`
        : exceptionsAreOld(now)
          ? ', which is long ago'
          : null;
  if (why === null) return ok('calendar', asOf);
  return warn('calendar', {
    detail: `${asOf}${why}`,
    remedy: 'Update drover, or set calendar.overrides: a closure announced since is not known here',
  });
}

export function checkLimits({ config }: LoadedConfig): Finding {
  const missing = missingLimits(config.limits);
  if (missing.length === 0) return ok('limits', 'all are set');
  const trouble = {
    detail: `not set: ${missing.join(', ')}`,
    remedy: 'Set them under limits; config/live.example.yaml shows all',
  };
  return config.mode === 'live' ? mistake('limits', trouble) : warn('limits', trouble);
}
