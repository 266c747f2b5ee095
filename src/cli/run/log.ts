import { openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../core/clock.ts';
import { createLog, type Log } from '../../core/log.ts';
import type { LoadedConfig } from '../config/load.ts';
import type { CommandContext } from '../context.ts';

type LogPlace = Readonly<{ loaded: LoadedConfig; stateDir: string; context: CommandContext; clock: Clock }>;

/** Written at once, so that the last line before an end is there. A disk that takes no more loses lines, not the run. */
export function openLog({ loaded, stateDir, context, clock }: LogPlace): Log {
  const { level, file = join(stateDir, 'drover.log') } = loaded.config.log;
  const descriptor = openSync(file, 'a', 0o600);
  let lost = 0;
  const write = (line: string) => {
    try {
      writeSync(descriptor, lost > 0 ? `{"level":40,"lost":${lost},"msg":"lines were lost"}\n${line}` : line);
      lost = 0;
    } catch {
      lost++;
    }
  };
  return createLog({ level, clock, secrets: context.secrets, write });
}
