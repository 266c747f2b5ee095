import { reportScript } from '../../../src/cli/commands/backtest/reportScript.ts';
import { reportPage } from '../../../src/report/html/page.ts';
import type { RunRecord } from '../../../src/report/runRecord.ts';

/** The report of a record with the script that it has on disk. */
export const pageOf = (record: RunRecord): string => reportPage(record, reportScript());
