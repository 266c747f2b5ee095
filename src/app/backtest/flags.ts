import type { BacktestOptions, BacktestAction, BacktestBars, FillKind } from '../../backtest/options.ts';
import { type TradingCalendar, tradingCalendar } from '../../calendar/index.ts';
import { findingId, splitFindings } from '../../market/inspectBars.ts';
import { iso } from '../../process/output.ts';
import { toNumber } from '../../core/amount.ts';
import { ConfigError } from '../../core/errors.ts';
import { FINE_PRICE_STEP } from '../../domain/instrument.ts';
import { DIVIDEND_WAYS } from '../../domain/corporateAction.ts';
import { instantOf, requireSpan } from '../config/times.ts';
import type { CommandContext } from '../../process/context.ts';
import { isCodeFile } from '../strategies/fillModel.ts';
import { amountOf } from '../transfers/confirm.ts';
import { tradedHours } from '../../backtest/outside.ts';
import { intervalOf, readBars } from './barFiles.ts';
import { playedOutside } from './outside.ts';

type SplitCheck = Readonly<{
  calendar: TradingCalendar;
  /** Stored symbols with the ids of the data findings that the user accepted. */
  accepted: ReadonlyMap<string, ReadonlySet<string>>;
  /** End of the backtest: later splits are ignored. */
  to: BacktestOptions['to'];
  warn: (text: string) => void;
}>;

type CheckedOptions = Required<Pick<BacktestOptions, 'bars' | 'actions'>> & Pick<BacktestOptions, 'fill'>;

/** Warns of bars whose prices contradict the splits of their symbol or are below one tick: no result would show either. */
function warnOfPrices(
  { bars, actions, fill }: CheckedOptions,
  { calendar, accepted, to = Infinity, warn }: SplitCheck,
): void {
  for (const each of bars) if (fill === undefined || fill === 'venue') warnBelowTick(each, warn);
  for (const { symbol, interval, ...columns } of bars) {
    const own = actions.filter((action) => action.symbol === symbol);
    const answers = accepted.get(symbol);
    const found = splitFindings(columns, { interval, calendar, actions: own }).filter(
      (finding) => finding.at < to && !answers?.has(findingId(finding)),
    );
    const [first] = found;
    if (!first) continue;
    const others = found.length > 1 ? `. It is the first of ${found.length} such places` : '';
    warn(
      `${symbol} ${interval} ${iso(first.at)}: ${first.what}; raw prices need their splits ` +
        `(--actions ${symbol}=FILE), adjusted ones must have none. If the prices are right, ` +
        `${answers ? '' : 'import them and '}say so once: ` +
        `\`drover data accept ${symbol} --finding ${findingId(first)} --reason TEXT\`${others}`,
    );
  }
}

/** Finest tick of the venue, in mUSD. */
const TICK = toNumber(FINE_PRICE_STEP);

/** Warns of a stock that costs less than one tick: the venue sells it for a whole tick. */
function warnBelowTick({ symbol, interval, close }: BacktestBars, warn: (text: string) => void): void {
  const lowest = close.reduce((least, price) => Math.min(least, price), Infinity);
  if (lowest < TICK)
    warn(
      `${symbol} ${interval}: prices as low as ${lowest} are below the tick, but orders fill on the tick: a buy pays at least ${TICK}. ` +
        '--fill next-open fills at the exact price',
    );
}

export type BacktestFlags = Readonly<{
  strategy?: string;
  params?: string;
  /** Files of the strategy's dated series, as `NAME=FILE`. */
  series?: readonly string[];
  bars?: readonly string[];
  actions?: readonly string[];
  data?: string;
  interval?: string;
  cash?: string;
  fees?: string;
  fill?: string;
  slippage?: string;
  trade?: string;
  slippageOutside?: string;
  limitFill?: string;
  volumeCap?: number | string;
  latency?: number | string;
  ambiguous?: string;
  delisted?: string;
  dividends?: string;
  withheld?: number | string;
  from?: string;
  to?: string;
  seed?: number;
  benchmark?: string;
  riskFree?: number | string;
  trials?: number | string;
  trialVariance?: number | string;
  initialRisk?: string;
  sensitivity?: boolean;
  /** Runs each strategy in its own thread, as in a run. */
  isolate?: boolean;
  like?: string;
  save?: string;
  report?: string;
  trades?: string;
}>;

/** Loads the named files, and everything else from the store, which is not opened if the files suffice. */
export async function dataOf(
  flags: BacktestFlags,
  options: Omit<BacktestOptions, 'bars'>,
  context: CommandContext,
): Promise<
  Required<Pick<BacktestOptions, 'bars' | 'actions' | 'generated'>> & Pick<BacktestOptions, 'outside'>
> {
  const { bars: named = [], data } = flags;
  const { calendar = tradingCalendar } = options;
  const interval = flags.interval === undefined ? undefined : intervalOf(flags.interval);
  const warn = (text: string) => context.terminal.err(`drover: ${text}`);
  const sessions = tradedHours({ ...options, bars: [] }, calendar) ? 'all' : 'regular';
  const reading = { interval: interval ?? '1d', calendar, cwd: context.cwd, warn, sessions } as const;
  const read = named
    .filter((argument) => argument.includes('='))
    .map((argument) => readBars(argument, reading));
  const files = read.map(({ outside: _, ...bars }): BacktestBars => bars);
  const actions = await actionsOfFiles(flags.actions ?? [], context.cwd, calendar);
  const symbols = named.filter((argument) => !argument.includes('=')).map(requireNoFileName);
  const where = data === undefined ? {} : { data };
  const stored: BacktestBars[] = [];
  if (files.length === 0 || symbols.length > 0) {
    const given = files.map(({ symbol }) => symbol);
    const { barsOfStore } = await import('./storeBars.ts');
    stored.push(...barsOfStore({ ...options, bars: [] }, { ...where, symbols, interval, given }, context));
  }
  const played = [...files, ...stored];
  if (isBeside(options, played)) {
    const { benchmarkBars } = await import('./storeBars.ts');
    stored.push(benchmarkBars({ ...options, bars: played }, where, context));
  }
  const bars = [...files, ...stored];
  requireBars(actions, bars);
  let generated = false;
  let accepted: SplitCheck['accepted'] = new Map();
  if (stored.length > 0) {
    const symbolsOfStore = stored.map(({ symbol }) => symbol);
    const fromFiles = new Set(actions.map(({ symbol }) => symbol));
    const others = symbolsOfStore.filter((symbol) => !fromFiles.has(symbol));
    const { acceptedIds, actionsOfStore, areGenerated } = await import('./storeBars.ts');
    generated = areGenerated(symbolsOfStore, where, context);
    accepted = acceptedIds(symbolsOfStore, where, context);
    actions.push(...actionsOfStore(others, where, context));
  }
  warnOfPrices({ ...options, bars, actions }, { calendar, accepted, to: options.to, warn });
  if (sessions === 'regular') return { bars, actions, generated };
  const ofFiles = read.flatMap(({ outside, symbol, interval: length }): BacktestBars[] =>
    outside ? [{ symbol, interval: length, ...outside }] : [],
  );
  const ofStore =
    stored.length === 0
      ? []
      : (await import('./storeBars.ts')).outsideOfStore(stored, { ...where, calendar }, context);
  return {
    bars,
    actions,
    generated,
    ...playedOutside({ ...options, bars }, [...ofFiles, ...ofStore], { ...flags, warn }),
  };
}

/** The symbol of `--bars SYMBOL`. @throws {ConfigError} for a file without its symbol */
function requireNoFileName(argument: string): string {
  if (!/\.(csv|f64)$|\//i.test(argument)) return argument;
  throw new ConfigError(
    `--bars "${argument}": the file does not say which symbol its bars belong to. Write SYMBOL=${argument}, such as AAPL=${argument}`,
  );
}

type BenchmarkOption = Pick<BacktestOptions, 'benchmark'>;

/** True when the benchmark is a symbol that no strategy trades. */
const isBeside = <Given extends BenchmarkOption>(
  options: Given,
  played: readonly BacktestBars[],
): options is Given & Required<BenchmarkOption> =>
  options.benchmark !== undefined &&
  options.benchmark !== 'none' &&
  options.benchmark !== 'all' &&
  !played.some(({ symbol }) => symbol === options.benchmark);

/** Refuses actions of a symbol without bars: they would have no effect, and the symbol is probably mistyped. */
function requireBars(actions: readonly BacktestAction[], bars: readonly BacktestBars[]): void {
  const symbols = [...new Set(bars.map(({ symbol }) => symbol))];
  const lost = actions.find(({ symbol }) => !symbols.includes(symbol));
  if (lost)
    throw new ConfigError(
      `--actions: there are no bars of ${lost.symbol}. There are bars of ${symbols.join(', ') || 'no symbol'}`,
      { symbol: lost.symbol },
    );
}

/** Reads corporate actions. @throws {ConfigError} with file and line of an invalid one */
async function actionsOfFiles(
  named: readonly string[],
  cwd: string,
  calendar: TradingCalendar,
): Promise<BacktestAction[]> {
  if (named.length === 0) return [];
  const { readActionsFile } = await import('./storeBars.ts');
  return named.flatMap((argument) => readActionsFile(argument, cwd, calendar));
}

/** Options given on the command line; all others keep their defaults. */
export function optionsOf(flags: BacktestFlags): Omit<BacktestOptions, 'bars'> {
  const { cash, fees, fill, slippage, seed, benchmark, initialRisk } = flags;
  if (cash !== undefined) amountOf(cash, { what: '--cash' });
  const numbers = {
    riskFree: numberOf('risk-free', flags.riskFree),
    trials: numberOf('trials', flags.trials),
    trialVariance: numberOf('trial-variance', flags.trialVariance),
    volumeCap: numberOf('volume-cap', flags.volumeCap),
    latencyMs: numberOf('latency', flags.latency),
  };
  const given = {
    cash,
    fees,
    slippage,
    seed,
    benchmark,
    initialRisk,
    ...numbers,
    fill: fill === undefined || isCodeFile(fill) ? undefined : (fill as FillKind),
    limitFill: oneOf('limit-fill', flags.limitFill, ['touch', 'through'] as const),
    ambiguous: oneOf('ambiguous', flags.ambiguous, ['worst', 'best'] as const),
    delisted: oneOf('delisted', flags.delisted, ['last', 'zero', 'error'] as const),
    dividends: oneOf('dividends', flags.dividends, DIVIDEND_WAYS),
    // The flag applies to all stocks, including those with their own setting in the config.
    stockDividends: flags.dividends === undefined ? undefined : {},
    withheldPercent: numberOf('withheld', flags.withheld),
    from: flags.from === undefined ? undefined : instantOf('from', flags.from),
    to: flags.to === undefined ? undefined : instantOf('to', flags.to),
  };
  if (given.from !== undefined && given.to !== undefined) requireSpan({ from: given.from, to: given.to });
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

function numberOf(name: string, value: number | string | undefined): number | undefined {
  if (value === undefined || typeof value === 'number') return value;
  throw new ConfigError(`--${name} "${value}": write a number`);
}

export function oneOf<Name extends string>(
  flag: string,
  value: string | undefined,
  names: readonly Name[],
): Name | undefined {
  if (value === undefined) return undefined;
  const found = names.find((name) => name === value);
  if (found) return found;
  throw new ConfigError(`--${flag} "${value}": write ${names.join(' or ')}`);
}
