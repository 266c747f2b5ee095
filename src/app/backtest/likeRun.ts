import { FEES } from '../../domain/account/pins.ts';
import { bpsBySide, DOCUMENTED_FEES, scheduleOf, type FeeSchedule } from '../../domain/fees.ts';
import { resolve } from 'node:path';
import type { BacktestAction, BacktestBars, BacktestOptions } from '../../backtest/options.ts';
import { newYorkDate, tradingCalendar, type Session, type TradingCalendar } from '../../calendar/index.ts';
import { outsideHours } from '../../calendar/phaseHours.ts';
import { cash, formatDecimal, toNumber } from '../../core/amount.ts';
import { epochMs, type EpochMs } from '../../core/brand.ts';
import { closing, ConfigError } from '../../core/errors.ts';
import { INTERVAL_MS, isIntraday, type Bar } from '../../domain/bar.ts';
import type { CorporateAction } from '../../domain/corporateAction.ts';
import { ticker } from '../../domain/instrument.ts';
import { readJournal, type JournalReader } from '../../store/readJournal.ts';
import { columnsOfRows } from '../../market/mergeBars.ts';
import { widen } from '../../market/quoteBars.ts';
import { mapColumns, type BarColumns } from '../../domain/barColumns.ts';
import { barEnd } from '../../market/series.ts';
import type { CommandContext } from '../../process/context.ts';
import { dayEnd, exDateBegins } from '../../sim/dayEnd.ts';
import { storeOf } from '../data/storedBars.ts';
import { spreadsText } from './likeSpread.ts';
import { journalOf } from '../environment/journal.ts';
import { modeOf } from '../environment/ownership.ts';

type Like = Pick<
  BacktestOptions,
  'strategies' | 'outside' | 'cash' | 'fees' | 'from' | 'to' | 'tokenPrices'
> &
  Required<Pick<BacktestOptions, 'bars' | 'actions' | 'generated'>>;

/**
 * Settings for a backtest like a run, read from its journal: capital, days, bars, fees (unless given), corporate actions and token
 * prices, for the same strategies. Orders fill on one-minute bars: those shown to the run, stored ones, or ones built from the
 * quotes it saw.
 * @throws {ConfigError} when strategies of the journal are missing, or the journal lacks something
 */
export function likeRun(
  given: Pick<BacktestOptions, 'strategies' | 'outside' | 'fees' | 'slippage' | 'calendar'>,
  state: string,
  context: CommandContext,
): Like {
  const { calendar = tradingCalendar, strategies = [] } = given;
  if (context.configFile === undefined)
    throw new ConfigError(
      `--like ${state}: also name the config of that run, because its journal has no strategies or parameters`,
    );
  const { file, stateDir, loaded } = journalOf({ state }, context);
  return closing(readJournal(file), (reader) => {
    const capitals = capitalsIn(reader);
    requireSame(
      strategies.map(({ id, definition }) => id ?? definition.name),
      capitals,
      state,
    );
    const days = daysIn(reader, calendar, { state, isOutside: given.outside !== undefined });
    const minutes = minutesOf({ state, calendar }, context);
    const { from, to } = lifeIn(reader);
    const fees = given.fees ?? feesIn(reader);
    const spreads = given.slippage === undefined ? spreadsText(reader, calendar) : null;
    if (spreads !== null) context.terminal.err(`drover: --like: ${spreads}`);
    const money = [...capitals.values()].reduce((sum, capital) => sum + capital, 0n);
    return {
      strategies: strategies.map((each) => ({
        ...each,
        capital: formatDecimal(cash(capitals.get(each.id ?? each.definition.name) ?? 0n)),
      })),
      cash: formatDecimal(cash(money)),
      ...(fees !== null && { fees }),
      from: epochMs(Math.max(days.from, from)),
      to: epochMs(Math.min(days.to, to)),
      bars: barsIn(reader, calendar, (symbol) => minutes(symbol, days)),
      outside: given.outside && { ...given.outside, ...outsideIn(reader, calendar) },
      actions: actionsIn(reader),
      ...tokensIn(reader),
      generated: (modeOf(stateDir) ?? loaded.config.mode) === 'emulator',
    };
  });
}

/** Initial capital of each strategy. */
function capitalsIn(reader: JournalReader): ReadonlyMap<string, bigint> {
  const capitals = new Map<string, bigint>();
  for (const { fact } of reader.ofKinds(['allocated']))
    if (!capitals.has(fact.strategyId)) capitals.set(fact.strategyId, fact.amount);
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

type Days = Readonly<{ from: EpochMs; to: EpochMs }>;

/** Days from the first session to the last, with the phases around them if these are played. */
function daysIn(
  reader: JournalReader,
  calendar: TradingCalendar,
  { state, isOutside }: Readonly<{ state: string; isOutside: boolean }>,
): Days {
  const dates = Array.from(reader.ofKinds(['session']), ({ fact }) => fact.date);
  const [first, last] = [dates[0], dates.at(-1)].map((date) =>
    date === undefined ? undefined : calendar.sessionOn(date),
  );
  if (first && last && isOutside)
    return {
      from: exDateBegins(calendar, first.date, { begins: 'evening' }),
      to: dayEnd(calendar, last.close, 'tradingDay'),
    };
  // Timers at the last close are part of the day.
  if (first && last) return { from: first.open, to: epochMs(last.close + 1) };
  throw new ConfigError(`--like ${state}: no session has begun in its journal, so there is no day to repeat`);
}

/** Time from the first start of the strategies to the last entry: no decisions are made outside it. */
function lifeIn(reader: JournalReader): Days {
  const [started] = reader.ofKindsAfter(0, ['started'], 1);
  const [last] = reader.backwards(null, Infinity);
  return { from: started?.at ?? epochMs(-Infinity), to: last?.at ?? epochMs(Infinity) };
}

/** Smallest share of a session's minutes that stored bars must cover, and most minutes that may be missing at either end. */
const LEAST_PART = 0.5;
const EDGE_MS = 15 * INTERVAL_MS['1m'];

/**
 * Reader of stored one-minute bars, which reports to standard error which bars it uses. Null for a stock whose bars do not
 * cover a session of these days, and for an emulator run, which has its own market.
 */
function minutesOf(
  { state, calendar }: Readonly<{ state: string; calendar: TradingCalendar }>,
  context: CommandContext,
): (symbol: string, days: Days) => BacktestBars | null {
  const isEmulated = modeOf(resolve(context.cwd, state)) === 'emulator';
  const say = (symbol: string, source: string) =>
    context.terminal.err(`drover: --like: orders of ${symbol} fill on one-minute bars ${source}`);
  const fromQuotes = 'built from the quotes in its journal';
  return (symbol, { from, to }) => {
    const store = isEmulated ? null : storeOf({}, context);
    const stored = store?.read({ symbol: ticker(symbol), interval: '1m' });
    if (!store || !stored) {
      say(symbol, fromQuotes);
      return null;
    }
    const columns = columnsWithin(stored.columns, { from, to });
    const sessions = calendar.sessions(newYorkDate(from), newYorkDate(to));
    const lacking = sessions.filter((session) => !isCovered(columns.start, session)).map(({ date }) => date);
    if (lacking.length > 0) {
      say(
        symbol,
        `${fromQuotes}: those in ${store.folder} do not cover ${lacking.join(', ')} (\`drover data pull\` adds them)`,
      );
      return null;
    }
    say(symbol, `from ${store.folder}`);
    return { symbol, interval: '1m', ...columns };
  };
}

/** True for bars that span the session and cover most of its minutes: a minute without a trade has no bar. */
function isCovered(starts: Float64Array, { open, close }: Session): boolean {
  const own = starts.filter((start) => start >= open && start < close);
  const [first, last] = [own[0], own.at(-1)];
  const minutes = (close - open) / INTERVAL_MS['1m'];
  return (
    first !== undefined &&
    last !== undefined &&
    first - open <= EDGE_MS &&
    close - last <= EDGE_MS &&
    own.length >= minutes * LEAST_PART
  );
}

const columnsWithin = (columns: BarColumns, { from, to }: Days): BarColumns =>
  mapColumns(columns, (column) =>
    column.filter((_, index) => {
      const start = columns.start[index] ?? NaN;
      return start >= from && start < to;
    }),
  );

/** Bars shown to the run, plus one-minute bars (stored, or built from its quotes) of each stock for which it was shown none. */
function barsIn(
  reader: JournalReader,
  calendar: TradingCalendar,
  minutes: (symbol: string) => BacktestBars | null,
): BacktestBars[] {
  const stored = new Map<string, BacktestBars | null>();
  const storedOf = (symbol: string) => {
    const known = stored.get(symbol);
    const found = known === undefined ? minutes(symbol) : known;
    stored.set(symbol, found);
    return found;
  };
  const sets = new BarSets();
  for (const { fact } of reader.ofKinds(['bar']))
    if (!isIntraday(fact.bar.interval) || calendar.sessionAt(fact.bar.start))
      sets.of(fact.bar.symbol, fact.bar.interval).set(fact.bar.start, fact.bar);
  const shown = new Set(sets.names);
  for (const { at, fact } of reader.ofKinds(['quotes'])) {
    if (!calendar.sessionAt(at)) continue;
    for (const [symbol, wad] of fact.prices) {
      if (shown.has(`${symbol} 1m`) || storedOf(symbol)) continue;
      widen(sets.of(symbol, '1m'), { symbol, interval: '1m' }, { at, price: toNumber(wad) });
    }
  }
  return [...sets.all, ...[...stored.values()].flatMap((bars) => bars ?? [])];
}

/**
 * Bars outside the session: those shown to the run, and one-minute bars built from its quotes, which it journals as they change. The
 * close of a bar that was shown is the price of its last minute. Also lists the stocks that traded in fractions there.
 */
function outsideIn(reader: JournalReader, calendar: TradingCalendar) {
  const hours = outsideHours(calendar);
  const [prices, shown]: [BarSets, BarSets] = [new BarSets(), new BarSets()];
  for (const { at, fact } of reader.ofKinds(['quotes'])) {
    if (!hours.sessionAt(at)) continue;
    for (const [symbol, wad] of fact.prices)
      widen(prices.of(symbol, '1m'), { symbol, interval: '1m' }, { at, price: toNumber(wad) });
  }
  for (const { fact } of reader.ofKinds(['bar'])) {
    if (!isIntraday(fact.bar.interval) || !hours.sessionAt(fact.bar.start)) continue;
    const { symbol, interval, start, close } = fact.bar;
    shown.of(symbol, interval).set(start, fact.bar);
    const minutes = prices.of(symbol, '1m');
    const last = epochMs(barEnd(fact.bar, hours) - INTERVAL_MS['1m']);
    if (!minutes.has(last)) widen(minutes, { symbol, interval: '1m' }, { at: last, price: close });
  }
  const fractional = new Set<string>();
  for (const { fact } of reader.ofKinds(['instruments']))
    for (const { symbol, fractionsOutside } of fact.instruments) if (fractionsOutside) fractional.add(symbol);
  return {
    bars: prices.all,
    shown: shown.all,
    fractional: [...fractional],
  };
}

/** Bars by stock and length, each set keyed by the starts of its bars. */
class BarSets {
  readonly #sets = new Map<string, Map<number, Bar>>();

  of(symbol: string, interval: Bar['interval']): Map<number, Bar> {
    const name = `${symbol} ${interval}`;
    const set = this.#sets.get(name) ?? new Map<number, Bar>();
    this.#sets.set(name, set);
    return set;
  }

  get names(): Iterable<string> {
    return this.#sets.keys();
  }

  get all(): BacktestBars[] {
    return [...this.#sets.values()].flatMap((bars) => {
      const [first] = bars.values();
      if (!first) return [];
      const { symbol, interval } = first;
      return [{ symbol, interval, ...columnsOfRows([...bars.values()]) }];
    });
  }
}

/** Token prices that the run read and its premium limits acted on; absent if it read none. */
function tokensIn(reader: JournalReader): Pick<BacktestOptions, 'tokenPrices'> {
  const read = reader.ofKinds(['tokenPrices']);
  const tokenPrices = Array.from(read, ({ at, fact: { tokens } }) => ({ at, tokens }));
  return tokenPrices.length > 0 ? { tokenPrices } : {};
}

const actionsIn = (reader: JournalReader): BacktestAction[] =>
  Array.from(reader.ofKinds(['split', 'entitled']), ({ fact }) => announced(fact.action));

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

/**
 * Fee rule of a run from its journal, as a value of `--fees`: the rates that the venue last stated or, where a settlement took
 * more, the rate it took. Null if the journal states no rates, or the documented ones.
 */
export function feesIn(reader: Pick<JournalReader, 'ofKinds'>): string | null {
  let schedule: FeeSchedule = DOCUMENTED_FEES;
  for (const { fact } of reader.ofKinds(['pinned', 'departed', 'feeTaken'])) {
    if (fact.kind === 'pinned')
      for (const { subject, terms } of fact.pins) if (subject === FEES) schedule = scheduleOf(terms);
    if (fact.kind === 'departed' && fact.subject === FEES && fact.terms) schedule = scheduleOf(fact.terms);
    if (fact.kind === 'feeTaken') schedule = raised(schedule, fact);
  }
  const { buyMintFeeBps: mint, buyProtocolFeeBps: buy, sellProtocolFeeBps: sell } = schedule;
  const rates = `${mint}/${buy}/${sell}`;
  const { buyMintFeeBps, buyProtocolFeeBps, sellProtocolFeeBps } = DOCUMENTED_FEES;
  return rates === `${buyMintFeeBps}/${buyProtocolFeeBps}/${sellProtocolFeeBps}` ? null : `rates:${rates}`;
}

/** Rates with the protocol's share of one side raised so that all fees equal those a settlement took, in whole bps. */
function raised(
  schedule: FeeSchedule,
  { side, bps }: Readonly<{ side: 'buy' | 'sell'; bps: number }>,
): FeeSchedule {
  const more = Math.max(Math.ceil(bps) - bpsBySide(schedule)[side], 0);
  return side === 'buy'
    ? { ...schedule, buyProtocolFeeBps: schedule.buyProtocolFeeBps + more }
    : { ...schedule, sellProtocolFeeBps: schedule.sellProtocolFeeBps + more };
}
