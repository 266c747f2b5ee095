import type { Phase, TradingCalendar } from '../calendar/index.ts';
import { epochMs, toIso } from '../core/brand.ts';
import { countWhile } from '../core/countWhile.ts';
import { hashHex } from '../core/random.ts';
import { INTERVAL_MS, isIntraday, type Interval } from '../domain/bar.ts';
import { ACTION_KINDS, type Announcement } from '../domain/corporateAction.ts';
import type { BarColumns } from '../domain/barColumns.ts';
import { barEnd, holesBetween, isInCalendar, isOnStep, openOf, type Hole } from './series.ts';

/** Finding about stored bars. `at`: start of the bar, epoch ms. Errors make results wrong; a warning may be genuine. */
export type Finding = Readonly<{
  severity: 'error' | 'warning';
  kind:
    | 'order'
    | 'duplicate'
    | 'outside'
    | 'step'
    | 'price'
    | 'range'
    | 'volume'
    | 'absurd'
    | 'gap'
    | 'session'
    | 'split'
    | 'jump';
  at: number;
  what: string;
  /** Possible remedy. */
  remedy: 'refetch' | 'action' | 'look';
}>;

/** Kinds of findings that may be genuine; all others are wrong in any case. */
export const JUDGED: ReadonlySet<string> = new Set<Finding['kind']>([
  'absurd',
  'gap',
  'session',
  'split',
  'jump',
]);

/** Id of a finding within its symbol, derived from the bar and its numbers. */
export const findingId = ({ kind, at, what }: Pick<Finding, 'kind' | 'at' | 'what'>): string =>
  hashHex(`${kind} ${at} ${what}`).slice(2, 10);

type KnownAction = Omit<Announcement, 'symbol' | 'payableDate' | 'exDate'> & Readonly<{ exDate: string }>;

export type InspectOptions = Readonly<{
  interval: Interval;
  calendar: TradingCalendar;
  /** Known actions; null if none were ever fetched. */
  actions: readonly KnownAction[] | null;
}>;

/** Factor between the prices of two bars, up or down, from which an explanation is required. */
export const JUMP = 1.4;
/** Largest factor within a bar between open or close and an extreme. */
const SPIKE = 2;
const SPLITS = [1.5, 2, 3, 4, 5, 6, 7, 8, 10, 15, 20, 25, 30, 50, 100];
/** Tolerance of a split's ratio, for the overnight price move. */
const SPLIT_SLACK = 0.06;

/** Checks each bar by itself, against the one before it, against the calendar and against the corporate actions. */
export function inspectBars(bars: BarColumns, options: InspectOptions): Finding[] {
  const findings: Finding[] = [];
  let [before, priced] = [-Infinity, -1];
  for (let index = 0; index < bars.start.length; index++) {
    const at = bars.start[index] ?? NaN;
    const own = [...placeFindings(at, options), ...(at > before ? [] : [outOfOrder(at, before)])];
    const isPlaced = own.length === 0;
    if (isPlaced && before > -Infinity) own.push(...gapFindings({ before, at }, options));
    if (isPlaced) before = at;
    const wrong = priceFindings(bars, index);
    const jumps = priced < 0 || wrong.length > 0 ? [] : jumpFindings(bars, { last: priced, index }, options);
    findings.push(...own, ...wrong, ...jumps);
    if (isPlaced && wrong.length === 0 && jumps.every(({ kind }) => kind !== 'absurd')) priced = index;
  }
  return [...findings, ...unseenActions(bars, options)].sort((a, b) => a.at - b.at);
}

/** Error that refetching the bar may fix. */
const fault = (kind: Finding['kind'], at: number, what: string): Finding => ({
  severity: 'error',
  kind,
  at,
  what,
  remedy: 'refetch',
});

const outOfOrder = (at: number, before: number): Finding =>
  at === before
    ? fault('duplicate', at, 'there are two bars with this start')
    : fault('order', at, `it comes after the bar of ${iso(before)}`);

const iso = (at: number): string => toIso(epochMs(at));

const IN_PHASE = 'it is outside the regular sessions';
const OUTSIDE: Readonly<Record<Phase, string>> = {
  overnight: IN_PHASE,
  pre: IN_PHASE,
  post: IN_PHASE,
  regular: 'it is of a regular session, and the others are not',
  closed: 'it is outside the regular sessions and all other phases',
};

function placeFindings(at: number, { interval, calendar }: InspectOptions): Finding[] {
  const session = isInCalendar(at) ? calendar.sessionAt(epochMs(at)) : undefined;
  if (!session)
    return [fault('outside', at, OUTSIDE[isInCalendar(at) ? calendar.phaseAt(epochMs(at)).phase : 'closed'])];
  const open = openOf(session, interval, calendar);
  if (isOnStep(at, interval, open)) return [];
  const step = isIntraday(interval) ? `on a step of ${interval} from` : 'at';
  const of = interval === '1w' ? ' of its week' : '';
  return [fault('step', at, `it does not start ${step} the open${of}, ${iso(open)}`)];
}

function priceFindings({ start, open, high, low, close, volume }: BarColumns, index: number): Finding[] {
  const at = start[index] ?? NaN;
  const prices = [open, high, low, close].map((column) => column[index] ?? NaN);
  const [first = NaN, top = NaN, bottom = NaN, final = NaN] = prices;
  const shown = `open ${first}, high ${top}, low ${bottom}, close ${final}`;
  const error = (kind: Finding['kind'], what: string) => [fault(kind, at, what)];
  if (!prices.every((price) => price > 0 && price < Infinity))
    return error('price', `a price is not a number above 0: ${shown}`);
  if (!(bottom <= Math.min(first, final) && top >= Math.max(first, final)))
    return error('range', `high and low do not enclose open and close: ${shown}`);
  const traded = volume[index] ?? NaN;
  if (!(traded >= 0 && traded < Infinity)) return error('volume', `the volume is ${traded}`);
  const [upper, lower] = [Math.max(first, final), Math.min(first, final)];
  if (top > upper * SPIKE || bottom < lower / SPIKE)
    return error('absurd', `a price is more than ${SPIKE} times higher or lower than the others: ${shown}`);
  return [];
}

/** Findings about bars and sessions missing between two bars; outside the regular sessions none are required. */
function gapFindings(
  { before, at }: Readonly<{ before: number; at: number }>,
  { interval, calendar }: InspectOptions,
): Finding[] {
  const end = barEnd({ start: epochMs(before), interval }, calendar);
  const session = calendar.sessionAt(epochMs(end - 1));
  const holes = [...holesBetween({ session, end, start: at }, calendar)].filter(
    ({ from }) => calendar.phaseAt(epochMs(from)).phase === 'regular',
  );
  const skipped = holes.map((hole) => missing(hole, interval));
  return interval === '1w' ? weeksOf(skipped) : skipped;
}

function missing({ from, to, isWhole }: Hole, interval: Interval): Finding {
  if (!isIntraday(interval) || isWhole) return fault('session', from, 'the whole session is missing');
  const count = Math.ceil((to - from) / INTERVAL_MS[interval]);
  const what = `${count} ${count === 1 ? 'bar is' : 'bars are'} missing up to ${iso(to)}`;
  return { severity: 'warning', kind: 'gap', at: from, what, remedy: 'refetch' };
}

/** Single finding for all missing weeks, because the sessions of a week have no weekly bars of their own. */
const weeksOf = ([first]: readonly Finding[]): Finding[] =>
  first ? [{ ...first, what: 'a week or more is missing' }] : [];

type Pair = Readonly<{ last: number; index: number }>;

function jumpFindings(bars: BarColumns, pair: Pair, { actions, calendar }: InspectOptions): Finding[] {
  const { last, index } = pair;
  const at = bars.start[index] ?? NaN;
  const [from, to] = [bars.close[last] ?? NaN, bars.open[index] ?? NaN];
  if (!(sizeOf(from / to) > JUMP)) return [];
  const what = `the price goes from ${from} to ${to}`;
  if (comesBack(bars, pair)) return [fault('absurd', at, `${what}, and back with the next bar`)];
  const date = tradingDate(at, calendar);
  const since = tradingDate(bars.start[last] ?? NaN, calendar);
  const known = (actions ?? []).filter(({ exDate }) => exDate > since && exDate <= date);
  const left = unexplained({ from, to }, known);
  if (sizeOf(left) <= JUMP) return [];
  const times = SPLITS.find((split) => Math.abs(sizeOf(left) / split - 1) < SPLIT_SLACK);
  const isSplit = known.some((action) => splitRatioOf(action) !== 1);
  if (since === date || (times === undefined && !isSplit))
    return [{ severity: 'warning', kind: 'jump', at, what, remedy: 'look' }];
  const split = left > 1 ? `${times} for 1` : `1 for ${times}`;
  const beside = known.length === 0 ? '' : ` beside the ${namesOf(known)} of ${date}`;
  const shown =
    times === undefined
      ? `${what}, which the ${namesOf(known)} of ${date} does not explain`
      : `${what}, as by a split ${split}${beside}, but none is known`;
  return [{ severity: 'error', kind: 'split', at, what: shown, remedy: 'action' }];
}

/** Date of a bar's session, which includes the evening before; for a bar in no session, the date of its time. */
const tradingDate = (at: number, calendar: TradingCalendar): string =>
  (isInCalendar(at) ? calendar.sessionAt(epochMs(at))?.date : undefined) ?? calendar.newYorkDate(epochMs(at));

const namesOf = (actions: readonly KnownAction[]): string =>
  [...new Set(actions.map(({ type }) => type.replaceAll('_', ' ')))].join(' and ');

/** Shares that one share becomes by an action; 1 for an action that is not a split. */
function splitRatioOf({ type, oldRate, newRate }: KnownAction): number {
  const ratio = Number(newRate) / Number(oldRate);
  return ACTION_KINDS[type] === 'split' && ratio > 0 && ratio < Infinity ? ratio : 1;
}

/**
 * Factor by which the price fell (above 1) or rose (below 1) beyond what the actions of the days between explain: a
 * split by its rates, a payment by its cash, whether per pre-split or post-split share.
 */
function unexplained(
  { from, to }: Readonly<{ from: number; to: number }>,
  known: readonly KnownAction[],
): number {
  const per = known.reduce((product, action) => product * splitRatioOf(action), 1);
  const cash = known.reduce((sum, { cashPerShare }) => sum + Number(cashPerShare ?? 0), 0);
  const afterCash = [from / per - cash, (from - cash) / per].filter((price) => price > 0);
  return [from / per, ...afterCash]
    .map((price) => price / to)
    .reduce((a, b) => (sizeOf(b) < sizeOf(a) ? b : a));
}

const sizeOf = (ratio: number): number => Math.max(ratio, 1 / ratio);

/** True when the bar after a jump returns to the price before it. */
function comesBack({ open, close }: BarColumns, { last, index }: Pair): boolean {
  const after = open[index + 1];
  return after !== undefined && sizeOf((close[last] ?? NaN) / after) < 1 + (JUMP - 1) / 2;
}

/** Findings about known splits that the prices do not show: these are already adjusted, and would be adjusted twice. */
function unseenSplits({ start, open, close }: BarColumns, { actions, calendar }: InspectOptions): Finding[] {
  return (actions ?? []).flatMap((action): Finding[] => {
    const { exDate, oldRate, newRate } = action;
    const expected = splitRatioOf(action);
    if (sizeOf(expected) <= JUMP) return [];
    const index = firstFrom(start, exDate, calendar);
    if (index === null) return [];
    const ratio = (close[index - 1] ?? NaN) / (open[index] ?? NaN);
    if (!(Math.abs(Math.log(ratio)) <= Math.abs(Math.log(expected)) / 2)) return [];
    const what = `a split ${newRate} for ${oldRate} is known of ${exDate}, but the price stays at ${open[index]}`;
    return [{ severity: 'error', kind: 'split', at: start[index] ?? NaN, what, remedy: 'action' }];
  });
}

/** Index of the first bar on or after an ex-date; null if there is none, or none before it. */
function firstFrom(
  start: BarColumns['start'],
  exDate: string,
  calendar: InspectOptions['calendar'],
): number | null {
  const isBefore = (at: number) =>
    isInCalendar(at) ? tradingDate(at, calendar) < exDate : at < Date.parse(exDate);
  const index = countWhile(start, isBefore);
  return index < 1 || index === start.length ? null : index;
}

/** Findings about payments of a large part of the price, or more than all of it, that the prices do not show. */
function unseenPayments({ start, open, close }: BarColumns, options: InspectOptions): Finding[] {
  const { calendar } = options;
  const actions = options.actions ?? [];
  return actions.flatMap(({ type, exDate, cashPerShare }): Finding[] => {
    const index = ACTION_KINDS[type] === 'payment' ? firstFrom(start, exDate, calendar) : null;
    if (index === null) return [];
    const from = close[index - 1] ?? NaN;
    const to = open[index] ?? NaN;
    const left = 1 - Number(cashPerShare) / from;
    const fell = splitsOf(actions, exDate).reduce((ratio, each) => ratio / each, from / to);
    // Half of the fall is enough evidence, as for a split.
    if (left > 0 && (1 / left <= JUMP || fell >= Math.sqrt(1 / left))) return [];
    const what = `a payment of ${cashPerShare} a share is known of ${exDate}, but the price goes from ${from} to ${to}`;
    return [{ severity: 'error', kind: 'split', at: start[index] ?? NaN, what, remedy: 'action' }];
  });
}

const unseenActions = (bars: BarColumns, options: InspectOptions): Finding[] => [
  ...unseenSplits(bars, options),
  ...unseenPayments(bars, options),
];

const splitsOf = (actions: readonly KnownAction[], day: string): number[] =>
  actions.filter(({ exDate }) => exDate === day).map(splitRatioOf);

/** Contradictions between prices and actions: a jump as by an unknown split, or a known split or payment not seen. */
export function splitFindings(bars: BarColumns, options: InspectOptions): Finding[] {
  const { start, open, close } = bars;
  const findings = unseenActions(bars, options);
  for (let index = 1; index < start.length; index++) {
    const from = close[index - 1] ?? NaN;
    const to = open[index] ?? NaN;
    if (!(from > to * JUMP || to > from * JUMP)) continue;
    if (!isInCalendar(start[index - 1] ?? NaN) || !isInCalendar(start[index] ?? NaN)) continue;
    const jumps = jumpFindings(bars, { last: index - 1, index }, options);
    findings.push(...jumps.filter(({ kind }) => kind === 'split'));
  }
  return findings.sort((a, b) => a.at - b.at);
}
