import { basename, dirname, extname, join, resolve } from 'node:path';
import { ConfigError } from '../../../core/errors.ts';
import { reportPage } from '../../../report/html/page.ts';
import type { RunRecord } from '../../../report/runRecord.ts';
import type { CommandContext } from '../../context.ts';
import { EXIT } from '../../exitCodes.ts';
import { printResult, toJson } from '../../output.ts';
import { reportScript } from './reportScript.ts';
import { readRecord, PAGE, requirePlace, writeWhole } from '../../files.ts';

type ReportFlags = Readonly<{ record?: string; state?: string; of?: string; out?: string }>;

/** `drover report`: writes the record of a run, or of the journal of one, as one HTML page. */
export async function reportCommand(flags: ReportFlags, context: CommandContext): Promise<number> {
  const { record: named, state, of } = flags;
  if (named === undefined) return reportState(flags, context);
  if (state !== undefined || of !== undefined)
    throw new ConfigError(`${named} is a record already: leave out --state and --of, or the file`);
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

/** Writes pages of the journal of a run; with `--json` prints the records instead, and writes pages where `--out` asks for it. */
async function reportState(
  { state, of = 'account', out }: ReportFlags,
  context: CommandContext,
): Promise<number> {
  const { cwd, json, terminal } = context;
  const wanted = out ?? (json ? null : 'report.html');
  const { journalRun, recordsOf } = await import('./liveReport.ts');
  const records = recordsOf(await journalRun(state === undefined ? {} : { state }, context), of);
  const texts: string[] = [];
  if (wanted !== null) {
    const places = [...records].map(([owner, record]) => {
      const path = resolve(cwd, of === 'strategies' ? ofStrategy(wanted, owner) : wanted);
      requirePlace(path, '--out', PAGE);
      return { path, record };
    });
    for (const { path, record } of places) texts.push(pageText(path, writeReport(path, record, '--out')));
  }
  if (json)
    terminal.out(toJson(of === 'strategies' ? Object.fromEntries(records) : [...records.values()][0]));
  else terminal.out(texts.join('\n'));
  return EXIT.done;
}

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
