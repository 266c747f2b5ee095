import { resolve } from 'node:path';
import type { BacktestBars, BacktestOptions, FillKind } from '../../backtest/options.ts';
import type { BacktestResult } from '../../backtest/result.ts';
import { runBacktest } from '../../backtest/runBacktest.ts';
import { ConfigError } from '../../core/errors.ts';
import { intervalOf, readBars } from '../backtest/barFiles.ts';
import { givenStrategies } from '../backtest/strategies.ts';
import { parseInstant } from '../config/instant.ts';
import type { CommandContext } from '../context.ts';
import { EXIT } from '../exitCodes.ts';
import { toJson } from '../output.ts';

export type BacktestFlags = Readonly<{
  strategy?: string;
  params?: string;
  bars?: readonly string[];
  data?: string;
  interval?: string;
  cash?: string;
  fees?: string;
  fill?: string;
  slippage?: string;
  limitFill?: string;
  volumeCap?: number | string;
  latency?: number | string;
  ambiguous?: string;
  from?: string;
  to?: string;
  seed?: number;
  benchmark?: string;
  riskFree?: number | string;
  save?: string;
  report?: string;
}>;

/** `drover backtest`: strategies over bars from files or the store, and how it went. */
export async function backtestCommand(flags: BacktestFlags, context: CommandContext): Promise<number> {
  const { clock, terminal, json } = context;
  const begun = clock.monotonic();
  const options = { ...(await givenStrategies(flags, context)), ...optionsOf(flags) };
  const bars = await barsOf(flags, options, context);
  const loaded = clock.monotonic() - begun;
  const all: BacktestOptions = { ...options, bars, clock };
  const result = await runBacktest(all);
  const kept = await keep(flags, { result, options: all }, context);
  const { elapsedMs } = result;
  const { load, report } = elapsedMs;
  const timed = { ...result, elapsedMs: { ...elapsedMs, load: load + loaded, report: report + kept.ms } };
  if (json) terminal.out(toJson({ ...jsonOf(timed), ...kept.files }));
  else {
    terminal.out((await import('../backtest/summary.ts')).backtestText(timed, terminal));
    if (kept.files.report !== undefined) terminal.out(`report   ${kept.files.report}`);
  }
  return EXIT.done;
}

/** From files as they are named, and the rest from the store: nothing of it is loaded for files alone. */
async function barsOf(
  flags: BacktestFlags,
  options: Omit<BacktestOptions, 'bars'>,
  context: CommandContext,
): Promise<BacktestBars[]> {
  const { bars: named = [], data } = flags;
  const interval = flags.interval === undefined ? undefined : intervalOf(flags.interval);
  const warn = (text: string) => context.terminal.err(`drover: ${text}`);
  const files = named
    .filter((argument) => argument.includes('='))
    .map((argument) => readBars(argument, { interval: interval ?? '1d', cwd: context.cwd, warn }));
  const symbols = named.filter((argument) => !argument.includes('='));
  if (files.length > 0 && symbols.length === 0) return files;
  const { barsOfStore } = await import('../backtest/storeBars.ts');
  const given = files.map(({ symbol }) => symbol);
  const where = { symbols, interval, given, ...(data === undefined ? {} : { data }) };
  return [...files, ...barsOfStore({ ...options, bars: [] }, where, context)];
}

type Run = Readonly<{ result: BacktestResult; options: BacktestOptions }>;
type Kept = Readonly<{ files: Readonly<{ report?: string }>; ms: number }>;

/** Writes what is to be kept of a run. Nothing of it is loaded otherwise. */
async function keep({ save, report }: BacktestFlags, run: Run, context: CommandContext): Promise<Kept> {
  if (save === undefined && report === undefined) return { files: {}, ms: 0 };
  const { clock, cwd } = context;
  const begun = clock.monotonic();
  const [record, page] = [save, report].map((file) => (file === undefined ? file : resolve(cwd, file)));
  if (record === page) throw new ConfigError(`--report: ${report} is where --save writes. Name another file`);
  const { recordOf } = await import('../backtest/record.ts');
  const kept = recordOf(run.result, run.options);
  if (record !== undefined) (await import('../wholeFile.ts')).writeWhole(record, toJson(kept), '--save');
  if (page !== undefined) (await import('./report.ts')).writeReport(page, kept, '--report');
  return { files: page === undefined ? {} : { report: page }, ms: clock.monotonic() - begun };
}

/** What the command line says; what it does not is left to the defaults. */
function optionsOf(flags: BacktestFlags): Omit<BacktestOptions, 'bars'> {
  const { cash, fees, fill, slippage, seed, benchmark } = flags;
  const numbers = {
    riskFree: numberOf('risk-free', flags.riskFree),
    volumeCap: numberOf('volume-cap', flags.volumeCap),
    latencyMs: numberOf('latency', flags.latency),
  };
  const given = {
    ...{ cash, fees, slippage, seed, benchmark, ...numbers },
    fill: fill as FillKind | undefined,
    limitFill: oneOf('limit-fill', flags.limitFill, ['touch', 'through'] as const),
    ambiguous: oneOf('ambiguous', flags.ambiguous, ['worst', 'best'] as const),
    from: flags.from === undefined ? undefined : parseInstant(flags.from),
    to: flags.to === undefined ? undefined : parseInstant(flags.to),
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

function numberOf(name: string, value: number | string | undefined): number | undefined {
  if (value === undefined || typeof value === 'number') return value;
  throw new ConfigError(`--${name} "${value}": write a number`);
}

function oneOf<Name extends string>(
  flag: string,
  value: string | undefined,
  names: readonly Name[],
): Name | undefined {
  if (value === undefined) return undefined;
  const found = names.find((name) => name === value);
  if (found) return found;
  throw new ConfigError(`--${flag} "${value}": write ${names.join(' or ')}`);
}

/** Without the lists: they are for reports, and long. */
function jsonOf({ marks: _marks, tradeList: _trades, fills: _fills, benchmark, ...rest }: BacktestResult) {
  return { ...rest, benchmark: benchmark?.symbol ?? null };
}
