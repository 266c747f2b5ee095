import type { BacktestOptions, BacktestStrategy, FillKind } from '../../backtest/options.ts';
import type { BacktestResult } from '../../backtest/result.ts';
import { runBacktest } from '../../backtest/runBacktest.ts';
import { formatDecimal } from '../../core/amount.ts';
import { ConfigError, messageOf } from '../../core/errors.ts';
import { intervalOf, readBars } from '../backtest/barFiles.ts';
import { backtestText } from '../backtest/summary.ts';
import { parseInstant } from '../config/instant.ts';
import type { CommandContext } from '../context.ts';
import { EXIT } from '../exitCodes.ts';
import { loadStrategy, type LoadedStrategy } from '../loadStrategy.ts';
import { toJson } from '../output.ts';

export type BacktestFlags = Readonly<{
  strategy?: string;
  params?: string;
  bars?: readonly string[];
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
}>;

/** `drover backtest`: a strategy over bars from files, and how it went. */
export async function backtestCommand(flags: BacktestFlags, context: CommandContext): Promise<number> {
  const { clock, cwd, terminal, json } = context;
  const begun = clock.monotonic();
  const strategies = await strategiesOf(flags, context);
  const interval = intervalOf(flags.interval ?? '1d');
  const warn = (text: string) => terminal.err(`drover: ${text}`);
  if (!flags.bars?.length)
    throw new ConfigError('a backtest needs bars: --bars SYMBOL=FILE, as often as there are symbols');
  const bars = flags.bars.map((argument) => readBars(argument, { interval, cwd, warn }));
  const loaded = clock.monotonic() - begun;
  const result = await runBacktest({ ...optionsOf(flags), strategies, bars, clock });
  const { elapsedMs } = result;
  const timed = { ...result, elapsedMs: { ...elapsedMs, load: elapsedMs.load + loaded } };
  terminal.out(json ? toJson(jsonOf(timed)) : backtestText(timed, terminal));
  return EXIT.done;
}

async function strategiesOf(flags: BacktestFlags, context: CommandContext): Promise<BacktestStrategy[]> {
  if (flags.strategy !== undefined) {
    const loaded = await loadStrategy(flags.strategy, context.cwd);
    return [{ ...codeOf(loaded), params: paramsOf(flags, loaded) }];
  }
  if (context.configFile === undefined)
    throw new ConfigError('which strategy? --strategy FILE, or a config file that names some');
  const { configOf } = await import('../config/configFile.ts');
  const { validateParams } = await import('../config/params.ts');
  const config = configOf(context);
  const given: BacktestStrategy[] = [];
  for (const [index, { id, use, capital, limits = {} }] of config.config.strategies.entries()) {
    const loaded = await loadStrategy(use, config.folder);
    const params: unknown = validateParams(config, index, loaded.definition.params);
    given.push({ ...codeOf(loaded), id, params, limits, capital: formatDecimal(capital) });
  }
  return given;
}

const codeOf = ({ definition, hash, locate }: LoadedStrategy): BacktestStrategy => ({
  definition,
  codeHash: hash,
  explain(thrown) {
    const place = locate(thrown);
    return place ? `${place.file}:${place.line}:${place.column}: ${messageOf(thrown)}` : messageOf(thrown);
  },
});

/** A parameter `interval` is that of the bars, unless it is given. */
function paramsOf({ params = '{}', interval }: BacktestFlags, { definition }: LoadedStrategy): unknown {
  const given = parsed(params);
  const { shape } = definition.params as Readonly<{ shape?: object }>;
  const takesInterval = shape !== undefined && 'interval' in shape && interval !== undefined;
  return takesInterval && !('interval' in given) ? { ...given, interval } : given;
}

function parsed(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value;
  } catch (cause) {
    throw new ConfigError(`--params: ${messageOf(cause)}`, {}, { cause });
  }
  throw new ConfigError(`--params: write an object, as '{"symbol":"AAPL"}'`);
}

/** What the command line says; what it does not is left to the defaults. */
function optionsOf(flags: BacktestFlags): Omit<BacktestOptions, 'bars'> {
  const { cash, fees, fill, slippage, seed } = flags;
  const numbers = {
    volumeCap: numberOf('volume-cap', flags.volumeCap),
    latencyMs: numberOf('latency', flags.latency),
  };
  const given = {
    ...{ cash, fees, slippage, seed, ...numbers },
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
function jsonOf({ marks: _marks, tradeList: _trades, fills: _fills, ...rest }: BacktestResult) {
  return rest;
}
