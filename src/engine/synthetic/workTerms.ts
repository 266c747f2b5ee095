import { cash, formatDecimal, notionalOf, WAD } from '../../core/amount.ts';
import { MINUTE_MS, epochMs, type EpochMs } from '../../core/brand.ts';
import { InvalidValueError } from '../../core/errors.ts';
import { INTERVAL_MS, isIntraday, type Interval } from '../../domain/bar.ts';
import { MIN_NOTIONAL } from '../../domain/fees.ts';
import type { WorkStyle, WorkTerms } from '../../domain/orders/syntheticOrder.ts';
import type { WorkTerms as AuthorTerms } from '../../strategy/orderTerms.ts';
import { instantOf } from '../../strategy/sessionTime.ts';
import type { EndCode } from '../../domain/orders/endCode.ts';
import { minutesAfter, requireTime, startOf } from '../intents/orderTimes.ts';
import { refuse } from '../intents/refusal.ts';
import { form, oneOf, requireTerms, SIDES, toNotional, toShares, toTickPrice } from '../intents/terms.ts';
import type { EngineContext } from '../state/engineContext.ts';
import { cutToStep } from '../state/market.ts';
import type { ExitInput } from './exitTerms.ts';
import { openTime } from './workSpan.ts';

const FORM = form(
  'work',
  ['side', 'style', 'over', 'until', 'share', 'limit', 'every', 'tag', 'at', 'expires', 'goodTill'],
  ['shares', 'notional'],
);
const STYLES = ['twap', 'pov', 'chase'] as const;

const SPAN_MAX_MS = 30 * 24 * 60 * MINUTE_MS;
/** Open time in ms from which the default part is five minutes instead of one. */
const LONG_MS = 30 * MINUTE_MS;
const PARTS_MAX = 1_000;
/** Default minimum time in ms between two prices of a chase, and the smallest that is allowed. */
const FOLLOW_MS = 30_000;
const FOLLOW_MIN_MS = 5_000;

/** Input that the terms of a working order are checked against; `intervals`: bar intervals that the strategy uses. */
export type WorkScope = ExitInput &
  Readonly<{ context: Pick<EngineContext, 'now' | 'calendar'>; intervals: ReadonlySet<Interval> }>;

type Span = Readonly<{ from: EpochMs; until: EpochMs; openMs: number }>;

/**
 * Terms of `order.work`.
 * @throws {OrderRefusal} for a span that is over or has no session, a share outside (0, 1], or too small an amount
 */
export function workTermsOf(terms: AuthorTerms, at: WorkScope): WorkTerms {
  requireTerms(FORM, terms);
  const side = oneOf(SIDES, terms.side, 'side');
  const total = totalOf(terms, at);
  const span = spanOf(terms, at);
  return {
    kind: 'work',
    side,
    total,
    style: styleOf(terms, { ...at, span, total }),
    limit:
      terms.limit === undefined
        ? null
        : toTickPrice(terms.limit, { side, instrument: at.instrument, of: 'limit of order.work' }),
    from: span.from,
    until: span.until,
  };
}

const nameOf = ({ instrument }: ExitInput) => `order.work of ${instrument.symbol}`;

/** @throws {InvalidValueError} always: the terms are malformed, whatever the market */
function malformed(at: ExitInput, why: string): never {
  throw new InvalidValueError(`${nameOf(at)}: ${why}`);
}

const refused = (at: ExitInput, code: EndCode, why: string): never => refuse(code, `${nameOf(at)}: ${why}`);

function totalOf(terms: AuthorTerms, at: WorkScope): WorkTerms['total'] {
  const { instrument, price } = at;
  if ('notional' in terms) {
    if (terms.side === 'sell') return malformed(at, 'a sell has a number of shares, not a notional');
    const notional = toNotional(terms.notional, instrument);
    return notional < MIN_NOTIONAL ? tooLittle(at, `${formatDecimal(notional)} mUSD`) : { notional };
  }
  const quantity = terms.side === 'sell' ? at.toSell(terms.shares) : toShares(terms.shares, instrument);
  if (cutToStep(quantity, instrument) !== quantity && !instrument.fractionable)
    return refused(at, 'WHOLE_SHARES', `it trades in whole shares only, not ${formatDecimal(quantity)}`);
  const isDust = quantity === 0n || (price !== null && notionalOf(quantity, price, 'down') < MIN_NOTIONAL);
  return isDust ? tooLittle(at, `${formatDecimal(quantity)} shares`) : { quantity };
}

const tooLittle = (at: WorkScope, what: string): never =>
  refused(
    at,
    'TOO_SMALL',
    `${what} in all are less than the venue takes in one order (${formatDecimal(MIN_NOTIONAL)} mUSD)`,
  );

/** Span of an order: it starts now or at `at`, or at the next open after that. */
function spanOf(terms: AuthorTerms, at: WorkScope): Span {
  const { calendar } = at.context;
  const start = startOf(terms.at ?? 'now', at.context);
  const session = calendar.sessionAt(start) ?? calendar.nextSession(start);
  const from = start < session.open ? epochMs(session.open) : start;
  if ((terms.over === undefined) === (terms.until === undefined))
    return malformed(
      at,
      'give either over ({ minutes: 60 }) or until (a time of the session, such as "close-5m")',
    );
  if (terms.until !== undefined) requireTime(terms.until, `until of ${nameOf(at)}`);
  const until =
    terms.until === undefined
      ? minutesAfter(terms.over, from, `over of order.work of ${at.instrument.symbol}`)
      : instantOf(terms.until, session);
  if (until === null)
    return refused(at, 'OUT_OF_RANGE', `the session of ${session.date} does not reach ${terms.until}`);
  if (until <= from)
    return refused(
      at,
      'EXPIRED',
      `its span ends before it begins: ${terms.until} has passed in the session of ${session.date}`,
    );
  if (until - from > SPAN_MAX_MS) return refused(at, 'OUT_OF_RANGE', 'its span is longer than 30 days');
  return { from, until, openMs: openTime(from, until, calendar) };
}

type StyleInput = WorkScope & Readonly<{ span: Span; total: WorkTerms['total'] }>;

function styleOf(terms: AuthorTerms, at: StyleInput): WorkStyle {
  const kind = oneOf(STYLES, terms.style, 'style');
  if (kind !== 'pov' && terms.share !== undefined)
    return malformed(at, `share belongs to pov, not to ${kind}`);
  if (kind === 'pov' && terms.every !== undefined)
    return malformed(at, 'every belongs to twap and chase, not to pov');
  if (kind === 'twap') return { kind, parts: partsOf(terms, at) };
  if (kind === 'pov') return { kind, share: shareOf(terms.share, at), interval: shortestOf(at) };
  const everyMs = terms.every === undefined ? FOLLOW_MS : everyOf(terms.every, at);
  if (everyMs < FOLLOW_MIN_MS)
    return refused(at, 'OUT_OF_RANGE', 'it is priced again every 5 seconds at most');
  return { kind, everyMs };
}

/** Number of parts: all of equal length, and none below the venue's minimum at the current price. */
function partsOf({ every }: AuthorTerms, at: StyleInput): number {
  const { openMs } = at.span;
  const byLength = openMs >= LONG_MS ? 5 * MINUTE_MS : MINUTE_MS;
  const everyMs = every === undefined ? byLength : everyOf(every, at);
  if (everyMs < MINUTE_MS) return refused(at, 'OUT_OF_RANGE', 'a part of twap lasts a minute or more');
  const parts = Math.max(1, Math.floor(openMs / everyMs));
  if (parts > PARTS_MAX)
    return refused(
      at,
      'OUT_OF_RANGE',
      `${parts} parts are more than ${PARTS_MAX}: give a longer every, or a shorter span`,
    );
  return Math.max(1, Math.min(parts, mostParts(at)));
}

function mostParts({ total, price, instrument }: StyleInput): number {
  const whole = 'notional' in total ? total.notional : price && notionalOf(total.quantity, price, 'down');
  const byMinimum = whole === null ? PARTS_MAX : Number(cash(whole) / MIN_NOTIONAL);
  if (instrument.fractionable) return byMinimum;
  if ('quantity' in total) return Math.min(byMinimum, Number(total.quantity / WAD));
  return price === null ? byMinimum : Math.min(byMinimum, Number(total.notional / price));
}

function everyOf(every: NonNullable<AuthorTerms['every']>, at: WorkScope): number {
  const text = `every is ${JSON.stringify(every)}, not { minutes } or { seconds } above 0`;
  const count: unknown =
    typeof every !== 'object' ? null : 'seconds' in every ? every.seconds : every.minutes;
  if (typeof count !== 'number') return malformed(at, text);
  const ms = Math.round(count * ('seconds' in every ? 1_000 : MINUTE_MS));
  return ms > 0 && ms <= SPAN_MAX_MS ? ms : refused(at, 'OUT_OF_RANGE', text);
}

function shareOf(share: unknown, at: WorkScope): number {
  const text = `share is ${JSON.stringify(share)}, not a part of the volume above 0 and up to 1`;
  if (typeof share !== 'number') return malformed(at, text);
  return share > 0 && share <= 1 ? share : refused(at, 'OUT_OF_RANGE', text);
}

/** Shortest intraday interval of the stock's bars that the strategy uses. */
function shortestOf(at: WorkScope): Interval {
  const [shortest] = [...at.intervals].filter(isIntraday).sort((a, b) => INTERVAL_MS[a] - INTERVAL_MS[b]);
  return (
    shortest ??
    malformed(
      at,
      `pov follows the volume of bars: ask for bars of it in data(), such as { symbol, interval: '1m' }`,
    )
  );
}
