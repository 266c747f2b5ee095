import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { ConfigError } from '../../core/errors.ts';
import { LEVELS_MAX, parseBounded } from '../../core/nesting.ts';
import type { CommandContext } from '../context.ts';
import { unreadableFile } from '../files.ts';

/** What a file of `--faults` says; the emulator judges it. @throws {ConfigError} when there is no such file, or it is not JSON */
export function readFaults(file: string, { cwd }: Pick<CommandContext, 'cwd'>): unknown {
  const text = textOf(file, cwd);
  try {
    return parseBounded(text, LEVELS_MAX);
  } catch {
    // What the parser says quotes the file, which may be another than was meant.
    throw new ConfigError(
      `--faults ${file}: is not JSON, or nested deeper than ${LEVELS_MAX} levels. config/hard-day.json shows what a plan looks like`,
    );
  }
}

function textOf(file: string, cwd: string): string {
  try {
    return readFileSync(resolve(cwd, file), 'utf8');
  } catch (error) {
    throw unreadableFile(`--faults ${file}`, error);
  }
}
