import { join } from 'node:path';
import type { Clock } from '../../core/clock.ts';
import { createLog, type Log } from '../../core/log.ts';
import { atPath, type PathUse } from '../../process/files.ts';
import type { LoadedConfig } from '../config/load.ts';
import type { CommandContext } from '../../process/context.ts';
import { LogFile } from './logFile.ts';
import type { RunMonitor } from './monitor.ts';

type LogPlace = Readonly<{
  loaded: LoadedConfig;
  stateDir: string;
  context: CommandContext;
  clock: Clock;
  monitor: Pick<RunMonitor, 'countDropped'>;
}>;

const USE: PathUse = {
  what: 'the log',
  remedy: 'Make its folder, let this user write there, or name another file by log.file',
};

/**
 * Opens the log. The run does not wait for it; lines still waiting are written at the end of the process. @throws
 * {ConfigError} when it cannot be written
 */
export function openLog({ loaded, stateDir, context, clock, monitor }: LogPlace): Log {
  const { level, file = join(stateDir, 'drover.log'), maxMb, keep } = loaded.config.log;
  const lines = atPath(file, USE, () => new LogFile(file, { maxBytes: maxMb * 1_000_000, keep }));
  monitor.countDropped('log', () => lines.dropped);
  context.onExit(() => lines.flush());
  return createLog({ level, clock, secrets: context.secrets, write: (line) => lines.add(line) });
}
