import { accessSync, constants, existsSync, readdirSync, statfsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { messageOf } from '../../core/errors.ts';
import type { LoadedConfig } from '../config/load.ts';
import { mistake, ok, warn, type Finding } from './finding.ts';

const { R_OK, W_OK, X_OK } = constants;
const MIB = 2 ** 20;
/** With less than this the files of a journal cannot be opened. */
const ROOM_MIN_MIB = 1;
/** Some days of a journal and its log, and the 8 MiB that a run must find to keep its reserve. */
const ROOM_GOOD_MIB = 64;
/** What a run reads and writes in its state folder. */
const OWN = /^(account|drover\.log|reserve|lock\.sqlite|(journal|simulated)\.sqlite(-wal|-shm|-head)?)$/;

/**
 * Whether a run could keep its state: the folder, or the nearest one that there is of those it would be made in, can be
 * written, what a run has left there can be read and written, and the disk has room.
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
  // A file system that tells no size has none to tell.
  if (room >= ROOM_GOOD_MIB || blocks === 0) return ok('state', `${state} can be written`);
  const detail = `${state} is on a disk with ${room} MiB free`;
  const remedy =
    'Make room there: what cannot be written down is not sent, and a journal on a full disk not opened';
  return room < ROOM_MIN_MIB ? mistake('state', { detail, remedy }) : warn('state', { detail, remedy });
}

/** Whether the file of `log.file` can be written, or made where there is none. One in the state folder is looked at there. */
export function checkLog({ config }: LoadedConfig, cwd: string): Finding {
  const { file } = config.log;
  if (file === undefined) return ok('log', 'drover.log in the state folder');
  const path = resolve(cwd, file);
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats?.isDirectory()) throw new Error('it is a folder');
    if (stats) accessSync(path, W_OK);
    else accessSync(dirname(path), W_OK | X_OK);
    return ok('log', `${file} can be written`);
  } catch (error) {
    const detail = `${file} cannot be the log: ${messageOf(error)}`;
    return mistake('log', {
      detail,
      remedy: 'Make its folder, let this user write there, or name another by log.file',
    });
  }
}
