import { readFileSync } from 'node:fs';
import { parseRunRecord, type RunRecord } from '../report/runRecord.ts';
import { unreadableFile } from './unreadableFile.ts';

/** The record of a run in a file, given by its absolute path. @throws {ConfigError} with the path for what is none */
export const readRecord = (file: string): RunRecord => parseRunRecord(textOf(file), file);

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw unreadableFile(
      file,
      cause,
      'Correct the path, or write one with `drover backtest … --save FILE.json`',
    );
  }
}
