import type { TradingCalendar } from '../calendar/index.ts';
import { toNumber } from '../core/amount.ts';
import { epochMs } from '../core/brand.ts';
import { ConfigError } from '../core/errors.ts';
import { actionOf, sharesPer, type CorporateAction } from '../domain/corporateAction.ts';
import type { PriceKind } from './foreign/sources.ts';
import type { StoredAction } from './manifest.ts';
import type { BarColumns } from '../domain/barColumns.ts';

/** Decimals to which unadjusted prices are rounded: sources round theirs to six at most. */
const PLACES = 6;

type RawPriceOptions = Readonly<{
  symbol: string;
  prices: Exclude<PriceKind, 'raw'>;
  actions: readonly StoredAction[];
  /** Hours of the bars. An ex-date begins with the first bar of its day: the evening before, if nights are included. */
  calendar: TradingCalendar;
  /** Day on which the source wrote the file, `YYYY-MM-DD`: later actions are not in its prices. Null if unknown. */
  asOf: string | null;
}>;

/**
 * Prices as traded, recovered from a source that has adjusted them for later actions. Backwards from the last bar,
 * which is unadjusted, each split multiplies the prices before it by its ratio and divides their volumes. A dividend D,
 * if the source adjusts for these too, was removed by the factor 1 − D / C, with C the raw close of the regular session
 * before its ex-date; C is that close times the factors since, plus D. As exact as the rounding of the source.
 * @throws {ConfigError} for a day before the last bar, and for an action after it whose effect on the prices is unknown
 */
export function rawPrices(bars: BarColumns, undoing: RawPriceOptions): BarColumns {
  const due = actionsIn(bars, undoing);
  const raw = copied(bars);
  let [price, volume, next] = [1, 1, 0];
  for (let at = bars.start.length - 1; at >= 0; at--) {
    for (let each = due[next]; each && (bars.start[at] ?? NaN) < each.open; each = due[++next]) {
      price *= factorOf(each.action, (bars.close[sessionBar(bars, at, undoing)] ?? NaN) * price);
      if (each.action.kind === 'split') volume /= sharesPer(each.action);
    }
    for (const column of [raw.open, raw.high, raw.low, raw.close])
      column[at] = rounded((column[at] ?? NaN) * price);
    raw.volume[at] = (raw.volume[at] ?? NaN) * volume;
  }
  return raw;
}

/** Actions reflected in the prices, latest first: a payment is for the shares before the splits of its day. */
function actionsIn({ start }: BarColumns, { symbol, prices, actions, calendar, asOf }: RawPriceOptions) {
  const last = start.at(-1) ?? -Infinity;
  if (asOf !== null && start.length > 0 && asOf < calendar.newYorkDate(epochMs(last)))
    throw new ConfigError(
      `--as-of ${asOf} is before the last bar of ${symbol}, of ${calendar.newYorkDate(epochMs(last))}: give the day on which the file was written`,
    );
  return actions
    .map((action) => actionOf({ symbol, ...action }))
    .filter(({ kind, exDate }) => (kind === 'split' || prices === 'all') && (asOf === null || exDate <= asOf))
    .map((action) => {
      const { date } = calendar.sessionFrom(action.exDate);
      const { open } = calendar.sessions(date, date)[0] ?? calendar.sessionFrom(date);
      if (open > last && (asOf === null || action.kind === 'payment')) throw afterLast(action, asOf);
      return { action, open };
    })
    .sort(
      (a, b) => b.open - a.open || Number(a.action.kind === 'payment') - Number(b.action.kind === 'payment'),
    );
}

function afterLast({ symbol, name, exDate }: CorporateAction, asOf: string | null): ConfigError {
  const remedy =
    asOf === null
      ? 'Give the day on which the file was written: --as-of DATE'
      : 'The close before it is not in the file, so that its factor is unknown: take a file that reaches beyond it';
  return new ConfigError(`the ${name} of ${symbol} of ${exDate} is after the last bar. ${remedy}`, {
    symbol,
  });
}

/** Index of the last bar of a regular session at or before `at`; `at` itself if there is none. */
function sessionBar({ start }: BarColumns, at: number, { calendar }: RawPriceOptions): number {
  const isRegular = (bar: number) => calendar.phaseAt(epochMs(start[bar] ?? NaN)).phase === 'regular';
  let bar = at;
  while (bar >= 0 && !isRegular(bar)) bar--;
  return bar < 0 ? at : bar;
}

/** Factor from prices after an action to those before. @param known close before it, adjusted for this action only */
function factorOf(action: CorporateAction, known: number): number {
  if (action.kind === 'split') return sharesPer(action);
  return (known + toNumber(action.perShare)) / known;
}

const rounded = (value: number): number => Number(value.toFixed(PLACES));

const copied = ({ start, open, high, low, close, volume }: BarColumns): BarColumns => ({
  start: start.slice(),
  open: open.slice(),
  high: high.slice(),
  low: low.slice(),
  close: close.slice(),
  volume: volume.slice(),
});
