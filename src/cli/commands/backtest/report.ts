import { basename, dirname, extname, join, resolve } from 'node:path';
import { ConfigError } from '../../../core/errors.ts';
import { reportPage } from '../../../report/html/page.ts';
import type { RunRecord } from '../../../report/runRecord.ts';
import type { CommandContext } from '../../context.ts';
import { EXIT } from '../../exitCodes.ts';
import { printResult, toJson } from '../../output.ts';
import { reportScript } from './reportScript.ts';
import { PAGE, readRecord, RECORD, requirePlace, writeWhole, type FileKind } from '../../files.ts';

type ReportFlags = Readonly<{ record?: string; state?: string; of?: string; out?: string; save?: string }>;

/** `drover report`: writes the record of a run, or of the journal of one, as one HTML page. */
export async function reportCommand(flags: ReportFlags, context: CommandContext): Promise<number> {
  const { record: named, state, of, save } = flags;
  if (named === undefined) return reportState(flags, context);
  if (state !== undefined || of !== undefined || save !== undefined)
    throw new ConfigError(`${named} is a record already: leave out --state, --of and --save, or the file`);
  const { cwd } = context;
  const file = resolve(cwd, named);
  const record = readRecord(file);
  const out = flags.out === undefined ? beside(file) : resolve(cwd, flags.out);
  if (out === file) throw new ConfigError(`--out: ${out} is the record itself. Name another file`, { file });
  requirePlace(out, '--out', PAGE);
  const bytes = writeReport(out, record, '--out');
  const { runId } = record.run;
  printResult(context, { report: out, bytes, runId }, pageText(out, bytes));
  return EXIT.done;
}

/**
 * Writes pages of the journal of a run, or its records where `--save` asks for them; with `--json` prints the records, and writes
 * what flags ask for.
 */
async function reportState(
  { state, of = 'account', out, save }: ReportFlags,
  context: CommandContext,
): Promise<number> {
  const { json, terminal, cwd } = context;
  if (out !== undefined && out === save)
    throw new ConfigError(`--out: ${out} is where --save writes. Name another file`);
  const { journalRun, recordsOf } = await import('./liveReport.ts');
  const records = recordsOf(await journalRun(state === undefined ? {} : { state }, context), of);
  const placed = (name: string | null, flag: string, kind: FileKind) =>
    name === null ? [] : placesOf(records, { name, of, flag, kind }, cwd);
  const pages = placed(out ?? (json || save !== undefined ? null : 'report.html'), '--out', PAGE);
  const files = placed(save ?? null, '--save', RECORD);
  const texts = pages.map(({ path, record }) => pageText(path, writeReport(path, record, '--out')));
  for (const { path, record } of files) {
    writeWhole(path, toJson(record), '--save');
    texts.push(`record   ${path}`);
  }
  if (json)
    terminal.out(toJson(of === 'strategies' ? Object.fromEntries(records) : [...records.values()][0]));
  else terminal.out(texts.join('\n'));
  return EXIT.done;
}

type Target = Readonly<{ name: string; of: string; flag: string; kind: FileKind }>;

/** Path of the file of each record. @throws {ConfigError} for a place that cannot be used */
const placesOf = (records: ReadonlyMap<string, RunRecord>, { name, of, flag, kind }: Target, cwd: string) =>
  [...records].map(([owner, record]) => {
    const path = resolve(cwd, of === 'strategies' ? ofStrategy(name, owner) : name);
    requirePlace(path, flag, kind);
    return { path, record };
  });

/** Writes a record as a page, and returns its length in bytes. `flag`: named in the error when the file cannot be written. */
export function writeReport(path: string, record: RunRecord, flag: string): number {
  const page = reportPage(record, reportScript());
  writeWhole(path, page, flag);
  return Buffer.byteLength(page);
}

const pageText = (path: string, bytes: number): string => `report   ${path} (${kilobytes(bytes)})`;

const kilobytes = (bytes: number): string => `${Math.ceil(bytes / 1000).toLocaleString('en-US')} kB`;

/** `runs/a.json` makes `runs/a.html`. */
const beside = (file: string): string => join(dirname(file), `${basename(file, extname(file))}.html`);

/** `runs/a.html` makes `runs/a-trend.html` for the strategy trend. */
const ofStrategy = (file: string, id: string): string =>
  join(dirname(file), `${basename(file, extname(file))}-${id}${extname(file)}`);
