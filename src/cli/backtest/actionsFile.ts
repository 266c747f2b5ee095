import { readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import type { BacktestAction } from '../../backtest/options.ts';
import { ConfigError } from '../../core/errors.ts';
import { isTicker } from '../../domain/instrument.ts';
import { readActions } from '../../market/actionsCsv.ts';
import { unreadableFile } from '../files.ts';

/**
 * The splits and dividends that `--actions SYMBOL=FILE` names, as `drover data import --actions` takes them.
 * @throws {ConfigError} with file and line for what cannot be read
 */
export function readActionsFile(argument: string, cwd: string): BacktestAction[] {
  const [, symbol = '', name = ''] = /^([^=]+)=(.+)$/.exec(argument) ?? [];
  if (!isTicker(symbol) || name === '')
    throw new ConfigError(`--actions "${argument}": write SYMBOL=FILE, with the symbol in upper case`);
  const file = resolve(cwd, name);
  const source = { kind: 'file', name: basename(file) } as const;
  return readActions(textOf(file), { file, source }).map((action) => ({ symbol, ...action }));
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw unreadableFile(file, cause);
  }
}
