import {
  cashOf,
  type BacktestAction,
  type BacktestBars,
  type BacktestOptions,
} from '../../backtest/options.ts';
import { strategiesOf, type PlannedStrategy } from '../../backtest/setup.ts';
import { tradingCalendar } from '../../calendar/index.ts';
import { ConfigError, InvalidValueError } from '../../core/errors.ts';
import type { Interval } from '../../domain/bar.ts';
import { actionOf } from '../../domain/corporateAction.ts';
import { ticker, type Ticker } from '../../domain/instrument.ts';
import type { BarStore } from '../../market/barStore.ts';
import type { CommandContext } from '../context.ts';
import { storeOf, type DataFlags, loadBars, storedLengths } from '../data/storedBars.ts';
import { quotePhases } from '../../strategy/dataNeeds.ts';
import { tickersOf } from '../data/words.ts';

export type StoreFlags = DataFlags &
  Readonly<{
    /** Symbols whose bars the store has; without any, all that the strategies ask for. */
    symbols: readonly string[];
    /** Bars of this length beside those that the strategies ask for. */
    interval: Interval | undefined;
    /** Of these there are bars already. */
    given: readonly string[];
  }>;

type Wanted = Readonly<{ symbol: Ticker; interval: Interval; by: string }>;

/**
 * The bars that strategies ask for, from the store. Who asks for prices alone gets the shortest bars there are.
 * @throws {ConfigError} naming who asks for bars that are not there, and the command that gets them
 */
export function barsOfStore(
  options: BacktestOptions,
  flags: StoreFlags,
  context: CommandContext,
): BacktestBars[] {
  const { calendar = tradingCalendar } = options;
  const store = storeOf(flags, context);
  const strategies = strategiesOf(options, cashOf(options));
  const wanted = new Map<string, Wanted>();
  for (const one of wantedBy(strategies, flags, store)) {
    const key = `${one.symbol} ${one.interval}`;
    if (!wanted.has(key)) wanted.set(key, one);
  }
  return [...wanted.values()].map(({ symbol, interval, by }) => {
    try {
      return { symbol, interval, ...loadBars(store, { symbol, interval }, calendar).columns };
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      throw new ConfigError(`${by} asks for bars of ${symbol} ${interval}: ${error.message}`, error.details);
    }
  });
}

/** The actions that are stored of these symbols. One that makes no sense is told, and left out, as in a run. */
export function actionsOfStore(
  symbols: Iterable<string>,
  flags: DataFlags,
  context: CommandContext,
): BacktestAction[] {
  const store = storeOf(flags, context);
  const all = [...new Set(symbols)].flatMap((symbol) =>
    (store.actions(ticker(symbol))?.actions ?? []).map((action) => ({ symbol, ...action })),
  );
  return all.filter((action) => {
    const flaw = flawOf(action);
    if (flaw !== null) context.terminal.err(`drover: ${action.symbol}: ${flaw}. It is left out`);
    return flaw === null;
  });
}

function flawOf(action: BacktestAction): string | null {
  try {
    for (const day of [actionOf(action).exDate, action.payableDate ?? action.exDate])
      tradingCalendar.sessionFrom(day);
    return null;
  } catch (error) {
    if (error instanceof InvalidValueError) return error.message;
    throw error;
  }
}

function wantedBy(strategies: readonly PlannedStrategy[], flags: StoreFlags, store: BarStore): Wanted[] {
  const { interval, given } = flags;
  const named = tickersOf(flags.symbols);
  const isWanted = (symbol: Ticker) =>
    (named.length === 0 || named.includes(symbol)) && !given.includes(symbol);
  const bars = strategies.flatMap(({ id: by, needs }) =>
    (needs.bars ?? []).map(({ symbol, interval: length }) => ({
      symbol: ticker(symbol),
      interval: length,
      by,
    })),
  );
  const quotes = strategies.flatMap(({ id: by, needs }) =>
    [...quotePhases(needs).keys()].map((symbol) => ({ symbol: ticker(symbol), by })),
  );
  const symbols = [...bars, ...quotes, ...named.map((symbol) => ({ symbol, by: '--bars' }))];
  const others = symbols.flatMap(({ symbol, by }): Wanted[] => {
    if (interval !== undefined) return [{ symbol, interval, by }];
    const isAsked = bars.some((need) => need.symbol === symbol);
    return isAsked ? [] : [{ symbol, interval: storedLengths(store, symbol)[0] ?? '1d', by }];
  });
  return [...bars, ...others].filter(({ symbol }) => isWanted(symbol));
}
