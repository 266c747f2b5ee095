import type { BacktestOptions, BacktestStrategy } from '../../backtest/options.ts';
import { cash, formatDecimal } from '../../core/amount.ts';
import { ConfigError, messageOf } from '../../core/errors.ts';
import { LEVELS_MAX, parseBounded } from '../../core/nesting.ts';
import type { CommandContext } from '../context.ts';
import { loadStrategy, type LoadedStrategy } from '../loadStrategy.ts';

export type StrategyFlags = Readonly<{ strategy?: string; params?: string; interval?: string }>;

/** Strategies, and what else a config says of a backtest. */
export type GivenStrategies = Pick<BacktestOptions, 'cash' | 'limits' | 'collarBps' | 'calendar'> &
  Readonly<{ strategies: readonly BacktestStrategy[] }>;

/** The strategy of `--strategy`, or those of a config. @throws {ConfigError} with the place of what is wrong */
export async function givenStrategies(
  flags: StrategyFlags,
  context: CommandContext,
): Promise<GivenStrategies> {
  if (flags.strategy === undefined) return ofConfig(context);
  const loaded = await loadStrategy(flags.strategy, context.cwd);
  return {
    strategies: [{ ...codeOf(loaded), params: paramsOf(flags, loaded) }],
    ...(context.configFile !== undefined && {
      calendar: (await import('../config/givenCalendar.ts')).givenCalendar(context),
    }),
  };
}

/** Its strategies on the sum of their capital, under its limits; all but the ages of what is told, for bars are never late. */
async function ofConfig(context: CommandContext): Promise<GivenStrategies> {
  if (context.configFile === undefined)
    throw new ConfigError('which strategy? --strategy FILE, or a config file that names some');
  const [{ configOf }, { strategyOf }, { calendarOf }] = await Promise.all([
    import('../config/configFile.ts'),
    import('../config/strategyOf.ts'),
    import('../config/calendar.ts'),
  ]);
  const loaded = configOf(context);
  const { config } = loaded;
  const strategies: BacktestStrategy[] = [];
  for (const [index, { id, capital, limits = {} }] of config.strategies.entries()) {
    const code = await strategyOf(loaded, index);
    strategies.push({
      ...codeOf(code),
      id,
      params: code.params,
      limits: boundsOf(limits),
      capital: formatDecimal(capital),
    });
  }
  const money = config.strategies.reduce((sum, { capital }) => sum + capital, 0n);
  if (money === 0n)
    throw new ConfigError(
      `${loaded.file}: no strategy has any capital, and a backtest begins with cash alone. Give one some`,
    );
  return {
    ...{ strategies, cash: formatDecimal(cash(money)), limits: boundsOf(config.limits) },
    ...{ collarBps: config.orders.collarBps, calendar: calendarOf(config) },
  };
}

type Limits = NonNullable<BacktestOptions['limits']>;

const boundsOf = ({ orderNotional, positionNotional, grossExposure, ...rest }: Limits): Limits => {
  const { ordersPerMinute, dayLoss, priceBandBps } = rest;
  return { orderNotional, positionNotional, grossExposure, ordersPerMinute, dayLoss, priceBandBps };
};

const codeOf = ({ definition, hash, locate }: LoadedStrategy): BacktestStrategy => ({
  definition,
  codeHash: hash,
  explain(thrown) {
    const place = locate(thrown);
    return place ? `${place.file}:${place.line}:${place.column}: ${messageOf(thrown)}` : messageOf(thrown);
  },
});

/** A parameter `interval` is that of the bars, unless it is given. */
function paramsOf({ params = '{}', interval }: StrategyFlags, { definition }: LoadedStrategy): unknown {
  const given = parsed(params);
  const { shape } = definition.params as Readonly<{ shape?: object }>;
  const takesInterval = shape !== undefined && 'interval' in shape && interval !== undefined;
  return takesInterval && !('interval' in given) ? { ...given, interval } : given;
}

function parsed(text: string): object {
  try {
    const value = parseBounded(text, LEVELS_MAX);
    if (typeof value === 'object' && value !== null) return value;
  } catch (cause) {
    throw new ConfigError(`--params: ${messageOf(cause)}`, {}, { cause });
  }
  throw new ConfigError(`--params: write an object, as '{"symbol":"AAPL"}'`);
}
