import { basename, dirname, extname, join, resolve } from 'node:path';
import { ConfigError } from '../../../core/errors.ts';
import { reportPage } from '../../../report/html/page.ts';
import type { RunRecord } from '../../../report/runRecord.ts';
import type { CommandContext } from '../../context.ts';
import { EXIT } from '../../exitCodes.ts';
import { printResult } from '../../output.ts';
import { readRecord, PAGE, requirePlace, writeWhole } from '../../files.ts';

type ReportFlags = Readonly<{ record?: string; out?: string }>;

/** `drover report`: writes the record of a run as one HTML page. */
export function reportCommand(flags: ReportFlags, context: CommandContext): number {
  const { cwd } = context;
  const file = resolve(cwd, flags.record ?? '');
  const record = readRecord(file);
  const out = flags.out === undefined ? beside(file) : resolve(cwd, flags.out);
  if (out === file) throw new ConfigError(`--out: ${out} is the record itself. Name another file`, { file });
  requirePlace(out, '--out', PAGE);
  const bytes = writeReport(out, record, '--out');
  const { runId } = record.run;
  printResult(context, { report: out, bytes, runId }, `report   ${out} (${kilobytes(bytes)})`);
  return EXIT.done;
}

/** Writes a record as a page, and returns its length in bytes. `flag`: named in the error when the file cannot be written. */
export function writeReport(path: string, record: RunRecord, flag: string): number {
  const page = reportPage(record);
  writeWhole(path, page, flag);
  return Buffer.byteLength(page);
}

const kilobytes = (bytes: number): string => `${Math.ceil(bytes / 1000).toLocaleString('en-US')} kB`;

/** `runs/a.json` makes `runs/a.html`. */
const beside = (file: string): string => join(dirname(file), `${basename(file, extname(file))}.html`);
