import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { ConfigError, messageOf } from '../core/errors.ts';
import { LEVELS_MAX, parseBounded } from '../core/nesting.ts';
import type { CommandContext } from './context.ts';

/** What a file of `--faults` says; the emulator judges it. @throws {ConfigError} when there is no such file, or it is not JSON */
export function readFaults(file: string, { cwd }: Pick<CommandContext, 'cwd'>): unknown {
  try {
    return parseBounded(readFileSync(resolve(cwd, file), 'utf8'), LEVELS_MAX);
  } catch (error) {
    throw new ConfigError(`--faults ${file}: ${messageOf(error)}`);
  }
}
