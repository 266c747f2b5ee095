import type { Command } from 'commander';
import { collect, numberOrText, wholeNumber, withExamples, type Wire } from '../../wire.ts';

/** `drover backtest` and `drover lookahead-check`, `drover compare` and `drover report` */
export function addBacktest(program: Command, wire: Wire): void {
  const backtest = withOutsideFlags(withSimulationFlags(program.command('backtest')))
    .description('run strategies over bars from files or the store')
    .option(
      '--benchmark <symbol>',
      'all stocks equally weighted (default), one traded or stored symbol, or none',
    )
    .option('--risk-free <rate>', 'annual rate as a fraction, 0.04 for 4 % (default: 0)', numberOrText)
    .option('--trials <n>', 'number of backtests this one was selected from, itself included', numberOrText)
    .option(
      '--trial-variance <v>',
      'variance of the annual Sharpe ratios of these trials (default: that of chance)',
      numberOrText,
    )
    .option('--initial-risk <model>', 'risk per trade: bps:N of its cost, or cash:N in mUSD')
    .option('--like <dir>', 'take capital, dates and prices from the run in this state folder')
    .option('--sensitivity', 'repeat with other slippage, latency and treatment of ambiguous fills')
    .option('--isolate', 'run each strategy in a thread of its own: same result, slower')
    .option('--save <file>', 'write the record as JSON, for `drover compare` and reports')
    .option('--report <file>', 'write an HTML report that needs no network')
    .option('--trades <file>', 'write the closed trades as CSV, with every digit');
  wire(backtest, async () => (await import('./backtest.ts')).backtestCommand);
  withExamples(
    backtest,
    ['backtest --strategy sma-cross --bars AAPL=aapl.csv --report run.html', 'one strategy, one file'],
    ['backtest my.yaml --from 2025-01-01 --json', 'the strategies of a config, as JSON'],
  );
  addRecords(program, wire);
  const check = withOutsideFlags(withSimulationFlags(program.command('lookahead-check')))
    .description('check that strategies decide the same on truncated histories; exit 1 if not')
    .option('--histories <n>', 'number of truncated histories (default: 50)', wholeNumber);
  wire(check, async () => (await import('./backtest.ts')).lookaheadCheckCommand);
  withExamples(check, ['lookahead-check --strategy ./mine.ts --bars AAPL', 'does it look ahead?']);
}

/** Flags of every command that runs strategies over bars. */
export function withSimulationFlags(command: Command): Command {
  return withBarFlags(command)
    .option('--cash <amount>', 'mUSD at the start (default: 100000)')
    .option('--fees <model>', 'venue, none or bps:N of the notional on each side (default: venue)')
    .option('--fill <model>', 'venue (default), next-open, close, or the file of a model, ./fill.ts')
    .option(
      '--slippage <model>',
      'none, bps:N, spread:N or volume:N (default: spread:0.5 for venue, else none)',
    )
    .option('--limit-fill <rule>', 'touch or through: when a resting limit fills (default: touch)')
    .option(
      '--volume-cap <part>',
      "largest share of a bar's volume that orders may fill, 0 to 1",
      numberOrText,
    )
    .option('--latency <ms>', 'time from sending to the market (default: 0)', numberOrText)
    .option('--ambiguous <rule>', 'worst or best: may an order fill in the bar in which it arrives')
    .option('--delisted <rule>', 'last, zero or error: value of shares whose bars end early (default: last)')
    .option('--dividends <way>', 'cash, tokens or price: how they are paid (default: as configured, or cash)')
    .option(
      '--withheld <percent>',
      'share of each dividend that is withheld (default: as configured, else 0)',
      numberOrText,
    )
    .option('--from <time>', 'first instant of the run; earlier bars warm up')
    .option('--to <time>', 'end of the run, exclusive')
    .option('--seed <n>', 'part of the identity of the run', wholeNumber);
}

/** Flags for phases outside the regular session. */
export const withOutsideFlags = (command: Command): Command =>
  command
    .option(
      '--trade <phases>',
      'overnight, pre, regular and post, such as regular,post (default: as configured)',
    )
    .option('--slippage-outside <model>', 'slippage outside the session (default: as inside it)');

function withBarFlags(command: Command): Command {
  return command
    .argument('[config]', 'config file that names the strategies, instead of --strategy')
    .option('--strategy <file>', 'strategy file, or the name of a bundled one')
    .option('--params <json>', 'parameters of the strategy')
    .option('--series <name=file>', 'CSV of a dated series that it asks for; repeatable', collect)
    .option(
      '--bars <symbol=file>',
      'CSV (ts,open,high,low,close,volume), .f64, or a stored symbol (default: stored)',
      collect,
    )
    .option(
      '--actions <symbol=file>',
      'CSV (exDate,type,oldRate,newRate,cashPerShare); repeatable (default: stored)',
      collect,
    )
    .option('--data <dir>', 'folder of the stored bars, overriding the config')
    .option('--interval <length>', 'length of the bars in FILE: 1m, 3m, 5m, 15m, 1h, 1d or 1w (default: 1d)');
}

function addRecords(program: Command, wire: Wire): void {
  const compare = program
    .command('compare')
    .description('compare two runs: settings, totals, metrics, fills, first trade that differs')
    .argument('<a>', 'file of `drover backtest … --save`, or the state folder of a run')
    .argument('<b>', 'another one')
    .option('--of <owner>', 'from a state folder: account, all strategies together, or the id of one');
  wire(compare, async () => (await import('./compare.ts')).compareCommand);
  withExamples(compare, ['compare a.json b.json', 'what differs between two runs']);
  const report = program
    .command('report')
    .description('write the record of a run as one HTML page that needs no network')
    .argument('[record]', 'file that `drover backtest … --save` wrote')
    .option('--state <dir>', 'state folder of a run instead, even while it runs')
    .option('--of <owner>', 'account, strategies, or the id of one (default: account)')
    .option('--out <file>', 'target file (default: beside the record, else report.html)')
    .option('--save <file>', 'write the record of the state folder as JSON, as backtest --save does')
    .option('--trades <file>', 'write the closed trades as CSV, with every digit');
  wire(report, async () => (await import('./report.ts')).reportCommand);
  withExamples(report, ['report --state state --out run.html', 'the current run, as a page']);
}
