import type { Command } from 'commander';
import { collect, numberOrText, wholeNumber, withExamples, type Wire } from '../../wire.ts';

const DATA = ['--data <dir>', 'folder of the data, overriding the config'] as const;
const INTERVAL = ['--interval <length>', '1m, 3m, 5m, 15m, 1h, 1d or 1w (default: 1d)'] as const;
const FROM = ['--from <time>', 'first instant, New York time or with a zone'] as const;
const TO = ['--to <time>', 'end, exclusive'] as const;
const SESSIONS = [
  '--sessions <which>',
  'regular, or all: also pre, post and overnight (default: regular)',
] as const;
const OVERWRITE = ['--overwrite', 'replace stored bars that differ from the new ones'] as const;

/** `drover data …` */
export function addData(program: Command, wire: Wire): void {
  const data = program.command('data').description('manage the bars stored on this machine for backtests');
  withExamples(
    data,
    ['data generate TEST --from 2024-01-01 --to 2025-01-01', 'bars to try things with'],
    ['data import AAPL.csv', 'bars of your own'],
  );
  addSources(data, wire);
  const list = data
    .command('list')
    .description('list what is stored')
    .option(...DATA);
  wire(list, async () => (await import('./inspect.ts')).dataList);
  const verify = data
    .command('verify')
    .description('check every byte, price and gap; exit 1 for errors, or nothing')
    .argument('[symbols...]', 'only these')
    .option('--interval <length>', 'only bars of this length')
    .option(...DATA);
  wire(verify, async () => (await import('./inspect.ts')).dataVerify);
  const accept = data
    .command('accept')
    .description('record that a finding of verify is genuine, so that it is not reported again')
    .argument('<symbol>', 'such as GME')
    .requiredOption('--finding <id>', 'repeatable: a finding by its id or its date', collect)
    .option('--reason <text>', 'why the prices are right')
    .option('--undo', 'report it again')
    .option(...DATA);
  wire(accept, async () => (await import('./accept.ts')).dataAccept);
  const out = data
    .command('export')
    .description('print bars as CSV, or write them to a new file')
    .argument('<symbol>', 'such as AAPL')
    .option(...INTERVAL)
    .option('--format <format>', 'csv or f64 (default: csv)')
    .option('--out <file>', 'a file that does not exist yet')
    .option('--sessions <which>', 'regular, outside or all (default: regular)')
    .option('--adjusted', "adjust prices for splits and dividends by the venue's factors")
    .option(...FROM)
    .option(...TO)
    .option(...DATA);
  wire(out, async () => (await import('./export.ts')).dataExport);
}

function addSources(data: Command, wire: Wire): void {
  const pull = data
    .command('pull')
    .description("download missing bars, factors and corporate actions from the venue's history")
    .argument('[symbols...]', 'default: those already stored')
    .option(...INTERVAL)
    .option(...FROM)
    .option(...TO)
    .option('--refetch', 'download stored bars again, and compare')
    .option(...OVERWRITE)
    .option(...DATA);
  wire(pull, async () => (await import('./pull.ts')).dataPull);
  const take = data
    .command('import')
    .description('import bars from files or a folder: CSV, also of other sources, or .f64')
    .argument('<files...>', 'such as AAPL.csv, or a folder of files named after their symbols')
    .option('--symbol <symbol>', 'symbol of the bars (in a folder, file names give the symbols)')
    .option('--columns <names>', 'columns of a CSV by name, such as "ts=Day,close=Last"')
    .option('--prices <kind>', 'raw, splits or all: how the source adjusts prices (default: by source)')
    .option('--zone <zone>', 'zone of times that name none: new-york, utc or a name such as Europe/Berlin')
    .option('--dates <order>', 'dmy, mdy or ymd: order of day, month and year in the dates')
    .option('--decimal <sign>', 'point or comma: the decimal separator')
    .option('--shares-of <day>', 'ex-date or today: share count that the dividends refer to')
    .option('--as-of <date>', 'day on which an adjusting source wrote the file')
    .option(...INTERVAL)
    .option(...SESSIONS)
    .option('--actions', 'import corporate actions (exDate,type,oldRate,newRate,cashPerShare)')
    .option(...OVERWRITE)
    .option(...DATA);
  wire(take, async () => (await import('./import.ts')).dataImport);
  const generate = data
    .command('generate')
    .description('generate bars on real sessions; the same seed gives the same bars')
    .argument('<symbols...>', 'such as TEST')
    .option('--interval <length>', 'bar length; repeatable, from the same minutes (default: 1d)', collect)
    .requiredOption(...FROM)
    .requiredOption(...TO)
    .option(...SESSIONS)
    .option('--seed <n>', 'default: 1', wholeNumber)
    .option('--price <n>', 'price at the first open (default: by seed and symbol)', numberOrText)
    .option('--volatility <n>', 'annual volatility as a fraction (default: 0.28)', numberOrText)
    .option('--overwrite', 'replace bars that were generated before')
    .option(...DATA);
  wire(generate, async () => (await import('./generate.ts')).dataGenerate);
}
