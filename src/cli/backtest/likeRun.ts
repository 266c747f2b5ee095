import type { BacktestAction, BacktestBars, BacktestOptions } from '../../backtest/options.ts';
import { tradingCalendar, type TradingCalendar } from '../../calendar/index.ts';
import { cash, formatDecimal, toNumber } from '../../core/amount.ts';
import { epochMs } from '../../core/brand.ts';
import { ConfigError } from '../../core/errors.ts';
import { INTERVAL_MS, type Bar } from '../../domain/bar.ts';
import type { CorporateAction } from '../../domain/corporateAction.ts';
import { ticker } from '../../domain/instrument.ts';
import type { JournalReader } from '../../store/readJournal.ts';
import { readJournal } from '../../store/readJournal.ts';
import type { CommandContext } from '../context.ts';
import { journalOf } from '../environment/journal.ts';

type Like = Pick<BacktestOptions, 'strategies' | 'cash' | 'from' | 'to'> &
  Required<Pick<BacktestOptions, 'bars' | 'actions'>>;

/**
 * Capital, days, bars and corporate actions of a run, by its journal, for the same strategies in a backtest. Orders fill by bars of a
 * minute, made from the quotes that the run has seen.
 * @throws {ConfigError} when strategies of the journal are missing, or the journal lacks something
 */
export function likeRun(
  given: Pick<BacktestOptions, 'strategies' | 'calendar'>,
  state: string,
  context: CommandContext,
): Like {
  const { calendar = tradingCalendar, strategies = [] } = given;
  if (context.configFile === undefined)
    throw new ConfigError(
      `--like ${state}: name the config of that run, too. Its journal has no strategies and parameters`,
    );
  const reader = readJournal(journalOf({ state }, context).file);
  try {
    const capitals = capitalsIn(reader);
    requireSame(
      strategies.map(({ id, definition }) => id ?? definition.name),
      capitals,
      state,
    );
    const money = [...capitals.values()].reduce((sum, capital) => sum + capital, 0n);
    return {
      strategies: strategies.map((each) => ({
        ...each,
        capital: formatDecimal(cash(capitals.get(each.id ?? each.definition.name) ?? 0n)),
      })),
      cash: formatDecimal(cash(money)),
      ...daysIn(reader, calendar, state),
      bars: barsIn(reader, calendar),
      actions: actionsIn(reader),
    };
  } finally {
    reader.close();
  }
}

/** First capital of each strategy. */
function capitalsIn(reader: JournalReader): ReadonlyMap<string, bigint> {
  const capitals = new Map<string, bigint>();
  for (const { fact } of reader.ofKinds(['allocated']))
    if (fact.kind === 'allocated' && !capitals.has(fact.strategyId))
      capitals.set(fact.strategyId, fact.amount);
  return capitals;
}

function requireSame(ids: readonly string[], capitals: ReadonlyMap<string, bigint>, state: string): void {
  const missing = [...capitals.keys()].filter((id) => !ids.includes(id));
  const unknown = ids.filter((id) => !capitals.has(id));
  if (missing.length === 0 && unknown.length === 0) return;
  const parts = [
    ...(missing.length > 0 ? [`the config lacks ${missing.join(', ')} of the journal`] : []),
    ...(unknown.length > 0 ? [`the journal lacks ${unknown.join(', ')} of the config`] : []),
  ];
  throw new ConfigError(`--like ${state}: ${parts.join(', and ')}. Name the config of that run`);
}

function daysIn(reader: JournalReader, calendar: TradingCalendar, state: string): Pick<Like, 'from' | 'to'> {
  const dates: string[] = [];
  for (const { fact } of reader.ofKinds(['session'])) if (fact.kind === 'session') dates.push(fact.date);
  const [first, last] = [dates[0], dates.at(-1)].map((date) =>
    date === undefined ? undefined : calendar.sessionOn(date),
  );
  if (first && last) return { from: first.open, to: last.close };
  throw new ConfigError(`--like ${state}: no session has begun in its journal, so there is no day to repeat`);
}

/** Bars that the run was shown, and of each stock bars of a minute from its quotes, where it was shown none of a minute. */
function barsIn(reader: JournalReader, calendar: TradingCalendar): BacktestBars[] {
  const sets = new Map<string, Map<number, Bar>>();
  const setOf = (symbol: string, interval: Bar['interval']) => {
    const key = `${symbol} ${interval}`;
    const known = sets.get(key) ?? new Map<number, Bar>();
    sets.set(key, known);
    return known;
  };
  for (const { fact } of reader.ofKinds(['bar']))
    if (fact.kind === 'bar') setOf(fact.bar.symbol, fact.bar.interval).set(fact.bar.start, fact.bar);
  const shown = new Set(sets.keys());
  for (const { at, fact } of reader.ofKinds(['quotes'])) {
    if (fact.kind !== 'quotes' || !calendar.sessionAt(at)) continue;
    for (const [symbol, wad] of fact.prices) {
      if (shown.has(`${symbol} 1m`)) continue;
      widen(setOf(symbol, '1m'), symbol, { at, price: toNumber(wad) });
    }
  }
  return [...sets.values()].map((bars) => columnsOf([...bars.values()].sort((a, b) => a.start - b.start)));
}

type Seen = Readonly<{ at: number; price: number }>;

/** Adds a quote to its minute. */
function widen(bars: Map<number, Bar>, symbol: string, { at, price }: Seen): void {
  const start = epochMs(Math.floor(at / INTERVAL_MS['1m']) * INTERVAL_MS['1m']);
  const known = bars.get(start);
  const { open, high, low } = known ?? { open: price, high: price, low: price };
  const range = { high: Math.max(high, price), low: Math.min(low, price) };
  bars.set(start, { symbol: ticker(symbol), interval: '1m', start, open, ...range, close: price, volume: 0 });
}

function columnsOf(bars: readonly Bar[]): BacktestBars {
  const column = (field: 'start' | 'open' | 'high' | 'low' | 'close' | 'volume') =>
    Float64Array.from(bars, (bar) => bar[field]);
  return {
    symbol: bars[0]?.symbol ?? '',
    interval: bars[0]?.interval ?? '1m',
    start: column('start'),
    open: column('open'),
    high: column('high'),
    low: column('low'),
    close: column('close'),
    volume: column('volume'),
  };
}

function actionsIn(reader: JournalReader): BacktestAction[] {
  const actions: BacktestAction[] = [];
  for (const { fact } of reader.ofKinds(['split', 'entitled']))
    if (fact.kind === 'split' || fact.kind === 'entitled') actions.push(announced(fact.action));
  return actions;
}

function announced(action: CorporateAction): BacktestAction {
  const { symbol, name: type, exDate } = action;
  if (action.kind === 'payment') {
    const { payableDate } = action;
    const cashPerShare = formatDecimal(action.perShare);
    return { symbol, type, exDate, cashPerShare, ...(payableDate !== null && { payableDate }) };
  }
  return {
    symbol,
    type,
    exDate,
    oldRate: formatDecimal(action.oldRate),
    newRate: formatDecimal(action.newRate),
  };
}
