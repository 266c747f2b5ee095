import { counted } from '../../core/counted.ts';
import { DAY_MS, HOUR_MS } from '../../core/brand.ts';
import { withoutAmounts } from '../../core/withoutAmounts.ts';
import { meanOf } from '../../statistics/moments.ts';
import { groupTrades, returnOf, type TradeGroup } from '../../statistics/trades.ts';
import { barChart } from '../../figures/bandChart.ts';
import { missing, type Missing } from '../../figures/figure.ts';
import { signed, written, type Format } from '../../figures/format.ts';
import type { Markup } from '../../figures/markup.ts';
import { newYorkMinute } from '../../calendar/index.ts';
import type { RunView, TradeRecord } from './runView.ts';
import { rowChart } from '../../figures/rowChart.ts';
import { scatterChart, type Dot } from '../../figures/scatterChart.ts';

const NO_TRADES = 'no position was closed';
/** Maximum number of dots: more would hide each other. */
export const DOTS_MAX = 3000;
const GROUPS_MAX = 20;
const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/** Groups of closed trades; trades on weekly bars have no known day or hour. */
export function tradeCharts({ mark, trades }: RunView): (Markup | Missing)[] {
  if (trades.length === 0) return [missing('Trades', NO_TRADES)];
  return [
    durationScatter(trades),
    excursionScatter(trades),
    ...(mark === 'week' ? [] : timeBars(trades)),
    ...TEXT_GROUPS.flatMap(({ nameOf, isOptional, ...given }) =>
      isOptional && !trades.some((trade) => nameOf(trade))
        ? []
        : [
            groupRows(
              grouped(trades, (trade) => nameOf(trade) ?? NOT_GIVEN),
              given,
            ),
          ],
    ),
  ];
}

type ChartSpec = Readonly<{ id: string; of: string; title: string }>;

const NOT_GIVEN = 'none given';

/** Groups by text, such as strategy or reason (without amounts). Optional groups appear if a trade has such a text. */
const TEXT_GROUPS: readonly (ChartSpec &
  Readonly<{ nameOf: (trade: TradeRecord) => string | undefined; isOptional?: boolean }>)[] = [
  { id: 'pnl-symbol', of: 'Symbol', title: 'Profit by symbol', nameOf: ({ symbol }) => symbol },
  {
    id: 'pnl-tag',
    of: 'Tag',
    title: 'Profit by tag of the entry',
    nameOf: ({ entryTag }) => entryTag,
    isOptional: true,
  },
  {
    id: 'pnl-exit-tag',
    of: 'Tag',
    title: 'Profit by tag of the exit',
    nameOf: ({ exitTag }) => exitTag,
    isOptional: true,
  },
  {
    id: 'pnl-reason',
    of: 'Reason',
    title: 'Profit by reason of the exit',
    nameOf: ({ exitReason }) => (exitReason === '' ? undefined : withoutAmounts(exitReason)),
  },
];

const grouped = <Trade extends TradeRecord>(trades: readonly Trade[], nameOf: (trade: Trade) => string) =>
  groupTrades(trades, nameOf).sort((one, other) => (one.name < other.name ? -1 : 1));

function timeBars(trades: readonly TradeRecord[]): (Markup | Missing)[] {
  const closed = trades.map((trade) => ({ ...trade, time: newYorkMinute(trade.exitAt) }));
  const weekdayOf = (date: string) => new Date(`${date}T00:00:00Z`).getUTCDay();
  return [
    groupBars(
      grouped(closed, ({ time }) => String(weekdayOf(time.slice(0, 10)))).map((group) => ({
        ...group,
        name: WEEKDAYS[Number(group.name)]?.slice(0, 3) ?? '',
      })),
      { id: 'pnl-weekday', of: 'Weekday', title: 'Profit by weekday of the exit' },
    ),
    groupBars(
      grouped(closed, ({ time }) => `${time.slice(11, 13)}:00`),
      { id: 'pnl-hour', of: 'Hour', title: 'Profit by hour of the exit, New York' },
    ),
  ];
}

/** Largest groups by absolute profit or loss, with the others summed up. */
function largest(groups: readonly TradeGroup[]): TradeGroup[] {
  if (groups.length <= GROUPS_MAX) return [...groups];
  const ordered = groups.toSorted((one, other) => Math.abs(other.pnl) - Math.abs(one.pnl));
  const rest = ordered.slice(GROUPS_MAX - 1);
  const sum = (of: (group: TradeGroup) => number) => rest.reduce((total, group) => total + of(group), 0);
  const others = {
    name: `${rest.length} others`,
    pnl: sum(({ pnl }) => pnl),
    trades: sum(({ trades }) => trades),
    wins: sum(({ wins }) => wins),
  };
  return [...ordered.slice(0, GROUPS_MAX - 1), others];
}

const onlyOne = (title: string, { name, trades, pnl }: TradeGroup): Missing =>
  missing(title, `all ${counted(trades, 'trade')} are of one, ${name}: ${signed(pnl, 'money')} mUSD`);

function summaryOf(groups: readonly TradeGroup[]): string {
  const ordered = groups.toSorted((one, other) => other.pnl - one.pnl);
  const [best, worst] = [ordered[0], ordered.at(-1)];
  return `Best ${best?.name ?? ''} ${signed(best?.pnl, 'money')}, worst ${worst?.name ?? ''} ${signed(worst?.pnl, 'money')}.`;
}

/** Bars ordered by time of day or week. */
function groupBars(groups: readonly TradeGroup[], given: ChartSpec): Markup | Missing {
  const [first] = groups;
  if (first && groups.length === 1) return onlyOne(given.title, first);
  return barChart({
    ...given,
    unit: 'mUSD',
    height: 'low',
    format: 'money',
    summary: summaryOf(groups),
    labels: groups.map(({ name }) => name),
    series: [{ name: 'Profit', values: groups.map(({ pnl }) => pnl) }],
    more: [
      { name: 'Trades', format: 'round', values: groups.map(({ trades }) => trades) },
      { name: 'Won', format: 'percent0', values: groups.map(({ wins, trades }) => wins / trades) },
    ],
  });
}

/** Horizontal bars, from the best group to the worst. */
function groupRows(groups: readonly TradeGroup[], { of, ...given }: ChartSpec): Markup | Missing {
  const [first] = groups;
  if (first && groups.length === 1) return onlyOne(given.title, first);
  const shown = largest(groups).toSorted((one, other) => other.pnl - one.pnl);
  return rowChart({
    ...given,
    heads: [of, 'Profit, mUSD', 'Trades', 'Won'],
    summary: summaryOf(groups),
    ...(shown.length < groups.length && {
      note: `The ${GROUPS_MAX - 1} largest of ${groups.length}; the rest is summed.`,
    }),
    rows: shown.map(({ name, pnl, trades, wins }) => ({
      name,
      from: 0,
      to: pnl,
      style: pnl < 0 ? 'loss' : 'gain',
      cells: [signed(pnl, 'money'), written(trades, 'round'), written(wins / trades, 'percent0')],
    })),
  });
}

/** All trades or, if too many, those with the largest gains and losses and an even selection of the others. */
export function chosen(trades: readonly TradeRecord[]): TradeRecord[] {
  if (trades.length <= DOTS_MAX) return [...trades];
  const ordered = trades.toSorted((one, other) => returnOf(one) - returnOf(other));
  const ends = Math.floor(DOTS_MAX / 4);
  const middle = ordered.slice(ends, -ends);
  const step = middle.length / (DOTS_MAX - 2 * ends);
  const even = Array.from({ length: DOTS_MAX - 2 * ends }, (_, index) => middle[Math.floor(index * step)]);
  return [...ordered.slice(0, ends), ...even.flatMap((trade) => trade ?? []), ...ordered.slice(-ends)];
}

const thinned = (shown: number, all: number): { note?: string } =>
  shown < all
    ? {
        note: `${written(shown, 'round')} of ${written(all, 'round')} trades: those with the highest and the lowest returns, and every n-th of the others.`,
      }
    : {};

const labelOf = (trade: TradeRecord): string => `${trade.symbol} ${newYorkMinute(trade.entryAt)}`;

type Pair = Readonly<{ x: (trade: TradeRecord) => number; y: (trade: TradeRecord) => number }>;

const dotsOf = (trades: readonly TradeRecord[], { x, y }: Pair): Dot[] =>
  trades.map((trade) => ({ x: x(trade), y: y(trade), label: labelOf(trade), gain: trade.pnl > 0 }));

const columnOf = (name: string, format: Format, values: readonly number[]) => ({ name, format, values });

function durationScatter(trades: readonly TradeRecord[]): Markup {
  const shown = chosen(trades);
  const lasted = trades.map(({ entryAt, exitAt }) => exitAt - entryAt);
  const [unit, unitMs] =
    lasted.reduce((most, each) => Math.max(most, each), 0) > 2 * DAY_MS
      ? (['days', DAY_MS] as const)
      : (['hours', HOUR_MS] as const);
  const length = ({ entryAt, exitAt }: TradeRecord) => (exitAt - entryAt) / unitMs;
  return scatterChart({
    id: 'trade-scatter',
    title: 'Duration and return of trades',
    of: 'Trade',
    unit: 'return, fees included',
    alongUnit: `held for, ${unit} of the calendar`,
    alongFormat: 'general',
    format: 'percent1',
    dots: dotsOf(shown, { x: length, y: returnOf }),
    summary: `${counted(trades.length, 'trade')}, held ${written(meanOf(lasted) / unitMs, 'ratio')} ${unit} on average, with a mean return of ${signed(meanOf(trades.map(returnOf)), 'percent')}.`,
    ...thinned(shown.length, trades.length),
    columns: [
      columnOf('Return', 'percent', shown.map(returnOf)),
      columnOf(
        'Profit',
        'money',
        shown.map(({ pnl }) => pnl),
      ),
      columnOf(`Held, ${unit}`, 'ratio', shown.map(length)),
    ],
  });
}

function excursionScatter(trades: readonly TradeRecord[]): Markup {
  const shown = chosen(trades);
  const [against, forIt] = [meanOf(trades.map(({ mae }) => -mae)), meanOf(trades.map(({ mfe }) => mfe))];
  return scatterChart({
    id: 'excursions',
    title: 'Furthest move against and for each trade',
    of: 'Trade',
    unit: 'furthest for it (MFE)',
    alongUnit: 'furthest against it (MAE)',
    alongFormat: 'percent1',
    format: 'percent1',
    dots: dotsOf(shown, { x: ({ mae }) => -mae, y: ({ mfe }) => mfe }),
    summary: `On average ${written(against, 'percent')} against and ${written(forIt, 'percent')} for it, as parts of the entry price.`,
    ...thinned(shown.length, trades.length),
    columns: [
      columnOf(
        'Against',
        'percent',
        shown.map(({ mae }) => mae),
      ),
      columnOf(
        'For',
        'percent',
        shown.map(({ mfe }) => mfe),
      ),
      columnOf('Return', 'percent', shown.map(returnOf)),
    ],
  });
}
