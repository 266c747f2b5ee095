import { tradingCalendar, type TradingCalendar } from '../calendar/index.ts';
import { phaseHours, type PhaseCalendar } from '../calendar/phaseHours.ts';
import { epochMs, toIso } from '../core/brand.ts';
import { ConfigError } from '../core/errors.ts';
import { hasPhase, isIntraday, type BarSet } from '../domain/bar.ts';
import { QUOTE_PHASES, type QuotePhase, type Ticker } from '../domain/instrument.ts';
import type { TradeRules } from '../domain/limits.ts';
import { joinHours, otherScale } from '../market/outsideBars.ts';
import { isMadeOf, resample } from '../market/resample.ts';
import { mapColumns, type BarColumns } from '../domain/barColumns.ts';
import type { DataNeeds } from '../strategy/contract.ts';
import { cutAt, type BacktestBars, type BacktestOptions } from './options.ts';
import { partsOf, Tape, tapeOf, type Hours } from './tape.ts';

/** Phases that any strategy trades, the regular session included; null if that is the only one. */
export function tradedPhases({ outside, strategies = [] }: BacktestOptions): ReadonlySet<QuotePhase> | null {
  if (!outside) return null;
  const all = new Set([...outside.trade, ...strategies.flatMap(({ trade = [] }) => trade)]);
  if (!all.has('regular'))
    throw new ConfigError('trade: must include regular, because market orders are sent only in that phase');
  return all.size > 1 ? all : null;
}

/** Calendar of the phases that are traded; null for the regular session alone. */
export function tradedHours(options: BacktestOptions, calendar: TradingCalendar): PhaseCalendar | null {
  const phases = tradedPhases(options);
  return phases && phaseHours(calendar, phases);
}

/**
 * Bars of a stock in all traded phases, which make its prices; null if it has none outside the session.
 * @throws {ConfigError} for bars of another length than those in the session
 */
export function barsOfPhases(
  {
    symbol,
    interval,
    columns,
  }: Readonly<{ symbol: Ticker; interval: BacktestBars['interval']; columns: BarColumns }>,
  options: BacktestOptions,
  hours: PhaseCalendar | null,
): BarColumns | null {
  const own = (options.outside?.bars ?? []).filter((bars) => bars.symbol === symbol);
  const [outside] = own;
  if (!hours || !outside) return null;
  if (own.length > 1)
    throw new ConfigError(`there are two sets of bars of ${symbol} outside the session. Give one of them`);
  if (outside.interval !== interval || !isIntraday(interval))
    throw new ConfigError(
      `bars of ${symbol} outside the session are of ${outside.interval}, and its shortest ones in the session of ${interval}: ` +
        'both must have one length, below a day. Add bars of that length (--interval 5m)',
      { symbol, interval },
    );
  requireOneScale(symbol, columns, outside);
  const isTraded = Array.from(outside.start, (start) => hours.sessionAt(epochMs(start)) !== undefined);
  const traded = mapColumns(outside, (column) => column.filter((_, index) => isTraded[index]));
  return traded.start.length === 0 ? null : joinHours(columns, cutAt(traded, options.to ?? Infinity));
}

/** @throws {ConfigError} where prices of several nights are far from those of the adjacent sessions */
function requireOneScale(symbol: Ticker, regular: BarColumns, outside: BarColumns): void {
  const nights = otherScale(regular, outside);
  const [first] = nights;
  if (!first || nights.length < 2) return;
  throw new ConfigError(
    `bars of ${symbol} outside the session are at other prices than those in it, on ${nights.length} nights: ` +
      `${first.price} from ${toIso(epochMs(first.at))} on, after ${first.session}. Only one of the two sets is adjusted for splits. ` +
      'Import both as traded, or both adjusted',
    { symbol },
  );
}

/** Sessions and, on their days, the phases in which a bar ends, in time order. The first day may have begun earlier. */
export function withPhases(
  sessions: readonly Hours[],
  tapes: readonly Tape[],
  { from, to }: Readonly<{ from: number; to: number }>,
): readonly Hours[] {
  const partsIn = (isShown: boolean) => tapes.flatMap((tape) => (tape.isShown === isShown ? tape.parts : []));
  const days = new Set(partsIn(true).flatMap(({ session }) => (session.open < to ? session.date : [])));
  const phases = new Map<number, Hours>();
  for (const { session } of partsIn(false)) {
    const { phase, date, open, close } = session;
    if (phase !== undefined && phase !== 'regular' && days.has(date) && close > from && open < to)
      phases.set(open, session);
  }
  return phases.size === 0 ? sessions : [...sessions, ...phases.values()].sort((a, b) => a.open - b.open);
}

type MarketBars = Readonly<{ options: BacktestOptions; tapes: readonly Tape[] }>;

/**
 * Bars of other phases that strategies request, made from those that are played.
 * @throws {ConfigError} if none of these phases is played, or if bars of that length cannot be made
 */
export function phaseTapes(
  strategies: readonly Readonly<{ id: string; needs: DataNeeds }>[],
  market: MarketBars,
): Tape[] {
  const made: Tape[] = [];
  for (const { id, needs } of strategies)
    for (const need of needs.bars ?? []) {
      const set = { ...need, symbol: need.symbol as Ticker };
      if (need.phases && !tapeOf([...market.tapes, ...made], set)) made.push(phaseTape(id, set, market));
    }
  return made;
}

function phaseTape(id: string, set: BarSet, { tapes, options }: MarketBars): Tape {
  const { calendar = tradingCalendar } = options;
  const { symbol, interval, phases = [] } = set;
  const own = tapes.filter((tape) => tape.symbol === symbol);
  const all = own.find(({ isShown }) => !isShown) ?? tapeOf(own, { symbol, interval });
  const isRequested = (start: number) => hasPhase(set, calendar.phaseAt(epochMs(start)).phase);
  if (!all?.columns.start.some(isRequested))
    throw new ConfigError(
      `${id} asks for bars of ${symbol} ${interval} in ${phases.join(', ')}, and no bar of those phases is played. ` +
        'They need bars outside the session, and --trade or `trade` in the config with those phases (docs/nights.md)',
      { strategy: id, symbol },
    );
  const hours = phaseHours(calendar, new Set(phases));
  if (all.interval !== interval && !isMadeOf(interval, all.interval))
    throw new ConfigError(
      `${id} asks for bars of ${symbol} ${interval} in ${phases.join(', ')}, and those outside the session are of ${all.interval}`,
      { strategy: id, symbol },
    );
  const shown = options.outside?.shown?.find((bars) => bars.symbol === symbol && bars.interval === interval);
  const { interval: from, columns } = shown ? { interval, columns: shown } : all;
  // Bars of the session come from the set that strategies without phases are shown, whatever its source.
  const session = hasPhase(set, 'regular') ? tapeOf(own, { symbol, interval }) : undefined;
  const isTaken = Array.from(
    columns.start,
    (start) => isRequested(start) && !(session && calendar.sessionAt(epochMs(start))),
  );
  const within = mapColumns(columns, (column) => column.filter((_, index) => isTaken[index]));
  const made = from === interval ? within : resample(within, { from, to: interval, calendar: hours }).columns;
  return tapeIn({ ...set, columns: session ? joinHours(session.columns, made) : made }, hours);
}

const tapeIn = (input: ConstructorParameters<typeof Tape>[0], hours: PhaseCalendar): Tape =>
  new Tape(input, partsOf(input, hours), null);

/** Phases in which a stock has bars. */
export const phasesIn = ({ isShown, parts }: Tape): ReadonlySet<QuotePhase> =>
  new Set(isShown ? ['regular'] : parts.map(({ session: { phase = 'regular' } }) => phase));

/** Rules for the traded phases; absent for the regular session alone. A stock trades in phases with bars. */
export function tradeRulesOf(
  options: BacktestOptions,
  tapes: readonly Tape[],
): Readonly<{ trade?: TradeRules }> {
  const { outside, strategies = [] } = options;
  if (!outside || !tradedPhases(options)) return {};
  const own = strategies.flatMap(({ id, definition, trade }) =>
    trade ? [[id ?? definition.name, new Set(trade)] as const] : [],
  );
  const stocks = tapes.flatMap((tape) => {
    if (!tape.last) return [];
    const known = phasesIn(tape);
    const named: readonly QuotePhase[] = outside.stocks?.[tape.symbol] ?? QUOTE_PHASES;
    const extendedHours = known.has('pre') || known.has('post');
    return [
      [tape.symbol, { phases: new Set(named.filter((phase) => known.has(phase))), extendedHours }] as const,
    ];
  });
  return {
    trade: {
      run: new Set(outside.trade),
      strategies: new Map(own),
      stocks: new Map(stocks),
      dayEnds: 'phase',
    },
  };
}
