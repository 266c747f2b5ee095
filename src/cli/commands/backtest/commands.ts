import type { Command } from 'commander';
import { collect, numberOrText, wholeNumber, type Wire } from '../../wire.ts';

export function addBacktest(program: Command, wire: Wire): void {
  const backtest = withRun(program.command('backtest'))
    .description('run strategies over bars from files or the store')
    .option(
      '--benchmark <symbol>',
      'what it is measured by: a symbol, played or stored, or none (default: the first symbol)',
    )
    .option('--risk-free <rate>', 'a year, as 0.04 for 4 %, for ratios (default: 0)', numberOrText)
    .option(
      '--trials <n>',
      'runs that it was chosen from, itself among them: deflates the Sharpe',
      numberOrText,
    )
    .option(
      '--trial-variance <v>',
      'of their yearly Sharpe ratios (default: what chance gives to runs of this length)',
      numberOrText,
    )
    .option('--initial-risk <model>', 'what a trade stakes: bps:N of its cost, or cash:N in mUSD')
    .option('--sensitivity', 'run again with slippage, latency and doubtful fills the other way')
    .option('--isolate', 'run each strategy in a thread of its own, as a run does: the same result, slower')
    .option('--save <file>', 'write all of it there as JSON, for `drover compare` and reports')
    .option('--report <file>', 'draw it there as one HTML page that needs no network');
  wire(backtest, async () => (await import('./backtest.ts')).backtestCommand);
}

export function addLookaheadCheck(program: Command, wire: Wire): void {
  const check = withRun(program.command('lookahead-check'))
    .description('whether strategies decide the same on histories that end early; exit 1 when they do not')
    .option('--histories <n>', 'how many of them (default: 50)', wholeNumber);
  wire(check, async () => (await import('./lookaheadCheck.ts')).lookaheadCheckCommand);
}

/** What says how a backtest goes. */
function withRun(command: Command): Command {
  return command
    .argument('[config]', 'config file that names the strategies, instead of --strategy')
    .option('--strategy <file>', 'strategy file, or the name of a bundled one')
    .option('--params <json>', 'its parameters')
    .option(
      '--bars <symbol=file>',
      'CSV (ts,open,high,low,close,volume) or .f64, or a symbol that is stored; may be repeated (default: what the strategies ask for, from the store)',
      collect,
    )
    .option(
      '--actions <symbol=file>',
      'splits and dividends of it, as CSV (exDate,type,oldRate,newRate,cashPerShare); may be repeated (default: those that are stored with its bars)',
      collect,
    )
    .option('--data <dir>', 'folder of the stored bars, instead of what the config says')
    .option('--interval <length>', 'length of the bars in FILE: 1m, 3m, 5m, 15m, 1h, 1d or 1w (default: 1d)')
    .option('--cash <amount>', 'mUSD at the start (default: 100000)')
    .option('--fees <model>', 'venue, none or bps:N of the notional on each side (default: venue)')
    .option('--fill <model>', 'venue, next-open or close (default: venue)')
    .option(
      '--slippage <model>',
      'none, bps:N, spread:N or volume:N (default: spread:0.5 for venue, else none)',
    )
    .option(
      '--limit-fill <rule>',
      'a resting limit fills on touch or only when passed through (default: touch)',
    )
    .option('--volume-cap <part>', "most of a bar's volume that orders get, 0 to 1", numberOrText)
    .option('--latency <ms>', 'from sending to the market (default: 0)', numberOrText)
    .option('--ambiguous <rule>', 'worst or best: whether the bar in which an order arrives counts for it')
    .option(
      '--delisted <rule>',
      'last, zero or error: worth of shares whose bars end before the run (default: last)',
    )
    .option('--from <time>', 'first instant that counts; earlier bars warm up')
    .option('--to <time>', 'bars from here on are left out')
    .option('--seed <n>', 'part of the identity of the run', wholeNumber);
}

export function addCompare(program: Command, wire: Wire): void {
  const compare = program
    .command('compare')
    .description('two saved runs side by side: settings, totals, metrics, and where their trades part')
    .argument('<a>', 'file that `drover backtest … --save` wrote')
    .argument('<b>', 'another one');
  wire(compare, async () => (await import('./compare.ts')).compareCommand);
}

export function addReport(program: Command, wire: Wire): void {
  const report = program
    .command('report')
    .description('the record of a run as one HTML page that needs no network')
    .argument('<record>', 'file that `drover backtest … --save` wrote')
    .option('--out <file>', 'where to (default: beside the record, as .html)');
  wire(report, async () => (await import('./report.ts')).reportCommand);
}
