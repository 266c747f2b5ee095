import { basename, dirname, extname, join, resolve } from 'node:path';
import { ConfigError } from '../../../core/errors.ts';
import { reportPage } from '../../../report/html/page.ts';
import type { RunRecord } from '../../../report/runRecord.ts';
import { tradesCsv } from '../../../report/tradesCsv.ts';
import type { CommandContext } from '../../../process/context.ts';
import { EXIT } from '../../../process/exitCodes.ts';
import { printResult, toJson } from '../../../process/output.ts';
import { reportScript } from './reportScript.ts';
import {
  PAGE,
  RECORD,
  requireDistinct,
  requirePlace,
  TRADES,
  writeWhole,
  type FileKind,
} from '../../../process/files.ts';
import { readRecord } from '../../../process/recordFile.ts';

type ReportFlags = Readonly<{
  record?: string;
  state?: string;
  of?: string;
  out?: string;
  save?: string;
  trades?: string;
}>;

/** `drover report`: writes the record of a run, from a file or its journal, as one HTML page. */
export async function reportCommand(flags: ReportFlags, context: CommandContext): Promise<number> {
  const { record: named, state, of, out, save, trades } = flags;
  requireDistinct({ '--save': save, '--out': out, '--trades': trades }, context.cwd);
  if (named === undefined) return reportState(flags, context);
  if (state !== undefined || of !== undefined || save !== undefined)
    throw new ConfigError(`${named} is a record already: leave out --state, --of and --save, or the file`);
  return reportRecord(named, flags, context);
}

/** Writes the page of a record, or only the list of its trades if nothing else is requested. */
function reportRecord(
  named: string,
  { out, trades }: Pick<ReportFlags, 'out' | 'trades'>,
  context: CommandContext,
): number {
  const { cwd } = context;
  const file = resolve(cwd, named);
  const record = readRecord(file);
  const { runId } = record.run;
  const chosen = out ?? (trades === undefined ? beside(file) : null);
  const page = chosen === null ? null : resolve(cwd, chosen);
  if (page === file)
    throw new ConfigError(`--out: ${page} is the record itself. Name another file`, { file });
  const list = trades === undefined ? null : resolve(cwd, trades);
  if (page !== null) requirePlace(page, '--out', PAGE);
  if (list !== null) requirePlace(list, '--trades', TRADES);
  const bytes = page === null ? null : writeReport(page, record, '--out');
  if (list !== null) writeTrades(list, record);
  return printResult(
    context,
    { ...(page !== null && { report: page, bytes }), ...(list !== null && { trades: list }), runId },
    [
      ...(page !== null && bytes !== null ? [pageText(page, bytes)] : []),
      ...(list === null ? [] : [tradesText(list)]),
    ].join('\n'),
  );
}

/**
 * Writes pages from the journal of a run, or its records with `--save`; with `--json` prints the records, and writes only what
 * flags request.
 */
async function reportState(
  { state, of = 'account', out, save, trades }: ReportFlags,
  context: CommandContext,
): Promise<number> {
  const { json, terminal, cwd } = context;
  const { journalRun, recordsOf } = await import('./liveReport.ts');
  const records = recordsOf(await journalRun(state === undefined ? {} : { state }, context), of);
  const placed = (name: string | null, flag: string, kind: FileKind) =>
    name === null ? [] : placesOf(records, { name, of, flag, kind }, cwd);
  const hasOther = json || save !== undefined || trades !== undefined;
  const pages = placed(out ?? (hasOther ? null : 'report.html'), '--out', PAGE);
  const files = placed(save ?? null, '--save', RECORD);
  const lists = placed(trades ?? null, '--trades', TRADES);
  const texts = pages.map(({ path, record }) => pageText(path, writeReport(path, record, '--out')));
  for (const { path, record } of files) {
    writeWhole(path, toJson(record), '--save');
    texts.push(`record   ${path}`);
  }
  for (const { path, record } of lists) {
    writeTrades(path, record);
    texts.push(tradesText(path));
  }
  if (json)
    terminal.out(toJson(of === 'strategies' ? Object.fromEntries(records) : [...records.values()][0]));
  else terminal.out(texts.join('\n'));
  return EXIT.done;
}

type Target = Readonly<{ name: string; of: string; flag: string; kind: FileKind }>;

/** Path of each record's file. @throws {ConfigError} for an unusable path */
const placesOf = (records: ReadonlyMap<string, RunRecord>, { name, of, flag, kind }: Target, cwd: string) =>
  [...records].map(([owner, record]) => {
    const path = resolve(cwd, of === 'strategies' ? ofStrategy(name, owner) : name);
    requirePlace(path, flag, kind);
    return { path, record };
  });

/** Writes a record as a page, and returns its length in bytes. `flag`: named in the error if the file cannot be written. */
export function writeReport(path: string, record: RunRecord, flag: string): number {
  const page = reportPage(record, reportScript());
  writeWhole(path, page, flag);
  return Buffer.byteLength(page);
}

/** Writes the closed trades of a record as CSV. */
export const writeTrades = (path: string, record: RunRecord): void =>
  writeWhole(path, tradesCsv(record), '--trades');

const pageText = (path: string, bytes: number): string => `report   ${path} (${kilobytes(bytes)})`;

const tradesText = (path: string): string => `trades   ${path}`;

const kilobytes = (bytes: number): string => `${Math.ceil(bytes / 1000).toLocaleString('en-US')} kB`;

/** `runs/a.json` becomes `runs/a.html`. */
const beside = (file: string): string => join(dirname(file), `${basename(file, extname(file))}.html`);

/** `runs/a.html` becomes `runs/a-trend.html` for the strategy trend. */
const ofStrategy = (file: string, id: string): string =>
  join(dirname(file), `${basename(file, extname(file))}-${id}${extname(file)}`);
