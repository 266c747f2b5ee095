import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';
import type { BarColumns } from '../src/domain/barColumns.ts';
import { d10, m1x20, m5y, type BarSet } from './bars.ts';
import { backtestOf, backtestOfMany } from './backtestSet.ts';
import { bareSma } from './bareEngine.ts';
import { median, timed, type Result } from './result.ts';

const ROUNDS = 9;
/** Unmeasured rounds first: a backtest is warm once V8 has optimised its code. */
const WARM_UP = 6;
/** Plain loops per backtest: one takes only milliseconds. */
const LOOPS = 20;

/** Benchmarks the backtester on its bars: against a plain loop, merged, cold, on four times the bars, and its memory. */
export async function backtest(): Promise<Result[]> {
  const minutes = m5y();
  const sma = await beside(minutes, 'sma');
  const rsi = await beside(minutes, 'rsi');
  const merged = await mergedBeside(minutes);
  return [
    { name: 'backtest-sma', value: sma.rate, unit: 'M bars/s', ratio: { vs: 'a plain loop', x: sma.ratio } },
    { name: 'backtest-rsi', value: rsi.rate, unit: 'M bars/s', ratio: { vs: 'sma', x: rsi.rate / sma.rate } },
    ...(await bareBeside(minutes)),
    {
      name: 'backtest-20',
      value: merged.rate,
      unit: 'M bars/s',
      ratio: { vs: 'one symbol', x: merged.ratio },
    },
    await growth(minutes),
    ...(await coldStarts(minutes)),
    await memory(),
  ];
}

async function beside(set: BarSet, name: 'sma' | 'rsi') {
  const bars = set.columns.start.length;
  const [rates, ratios]: [number[], number[]] = [[], []];
  for (let round = 0; round < WARM_UP; round++) await backtestOf(name, set);
  for (let round = 0; round < ROUNDS; round++) {
    const plain = (await timed(() => repeat(() => plainLoop(set.columns)))) / LOOPS;
    const ours = await timed(() => backtestOf(name, set));
    rates.push(bars / ours / 1_000);
    ratios.push(plain / ours);
  }
  return { rate: median(rates), ratio: median(ratios) };
}

/** The bare engine against a plain loop, and ours against the bare engine, alternating. @throws if their fills differ */
async function bareBeside(set: BarSet): Promise<Result[]> {
  requireSameFills(await backtestOf('sma', set), set);
  const [rates, loops, ours]: [number[], number[], number[]] = [[], [], []];
  for (let round = 0; round < ROUNDS; round++) {
    const plain = (await timed(() => repeat(() => plainLoop(set.columns)))) / LOOPS;
    const bare = (await timed(() => repeat(() => bareSma(set.columns)))) / LOOPS;
    rates.push(set.columns.start.length / bare / 1_000);
    loops.push(plain / bare);
    ours.push(bare / (await timed(() => backtestOf('sma', set))));
  }
  const ratio = { vs: 'a plain loop', x: median(loops) };
  return [
    { name: 'backtest-bare', value: median(rates), unit: 'M bars/s', ratio },
    { name: 'backtest-engine', value: median(ours), unit: 'of the rate of the bare engine' },
  ];
}

function requireSameFills({ fills }: Awaited<ReturnType<typeof backtestOf>>, { columns }: BarSet): void {
  const bare = bareSma(columns).fills;
  const isNear = (a: number, b: number) => Math.abs(a - b) <= 1e-9;
  const differs = fills.findIndex(({ at, side, shares, price, fees }, index) => {
    const other = bare[index];
    if (other?.at !== at || other.side !== side) return true;
    return !isNear(shares, other.shares) || !isNear(price, other.price) || !isNear(fees, other.fee);
  });
  if (differs >= 0 || fills.length !== bare.length)
    throw new Error(`fill ${differs} of the bare engine differs`);
}

function repeat(work: () => unknown): void {
  for (let loop = 0; loop < LOOPS; loop++) work();
}

/** The rules of `bench-sma` over bare arrays, including equity and trades. */
function plainLoop({ open, close }: BarColumns): number {
  const equity = new Float64Array(close.length);
  const trades: { entry: number; exit: number; pnl: number }[] = [];
  let [fast, slow, held, wanted, cash, entry] = [0, 0, 0, 0, 1_000_000, 0];
  for (let i = 0; i < close.length; i++) {
    const [first = NaN, last = NaN] = [open[i], close[i]];
    if (wanted !== 0) {
      cash -= wanted * first + 0.001 * 10 * first;
      held += wanted;
      if (held === 0) trades.push({ entry, exit: first, pnl: 10 * (first * 0.999 - entry * 1.001) });
      [entry, wanted] = [first, 0];
    }
    fast += last - (i >= 10 ? (close[i - 10] ?? NaN) : 0);
    slow += last - (i >= 30 ? (close[i - 30] ?? NaN) : 0);
    const spread = i >= 29 ? fast / 10 - slow / 30 : 0;
    if (held === 0 && spread > 1e-9) wanted = 10;
    if (held > 0 && spread < -1e-9) wanted = -10;
    equity[i] = cash + held * last;
  }
  return trades.length + (equity.at(-1) ?? 0);
}

/** Alternates between twenty symbols and one, as above with the plain loop, so that other load affects both alike. */
async function mergedBeside(one: BarSet) {
  const sets = m1x20();
  const bars = sets.reduce((sum, { columns }) => sum + columns.start.length, 0);
  const [rates, ratios]: [number[], number[]] = [[], []];
  await backtestOfMany(sets);
  for (let round = 0; round < 5; round++) {
    const single = one.columns.start.length / (await timed(() => backtestOf('sma', one))) / 1_000;
    const rate = bars / (await timed(() => backtestOfMany(sets))) / 1_000;
    rates.push(rate);
    ratios.push(rate / single);
  }
  return { rate: median(rates), ratio: median(ratios) };
}

async function growth(whole: BarSet): Promise<Result> {
  const quarter = m5y(42, 315);
  const scale = whole.columns.start.length / quarter.columns.start.length / 4;
  const ratios: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const short = await timed(() => backtestOf('sma', quarter));
    ratios.push((await timed(() => backtestOf('sma', whole))) / short / scale);
  }
  return { name: 'backtest-growth', value: median(ratios), unit: '× the time for 4 × the bars' };
}

const told = z.object({ bars: z.number(), elapsedMs: z.object({ run: z.number() }) });

/** Measures the command as a user runs it: the rate on minute bars, and the whole process on ten years of daily bars, with a report too. */
async function coldStarts(minutes: BarSet): Promise<Result[]> {
  const folder = mkdtempSync(join(tmpdir(), 'drover-bench-'));
  try {
    const [rates, days, reported, empty]: number[][] = [[], [], [], []] as const;
    const [minutesFile, daysFile] = [csvOf(minutes, folder), csvOf(d10(), folder)];
    for (let round = 0; round < 5; round++) {
      const { bars, elapsedMs } = told.parse(JSON.parse(await command('1m', minutesFile)));
      rates.push(bars / elapsedMs.run / 1_000);
      empty.push(await timed(() => promisify(execFile)(process.execPath, ['-e', '0'])));
      days.push(await timed(() => command('1d', daysFile)));
      reported.push(await timed(() => command('1d', daysFile, ['--report', join(folder, 'report.html')])));
    }
    const x = median(days) / median(empty);
    const without = { vs: 'the same without it', x: median(reported) / median(days) };
    return [
      { name: 'backtest-cold', value: median(rates), unit: 'M bars/s' },
      { name: 'backtest-days', value: median(days), unit: 'ms', ratio: { vs: 'an empty process', x } },
      {
        name: 'backtest-report',
        value: median(reported) - median(days),
        unit: 'ms more for the report of these days',
        ratio: without,
      },
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function command(interval: string, file: string, flags: readonly string[] = []): Promise<string> {
  const drover = fileURLToPath(new URL('../bin/main.js', import.meta.url));
  const strategy = fileURLToPath(new URL('../../bench/strategies/bench-sma.ts', import.meta.url));
  const rules = [
    '--cash',
    '1000000',
    '--fees',
    'bps:10',
    '--fill',
    'next-open',
    '--slippage',
    'none',
    '--json',
  ];
  const what = [
    '--strategy',
    strategy,
    '--params',
    JSON.stringify({ symbol: 'X', interval }),
    '--bars',
    `X=${file}`,
    '--interval',
    interval,
  ];
  return (await promisify(execFile)(process.execPath, [drover, 'backtest', ...what, ...rules, ...flags]))
    .stdout;
}

function csvOf({ name, columns }: BarSet, folder: string): string {
  const file = join(folder, `${name}.csv`);
  const { start, open, high, low, close, volume } = columns;
  const rows = Array.from(start, (ts, i) => [ts, open[i], high[i], low[i], close[i], volume[i]].join(','));
  writeFileSync(file, `ts,open,high,low,close,volume\n${rows.join('\n')}\n`);
  return file;
}

const peak = z.object({ bars: z.number(), peak: z.number() });

/** Memory for two million bars, above that of a process that loads the same modules and runs nothing. */
async function memory(): Promise<Result> {
  const script = fileURLToPath(new URL('./backtestMemory.js', import.meta.url));
  const of = async (sessions: string) =>
    peak.parse(JSON.parse((await promisify(execFile)(process.execPath, [script, sessions])).stdout));
  const [none, many] = [await of('0'), await of('5150')];
  const value = (many.peak - none.peak) / many.bars;
  return { name: 'backtest-memory', value, unit: 'MB per million bars' };
}
