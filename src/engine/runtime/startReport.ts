import { ownerName } from '../../domain/account/ledger.ts';
import {
  newYorkClock,
  newYorkDate,
  newYorkMinute,
  type Session,
  type TradingCalendar,
} from '../../calendar/index.ts';
import { formatDecimal } from '../../core/amount.ts';
import type { EpochMs } from '../../core/brand.ts';
import { describeIntent, describeSynthetic, describeTerms } from '../../domain/describe.ts';
import type { OrderIntent } from '../../domain/orders/orderIntent.ts';
import { isUnanswered } from '../../domain/orders/order.ts';
import { buyStopOf } from '../../domain/orders/syntheticOrder.ts';
import { nextTimer, timersIn, type Timer } from '../../strategy/sessionTime.ts';
import type { Kernel } from '../kernel/kernel.ts';
import type { LastEnd, LastRun } from '../kernel/startCheck.ts';
import type { RunnerOptions } from './runOptions.ts';
import type { EngineContext } from '../state/engineContext.ts';
import { fateOf, type Notify } from '../state/notice.ts';
import type { StrategySetup } from '../strategy/strategyInstance.ts';

const ENDS: Readonly<Record<LastEnd['how'], string>> = {
  'in order': 'ended in order',
  'at once': 'was stopped at once',
  crashed: 'ended by an error',
  killed: 'was killed',
};

export function reportFound(
  { context, lastRun, reconciliation }: Kernel,
  calendar: TradingCalendar,
  notify: Notify,
): void {
  const findings = { lastRun, calendar, differences: reconciliation.open };
  for (const text of foundAtStart(context, findings)) notify('account', text);
}

/** Reports the next timer of each strategy, and the timers of an open session that are past. */
export function reportTimers(
  context: EngineContext,
  { calendar, strategies }: Pick<RunnerOptions, 'calendar' | 'strategies'>,
  notify: Notify,
): void {
  const session = calendar.sessionAt(context.now);
  const next = calendar.nextSession(session?.close ?? context.now);
  for (const setup of strategies) {
    const text = timersAtStart(context, setup, { session, next });
    if (text !== null) notify('strategy', text, { strategyId: setup.id });
  }
}

type Findings = Readonly<{
  lastRun: LastRun;
  calendar: TradingCalendar;
  /** Assets in which ledger and venue differ. */
  differences: readonly string[];
}>;

/**
 * Lines about the findings of a start: the end of the previous run, its orders and positions, differences, and sessions
 * missed since. None for the first run on a journal.
 */
function foundAtStart(context: EngineContext, { lastRun, calendar, differences }: Findings): string[] {
  const { end } = lastRun;
  if (end === null) return [];
  const { live, intents, open, synthetics } = context.accountState;
  const unknown = [...live.values()].filter(isUnanswered);
  const known = [...live.values()].filter((order) => !isUnanswered(order));
  const orders = known.map(({ strategyId, terms }) => `${ownerName(strategyId)} ${describeTerms(terms)}`);
  const lost = unknown.map(
    ({ strategyId, terms, id }) => `${ownerName(strategyId)} ${describeTerms(terms)} (order ${id})`,
  );
  const ended = endedMeanwhile(context, lastRun);
  const waiting = [...intents.values()].filter(({ id, parent }) => !open.of(id) && !parent);
  const held = [...synthetics.live.values()].map(
    ({ order }) => `${ownerName(order.strategyId)} ${describeSynthetic(order)}`,
  );
  const passed = passedStops(context);
  return [
    `continues: the run before ${ENDS[end.how]} at ${newYorkMinute(end.at)}`,
    ...(ended.length > 0 ? [`found: orders ended meanwhile: ${listed(ended)}`] : []),
    `found: orders open: ${listed(orders)}; without an answer: ${listed(lost)}`,
    ...(waiting.length > 0 ? [`found: waiting to be sent: ${listed(waiting.map(waitingText))}`] : []),
    ...(held.length > 0 ? [`found: held by this bot, not by the venue: ${listed(held)}`] : []),
    ...(passed.length > 0 ? [`found: stops that the price has passed meanwhile: ${listed(passed)}`] : []),
    `found: positions: ${listed(positionsOf(context))}`,
    `found: differences between ledger and venue: ${listed(differences)}`,
    ...missedText(calendar, { from: end.at, to: context.now }),
  ];
}

/** Armed stops that the latest price has reached, each with that price. They trigger as soon as the strategies run. */
function passedStops({ accountState: { synthetics }, market }: EngineContext): string[] {
  return [...synthetics.live.values()].flatMap((state) => {
    const { order, trigger, ending } = state;
    const buyStop = buyStopOf(state);
    const stop = buyStop ?? state.stop;
    const price = market.price(order.symbol);
    if (stop === null || price === null || trigger || ending) return [];
    const isPassed = buyStop !== null ? price >= stop : price <= stop;
    const { strategyId, symbol } = order;
    if (!isPassed) return [];
    return [
      `${ownerName(strategyId)} ${describeSynthetic(order)}, at ${formatDecimal(stop)}: ${symbol} is at ${formatDecimal(price)}`,
    ];
  });
}

const waitingText = (intent: OrderIntent): string =>
  `${ownerName(intent.strategyId)} ${describeIntent(intent)}`;

/** Orders that the previous run left open and that have ended since, with their ends. */
const endedMeanwhile = (
  { accountState: { live, orders } }: EngineContext,
  { live: before }: LastRun,
): string[] =>
  before.flatMap((id) => {
    const order = live.has(id) ? undefined : orders.get(id);
    return order
      ? [`${ownerName(order.strategyId)} ${describeTerms(order.terms)} (${fateOf(order.state)})`]
      : [];
  });

/** Whole sessions in which nothing ran, so none of their timers fired. */
function missedText(
  calendar: TradingCalendar,
  { from, to }: Readonly<{ from: EpochMs; to: EpochMs }>,
): string[] {
  const dates: string[] = [];
  for (let next = calendar.nextSession(from); next.close <= to; next = calendar.nextSession(next.close))
    dates.push(next.date);
  const [first, last] = [dates[0], dates.at(-1)];
  if (first === undefined || last === undefined) return [];
  const which = first === last ? `the session of ${first}` : `${dates.length} sessions, ${first} to ${last}`;
  return [`missed while nothing ran: ${which}, with their timers`];
}

const listed = (texts: readonly string[]): string => (texts.length === 0 ? 'none' : texts.join(', '));

function positionsOf({ accountState: { allocations, positions } }: EngineContext): string[] {
  return [...allocations.keys()].flatMap((strategyId) =>
    [...positions.all(strategyId)].flatMap(([symbol, { quantity }]) =>
      quantity === 0n ? [] : [`${strategyId} ${formatDecimal(quantity)} ${symbol}`],
    ),
  );
}

type Sessions = Readonly<{
  /** The open session, if any, and the next one. */
  session: Session | undefined;
  next: Session;
}>;

/** Line on a strategy's timers at a start: today's that are past, and the next one. Null if it has none. */
function timersAtStart(
  context: EngineContext,
  setup: StrategySetup,
  { session, next }: Sessions,
): string | null {
  const { now } = context;
  const { calendar } = context;
  const sessions = session ? [session, next] : [next];
  const coming = nextTimer(setup.needs, sessions, { now, calendar });
  const past = timersIn(setup.needs, sessions, calendar).filter(({ at }) => at <= now);
  if (past.length > 0)
    return `timers past today: ${pastText(context, setup, past)}; next: ${coming ? timeText(coming, now) : 'none'}`;
  return coming ? `next timer: ${timeText(coming, now)}` : null;
}

function pastText(
  { accountState, now }: EngineContext,
  { id }: StrategySetup,
  past: readonly Timer[],
): string {
  const firstStart = accountState.firstStarts.get(id) ?? now;
  const fates: Fate[] = [];
  for (const { name, at } of past) {
    const wasFired = (accountState.timers.get(`${id} ${name}`) ?? 0) >= at;
    const late = wasFired ? 'fired before' : 'fires now';
    const what = at < firstStart ? 'not fired: before its first start' : late;
    const known = fates.find((fate) => fate.name === name && fate.what === what);
    if (known) known.times.push(at);
    else fates.push({ name, what, times: [at] });
  }
  return fates.map(fateText).join(', ');
}

/** Outcome of a timer at one or more of its times, earliest first. */
type Fate = Readonly<{ name: string; what: string; times: EpochMs[] }>;

/** Text of an outcome. A timer that repeats within minutes has hundreds of times a day, so they are shown as a span. */
function fateText({ name, what, times }: Fate): string {
  const [first, last] = [times[0], times.at(-1)];
  if (first === undefined || last === undefined) return '';
  if (times.length === 1) return `${timerText(name, first)} (${what})`;
  const fate = what === 'fires now' ? 'fires now, once' : what;
  return `${timerText(name, first)} to ${newYorkClock(last)}, ${times.length} times (${fate})`;
}

/** A timer with its time, and the date if that is not today. */
function timeText({ name, at }: Timer, now: EpochMs): string {
  const date = newYorkDate(at);
  return `${timerText(name, at)}${date === newYorkDate(now) ? '' : ` on ${date}`}`;
}

/** Timer with its time, `close 15:50`; the time only once if it is also the name. */
function timerText(name: string, at: EpochMs): string {
  const time = newYorkClock(at);
  return name === time ? time : `${name} ${time}`;
}
