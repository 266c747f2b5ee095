import { join, resolve } from 'node:path';
import { BarStore } from '../../market/barStore.ts';
import { holdLock, makeFolder } from '../../store/lock.ts';
import { configOf } from '../config/configFile.ts';
import type { CommandContext } from '../context.ts';
import { dataHomeOf } from '../dataHome.ts';

export type DataFlags = Readonly<{ data?: string }>;

/** Where market data lies: `--data`, `data.dir` of the config, or drover/data where programs keep their data. */
export function dataFolderOf({ data }: DataFlags, context: CommandContext): string {
  if (data !== undefined) return resolve(context.cwd, data);
  const { dir } = configOf(context).config.data;
  if (dir !== undefined) return dir;
  return join(dataHomeOf(context.env), 'drover', 'data');
}

export const storeOf = (flags: DataFlags, context: CommandContext): BarStore =>
  new BarStore(dataFolderOf(flags, context));

/** The store, for a command that writes: no other does meanwhile. @throws {SafetyError} when another one does */
export async function withStore<T>(
  flags: DataFlags,
  context: CommandContext,
  work: (store: BarStore) => Promise<T>,
): Promise<T> {
  const store = storeOf(flags, context);
  makeFolder(store.folder, 'the folder of market data', 0o777);
  const release = holdLock(join(store.folder, '.lock'), `the data in ${store.folder}`);
  try {
    return await work(store);
  } finally {
    release();
  }
}
