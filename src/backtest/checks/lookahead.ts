import { tradingCalendar, type TradingCalendar } from '../../calendar/index.ts';
import { outsideHours } from '../../calendar/phaseHours.ts';
import { epochMs, toIso, type EpochMs } from '../../core/brand.ts';
import { countWhile } from '../../core/countWhile.ts';
import { ConfigError, StrategyError } from '../../core/errors.ts';
import type { JournalEntry, JournalEvent } from '../../domain/journalEvent.ts';
import { cutTo } from '../../market/mergeBars.ts';
import { barEnd } from '../../market/series.ts';
import { spanOf, type BacktestBars, type BacktestOptions } from '../options.ts';
import { exactChange, exactTerms } from '../result.ts';
import { runBacktest } from '../runBacktest.ts';

/** Decision of a strategy with later bars available (`withFuture`) and without them; null where it made none. */
export type Difference = Readonly<{
  strategy: string;
  at: string;
  withFuture: string | null;
  withoutFuture: string | null;
}>;

/**
 * `decisions`: number of decisions that shorter histories had to reproduce. `histories`: number checked; 0 if none lies
 * within the span. `undecided`: strategies without any such decision, which were not checked. `found`: the earliest
 * difference; null when every history led to the same decisions.
 */
export type LookaheadCheck = Readonly<{
  decisions: number;
  histories: number;
  undecided: readonly string[];
  found: Difference | null;
}>;

/** `ofBar`: true when only bar events came before it at the same instant. */
export type Decision = Readonly<{ at: EpochMs; strategy: string; what: string; ofBar: boolean }>;

/**
 * Repeats a backtest on histories that end early, mostly right after a decision. A strategy without look-ahead makes
 * the same decisions until each history ends. Data that a strategy reads by itself are not cut.
 */
export async function checkLookahead(given: BacktestOptions, histories: number): Promise<LookaheadCheck> {
  const { calendar = tradingCalendar } = given;
  if (!(histories >= 1)) throw new ConfigError(`${histories} histories check nothing: write 1 or more`);
  // Missing bars at the end of a shorter history are no delisting: never write off, and refuse only in the full run.
  const options: BacktestOptions = { ...given, delisted: 'last' };
  const all = await decisionsOr(given.delisted === 'error' ? given : options);
  if ('strategy' in all) return { decisions: 0, histories: 1, undecided: [], found: all };
  const ends = endsOf(options, { all, histories, calendar });
  const compared = all.filter(({ at }) => at <= (ends.at(-1) ?? -Infinity));
  const counts = {
    decisions: compared.length,
    histories: ends.length,
    undecided: undecidedIn(idsOf(options), compared),
  };
  for (const end of ends) {
    const found = await differenceAt(all, { ...options, ...untilEnd(options, end, calendar) }, end);
    if (found) return { ...counts, found };
  }
  return { ...counts, found: null };
}

const idsOf = ({ strategy, strategies = strategy ? [{ definition: strategy }] : [] }: BacktestOptions) =>
  strategies.map(({ id, definition }) => id ?? definition.name);

/** Strategies without a decision, which the check could therefore not cover. */
export const undecidedIn = (ids: readonly string[], decisions: readonly Decision[]): string[] =>
  ids.filter((id) => decisions.every(({ strategy }) => strategy !== id));

/** Decisions on all bars; for signals that look ahead, the differing weight instead. */
async function decisionsOr(options: BacktestOptions): Promise<Decision[] | Difference> {
  try {
    return await decisionsOf(options);
  } catch (error) {
    if (error instanceof StrategyError && 'withFuture' in error.details) return error.details as Difference;
    throw error;
  }
}

async function differenceAt(all: readonly Decision[], options: BacktestOptions, end: EpochMs) {
  const past = (decisions: readonly Decision[]) => decisions.filter(({ at }) => at <= end);
  try {
    return firstDifference(past(all), past(await decisionsOf(options)), end);
  } catch (error) {
    if (!(error instanceof StrategyError)) throw error;
    const { strategy = '', at = toIso(end) } = error.details as Readonly<{ strategy?: string; at?: string }>;
    return { strategy, at, withFuture: null, withoutFuture: error.message };
  }
}

/** First difference of two histories; at the last instant, decisions after other events than bars are ignored. */
function firstDifference(
  future: readonly Decision[],
  past: readonly Decision[],
  end: EpochMs,
): Difference | null {
  const length = Math.max(future.length, past.length);
  for (let index = 0; index < length; index++) {
    const [a, b] = [future[index], past[index]];
    if (a?.at === b?.at && a?.what === b?.what && a?.strategy === b?.strategy) continue;
    if (!b && a?.at === end && !a.ofBar) return null;
    const [first, isFuture] = a && (!b || a.at <= b.at) ? [a, true] : [b as Decision, false];
    const isSame = a?.at === b?.at;
    return {
      strategy: first.strategy,
      at: toIso(first.at),
      withFuture: isFuture || isSame ? (a?.what ?? null) : null,
      withoutFuture: !isFuture || isSame ? (b?.what ?? null) : null,
    };
  }
  return null;
}

export async function decisionsOf(options: BacktestOptions): Promise<Decision[]> {
  const decisions: Decision[] = [];
  const strategyIds = new Map<string, string>();
  let otherEventAt = -Infinity;
  const onFact = ({ at, fact }: JournalEntry) => {
    if (isOtherEvent(fact)) otherEventAt = at;
    if (fact.kind === 'intentCreated' && !fact.intent.parent)
      strategyIds.set(fact.intent.id, fact.intent.strategyId);
    if (fact.kind === 'syntheticPlaced') strategyIds.set(fact.order.id, fact.order.strategyId);
    const what = decided(fact);
    const strategy = what && strategyIds.get(what.id);
    if (!strategy) return;
    decisions.push({ at, strategy, what: what.text, ofBar: otherEventAt !== at });
  };
  await runBacktest({ ...options, onFact });
  return decisions;
}

/** True for events other than bars that strategies receive. */
const isOtherEvent = (fact: JournalEvent): boolean =>
  fact.kind === 'session' ||
  fact.kind === 'timer' ||
  fact.kind === 'quotes' ||
  (fact.kind === 'order' && fact.event.kind === 'reported');

/**
 * Decision of a strategy: an order, or the cancel of one. Later changes of an order that the runner holds are not
 * decisions of the strategy: they follow prices within the bar.
 */
function decided(fact: JournalEvent): Readonly<{ id: string; text: string }> | null {
  switch (fact.kind) {
    case 'intentCreated':
      return { id: fact.intent.id, text: exactTerms(fact.intent) };
    case 'intentEnded':
      return fact.how === 'cancelled' ? { id: fact.id, text: `cancel ${fact.id}` } : null;
    case 'syntheticPlaced':
      return { id: fact.order.id, text: exactTerms(fact.order) };
    case 'syntheticMoved':
      if (fact.event.kind === 'adjusted')
        return { id: fact.id, text: exactChange(fact.id, fact.event.terms) };
      return fact.event.kind === 'ending' && fact.event.how === 'cancelled'
        ? { id: fact.id, text: `cancel ${fact.id}` }
        : null;
    default:
      return null;
  }
}

type DecisionHistory = Readonly<{ all: readonly Decision[]; histories: number; calendar: TradingCalendar }>;

/** End times of histories, earliest first: half of them at decisions, the rest at bars. */
function endsOf(options: BacktestOptions, { all, histories, calendar }: DecisionHistory): EpochMs[] {
  const bounds = boundsOf(options, calendar);
  const { earliest, latest } = bounds;
  const moments = [...new Set(all.filter(({ ofBar }) => ofBar).map(({ at }) => at))].filter(
    (at) => at > earliest && at < latest,
  );
  const atDecisions = evenly(moments.length, Math.ceil(histories / 2)).map((index) => moments[index]);
  const places = options.bars.map((each) => placesIn(each, bounds, calendar));
  const [most] = places.sort((a, b) => b.count - a.count);
  const atBars = most
    ? evenly(most.count, histories - atDecisions.length).map((index) => most.endAt(most.first + index))
    : [];
  return [...new Set([...atBars, ...atDecisions])].filter((end) => end !== undefined).sort((a, b) => a - b);
}

type Bounds = Readonly<{ earliest: number; latest: number }>;

/** Range of history ends: after the first bar of every symbol has ended, and before the last one played has. */
function boundsOf(options: BacktestOptions, calendar: TradingCalendar): Bounds {
  const { bars } = options;
  const { from, to } = spanOf(options);
  const lasts = bars.map((each) => {
    const played = countWhile(each.start, (start) => start < to);
    return played > 0 ? endOf(each, played - 1, calendar) : -Infinity;
  });
  return {
    earliest: Math.max(from, ...bars.map((each) => endOf(each, 0, calendar))),
    latest: Math.max(...lasts),
  };
}

/** Bars that end between the bounds. */
function placesIn(bars: BacktestBars, { earliest, latest }: Bounds, calendar: TradingCalendar) {
  const endAt = (index: number) => endOf(bars, index, calendar);
  const first = countWhile(bars.start, (_start, index) => endAt(index) <= earliest);
  const count = countWhile(bars.start, (_start, index) => endAt(index) < latest) - first;
  return { first, count, endAt };
}

export const endOf = ({ start, interval }: BacktestBars, index: number, calendar: TradingCalendar): EpochMs =>
  barEnd({ start: epochMs(start[index] ?? NaN), interval }, calendar);

/** Evenly spaced indexes from 0 up to `length`, at most `count`. */
const evenly = (length: number, count: number): number[] =>
  length <= count
    ? Array.from({ length }, (_, index) => index)
    : Array.from({ length: count }, (_, index) => Math.floor(((index + 0.5) * length) / count));

/** Bars of a run that have ended by an instant. */
function untilEnd({ bars, outside }: BacktestOptions, end: EpochMs, calendar: TradingCalendar) {
  const cut = (sets: readonly BacktestBars[], hours: TradingCalendar) =>
    sets.map((each) => cutAfter(each, end, hours));
  const ended = { bars: cut(bars, calendar) };
  return outside
    ? { ...ended, outside: { ...outside, bars: cut(outside.bars, outsideHours(calendar)) } }
    : ended;
}

/** Bars that have ended by an instant. */
function cutAfter(bars: BacktestBars, end: EpochMs, calendar: TradingCalendar): BacktestBars {
  const { symbol, interval, start } = bars;
  const count = countWhile(start, (at) => barEnd({ start: epochMs(at), interval }, calendar) <= end);
  return { symbol, interval, ...cutTo(bars, 0, count) };
}
