import type { Command } from 'commander';
import { collect, numberOrText, wholeNumber, type Wire } from '../../wire.ts';

const DATA = ['--data <dir>', 'folder of the data, instead of what the config says'] as const;
const INTERVAL = ['--interval <length>', '1m, 3m, 5m, 15m, 1h, 1d or 1w (default: 1d)'] as const;
const FROM = ['--from <time>', 'first instant, New York time or with a zone'] as const;
const TO = ['--to <time>', 'bars from here on are left out'] as const;
const OVERWRITE = ['--overwrite', 'where bars differ from what is stored, take the new ones'] as const;

/** `drover data …` */
export function addData(program: Command, wire: Wire): void {
  const data = program.command('data').description('bars of the past on this machine, for backtests');
  addSources(data, wire);
  const list = data
    .command('list')
    .description('what is stored')
    .option(...DATA);
  wire(list, async () => (await import('./inspect.ts')).dataList);
  const verify = data
    .command('verify')
    .description('check every byte, price and gap; exit 1 when there are errors')
    .argument('[symbols...]', 'these alone')
    .option('--interval <length>', 'of this length alone')
    .option(...DATA);
  wire(verify, async () => (await import('./inspect.ts')).dataVerify);
  const out = data
    .command('export')
    .description('print bars as CSV, or write them to a new file')
    .argument('<symbol>', 'such as AAPL')
    .option(...INTERVAL)
    .option('--format <format>', 'csv or f64 (default: csv)')
    .option('--out <file>', 'a file that is not there yet')
    .option('--adjusted', 'prices adjusted for splits and dividends, as the venue told its factors')
    .option(...FROM)
    .option(...TO)
    .option(...DATA);
  wire(out, async () => (await import('./export.ts')).dataExport);
}

function addSources(data: Command, wire: Wire): void {
  const pull = data
    .command('pull')
    .description("what is missing, from the venue's history: raw prices, factors and corporate actions")
    .argument('[symbols...]', 'default: those that are stored')
    .option(...INTERVAL)
    .option(...FROM)
    .option(...TO)
    .option('--refetch', 'ask for what is stored, too, and compare')
    .option(...OVERWRITE)
    .option(...DATA);
  wire(pull, async () => (await import('./pull.ts')).dataPull);
  const take = data
    .command('import')
    .description('take in bars from files: CSV (ts,open,high,low,close,volume) or .f64')
    .argument('<files...>', 'such as AAPL.csv')
    .requiredOption('--symbol <symbol>', 'whose bars they are')
    .option(...INTERVAL)
    .option('--actions', 'the files have corporate actions (exDate,type,oldRate,newRate,cashPerShare)')
    .option(...OVERWRITE)
    .option(...DATA);
  wire(take, async () => (await import('./import.ts')).dataImport);
  const generate = data
    .command('generate')
    .description('make up bars on real sessions: the same for the same seed')
    .argument('<symbols...>', 'such as TEST')
    .option('--interval <length>', 'may be repeated: all are made of the same minutes (default: 1d)', collect)
    .requiredOption(...FROM)
    .requiredOption(...TO)
    .option('--seed <n>', 'default: 1', wholeNumber)
    .option('--price <n>', 'at the first open (default: by seed and symbol)', numberOrText)
    .option('--volatility <n>', 'of a year (default: 0.28)', numberOrText)
    .option('--overwrite', 'take the place of bars that were made up before')
    .option(...DATA);
  wire(generate, async () => (await import('./generate.ts')).dataGenerate);
}
