import { counted } from '../../core/counted.ts';
import { DAY_MS } from '../../core/brand.ts';
import { statSync, accessSync, constants, existsSync, readdirSync, statfsSync } from 'node:fs';
import { resolve, dirname, join, sep } from 'node:path';
import { exceptionsAreOld, tradingCalendar } from '../../calendar/index.ts';
import type { Clock } from '../../core/clock.ts';
import { type LoadedConfig, missingLimits } from '../config/load.ts';
import { mistake, ok, warn, type Finding } from './finding.ts';
import { messageOf } from '../../core/errors.ts';

/** Minimum number of days that the published sessions must reach ahead; a new list appears at the end of each year. */
const ENDING_DAYS = 60;

/** Reports the valid config, and warns when other users may change its file. */
export function checkConfig({ config, file }: LoadedConfig, cwd: string): Finding {
  const count = config.strategies.length;
  const detail = `${file} is valid: mode ${config.mode}, ${counted(count, 'strategy', 'strategies')}`;
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
  const missing = missingLimits(config);
  if (missing.length === 0) return ok('limits', 'all are set');
  const trouble = {
    detail: `not set: ${missing.join(', ')}`,
    remedy: 'Set them under limits; config/live.example.yaml shows all',
  };
  return config.mode === 'live' ? mistake('limits', trouble) : warn('limits', trouble);
}

const { R_OK, W_OK, X_OK } = constants;
const MIB = 2 ** 20;
/** Minimum free space with which a journal can be opened. */
const ROOM_MIN_MIB = 1;
/** Space for some days of a journal and its log, and for the 8 MiB that a run reserves. */
const ROOM_GOOD_MIB = 64;
/** Files that a run reads and writes in its state folder. */
const OWN =
  /^(account|drover\.log|reserve|lock\.sqlite|(journal|simulated)\.sqlite(-wal|-shm|-head|-checkpoint(\.new)?)?)$/;

/**
 * Checks that a run could keep its state: the folder, or its nearest existing parent, is writable, the files of earlier runs are
 * readable and writable, and the disk has enough space.
 */
export function checkState({ config }: LoadedConfig, cwd: string): Finding {
  if (config.state === undefined) return ok('state', 'a run makes a folder of its own');
  const wanted = resolve(cwd, config.state);
  const folder = nearest(wanted);
  try {
    accessSync(folder, W_OK | X_OK);
    const left = folder === wanted ? readdirSync(folder).filter((name) => OWN.test(name)) : [];
    for (const name of left) accessSync(join(folder, name), R_OK | W_OK);
  } catch (error) {
    const detail = `${config.state} cannot be the state folder: ${messageOf(error)}`;
    return mistake('state', {
      detail,
      remedy: 'Let this user read and write there, or name another by state',
    });
  }
  return checkRoom(config.state, folder);
}

function nearest(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : nearest(dirname(folder));
}

function checkRoom(state: string, folder: string): Finding {
  const { bavail, blocks, bsize } = statfsSync(folder);
  const room = Math.floor((bavail * bsize) / MIB);
  // Some file systems report no size.
  if (room >= ROOM_GOOD_MIB || blocks === 0) return ok('state', `${state} can be written`);
  const detail = `${state} is on a disk with ${room} MiB free`;
  const remedy =
    'Make room there: nothing is sent that cannot be journaled, and a journal on a full disk cannot be opened';
  return room < ROOM_MIN_MIB ? mistake('state', { detail, remedy }) : warn('state', { detail, remedy });
}

/** Checks that `log.file` can be written or created. A file in the state folder is checked there. */
export function checkLog({ config }: LoadedConfig, cwd: string): Finding {
  const { file } = config.log;
  if (file === undefined) return ok('log', 'drover.log in the state folder');
  const path = resolve(cwd, file);
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats?.isDirectory()) throw new Error('it is a folder');
    if (stats) accessSync(path, W_OK);
    else accessSync(join(dirname(path), sep), W_OK | X_OK);
    return ok('log', `${file} can be written`);
  } catch (error) {
    const detail = `${file} cannot be the log: ${messageOf(error)}`;
    return mistake('log', {
      detail,
      remedy: 'Make its folder, let this user write there, or name another by log.file',
    });
  }
}
