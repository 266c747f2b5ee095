import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { repeatOn, type Cancel, type Host } from '../../core/clock.ts';
import { codeOf, ConfigError, messageOf, orAt } from '../../core/errors.ts';
import type { SeriesEvent } from '../../engine/state/kernelEvent.ts';
import { readSeries, type SeriesFile } from '../../market/seriesCsv.ts';
import type { SeriesNeed } from '../../strategy/datedSeries.ts';
import { readNamed } from '../../process/files.ts';

type Files = Readonly<Record<string, SeriesFile>>;

const readFile = (file: string): SeriesFile => ({
  file,
  text: readNamed(file, () => readFileSync(file, 'utf8')),
});

/** Reads the files of `strategies[].series`, by name. @throws {ConfigError} naming one that cannot be read */
export const seriesFiles = (paths: Readonly<Record<string, string>> = {}): Files =>
  Object.fromEntries(Object.entries(paths).map(([name, file]) => [name, readFile(file)]));

/** Reads the files of `--series NAME=FILE`. @throws {ConfigError} for a malformed flag, and as `seriesFiles` does */
export function namedSeries(given: readonly string[] = [], cwd: string): Files {
  const files: Record<string, SeriesFile> = {};
  for (const argument of given) {
    const [, name = '', file = ''] = /^([^=]+)=(.+)$/.exec(argument) ?? [];
    if (file === '')
      throw new ConfigError(`--series "${argument}": write NAME=FILE, as earnings=earnings.csv`);
    if (files[name]) throw new ConfigError(`--series: ${name} is given twice`);
    files[name] = readFile(resolve(cwd, file));
  }
  return files;
}

/** Dated series of a run, with its file. */
export type WatchedSeries = Readonly<{ strategyId: string; need: SeriesNeed; file: string }>;

/** Milliseconds of real time between two checks of the files. */
const LOOK_MS = 2_000;

/**
 * Rereads a file once it has changed and then stayed the same between two checks, because it may still be being written. Reads
 * each once at first: it may have changed since the run was planned. Returns the function that ends the watch.
 */
export function watchSeries(
  watched: readonly WatchedSeries[],
  host: Pick<Host, 'after'>,
  onRead: (event: SeriesEvent) => void,
): Cancel {
  if (watched.length === 0) return () => undefined;
  const files = watched.map((series) => ({ series, seen: stampOf(series.file), taken: '' }));
  return repeatOn(host, LOOK_MS, () => {
    for (const each of files) {
      const stamp = stampOf(each.series.file);
      const isStill = stamp === each.seen;
      each.seen = stamp;
      if (!isStill || stamp === each.taken) continue;
      const event = eventOf(each.series);
      if (stampOf(each.series.file) !== stamp) continue;
      each.taken = stamp;
      onRead(event);
    }
  });
}

/** A value that changes with each write of a file, or the reason why it cannot be read. */
function stampOf(file: string): string {
  try {
    const { mtimeMs, size, ino } = statSync(file);
    return `${mtimeMs} ${size} ${ino}`;
  } catch (error) {
    return codeOf(error) ?? messageOf(error);
  }
}

function eventOf({ strategyId, need, file }: WatchedSeries): SeriesEvent {
  const about = { kind: 'series', strategyId, name: need.name } as const;
  const rows = () => ({ rows: readSeries(readFile(file), need) });
  return { ...about, read: orAt(ConfigError, rows, ({ message }) => ({ problem: message })) };
}
