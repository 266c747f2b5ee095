import { orElse } from '../../core/errors.ts';
import { lstatSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { repeatOn, type Cancel, type Host } from '../../core/clock.ts';
import type { LoadedConfig } from '../config/load.ts';

/** The kill file in a state folder: `drover halt` creates it next to a run, whatever config the run started with. */
export const stateKillFile = (stateDir: string): string => join(stateDir, 'KILL');

/** All kill files that stop runs on a state folder: the one in it, and `limits.killFile`. */
export function killFilesOf({ config }: LoadedConfig, stateDir: string | undefined): readonly string[] {
  const own = stateDir === undefined ? [] : [stateKillFile(stateDir)];
  const { killFile } = config.limits;
  return [...new Set(killFile === undefined ? own : [...own, killFile])];
}

/** `KILL` files without effect that someone may mistake for the run's: beside the config, the state folder, or here. */
export const strayKillFiles = (own: readonly string[], folders: readonly string[]): readonly string[] =>
  [...new Set(folders.map((folder) => stateKillFile(resolve(folder))))].filter((file) => !own.includes(file));

/**
 * Returns the check made before every placement: true while a kill file exists. A dangling link counts, and so does a path
 * that this user may not read.
 */
export const killSwitch = (file: string) => (): boolean =>
  orElse(() => lstatSync(file, { throwIfNoEntry: false }) !== undefined, true);

/** The first of the given kill files that exists. */
export const killFileThere = (files: readonly string[]): string | undefined =>
  files.find((file) => killSwitch(file)());

/** Milliseconds of real time between two checks for the kill file. */
const LOOK_MS = 250;

/**
 * Reports existing kill files immediately, and then every change of them, within a second of real time at any speed of the
 * run's clock. Returns the function that ends the watch.
 */
export function watchKillFiles(
  files: readonly string[],
  host: Pick<Host, 'after'>,
  onChange: (there: readonly string[]) => void,
): Cancel {
  let last: readonly string[] = [];
  const look = () => {
    const there = files.filter((file) => killSwitch(file)());
    if (there.join('\n') === last.join('\n')) return;
    last = there;
    onChange(there);
  };
  look();
  return repeatOn(host, LOOK_MS, look);
}

/** First words of a kill file created by `drover halt`. */
const MARK = 'drover halt: ';

/** Creates the kill file. @throws the system's error if it already exists or cannot be created */
export const makeKillFile = (file: string, reason: string): void =>
  writeFileSync(file, `${MARK}${reason}\n`, { flag: 'wx', mode: 0o600 });

export const removeKillFile = (file: string): void => rmSync(file);

/** Origin of the kill file: `drover halt`, or someone by hand; `none` if it does not exist. */
export function killFileOrigin(file: string): 'none' | 'halt' | 'hand' {
  if (!killSwitch(file)()) return 'none';
  const isOwn = () => lstatSync(file).isFile() && readFileSync(file, 'utf8').startsWith(MARK);
  return orElse(isOwn, false) ? 'halt' : 'hand';
}
