import { parseRunRecord, type RunRecord } from '../report/runRecord.ts';
import { readText } from './files.ts';

const NO_RECORD = 'Correct the path, or write one with `drover backtest … --save FILE.json`';

/**
 * The record of a run in a file, given by its absolute path. Kept apart because every command reads files, but few need this schema.
 * @throws {ConfigError} with the path of a file that is not a record
 */
export const readRecord = (file: string): RunRecord => parseRunRecord(readText(file, NO_RECORD), file);
