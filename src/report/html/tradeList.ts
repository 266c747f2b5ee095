import { counted } from '../../core/counted.ts';
import { returnOf } from '../../statistics/trades.ts';
import { written, type Format } from '../../figures/format.ts';
import { dataBlock, markup, type Markup, scrolling } from '../../figures/markup.ts';
import { candleId, shownCandles } from './prices/candles.ts';
import { tradeId } from './prices/candleMarks.ts';
import { newYorkMinute } from '../../calendar/index.ts';
import { LIST_PAGE, LISTED_MAX, type RunView, type TradeRecord } from './runView.ts';

/** Data of the list for the script: columns, rows per page, and each trade's position in the candles of its symbol. */
export type TradeBlock = Readonly<{
  page: number;
  columns: readonly Readonly<{
    head: string;
    format?: Format;
    isLong?: boolean;
    /** Repeated texts; `values` are then indexes into them. */
    known?: readonly string[];
    values: readonly (string | number | null)[];
  }>[];
  /** Figure of each trade's stock, and the index of the trade in it; null if the stock has no figure. */
  places: readonly (readonly [chart: string, index: number] | null)[];
}>;

type TradeColumn = Readonly<{
  head: string;
  format?: Format;
  /** True for long texts. */
  isLong?: boolean;
  of: (trade: TradeRecord) => string | number;
}>;

const [SYMBOL, STRATEGY] = ['Symbol', 'Strategy'];

/** Columns of the list. The first ones are those shown on a phone. */
const COLUMNS: readonly TradeColumn[] = [
  { head: SYMBOL, of: ({ symbol }) => symbol },
  { head: 'Entry', of: ({ entryAt }) => newYorkMinute(entryAt) },
  { head: 'Exit', of: ({ exitAt }) => newYorkMinute(exitAt) },
  { head: 'Profit', format: 'money', of: ({ pnl }) => pnl },
  { head: 'Return', format: 'percent', of: returnOf },
  { head: STRATEGY, of: ({ strategy }) => strategy },
  { head: 'Shares', format: 'shares4', of: ({ shares }) => shares },
  { head: 'Bought at', format: 'price', of: ({ entryPrice }) => entryPrice },
  { head: 'Sold at', format: 'price', of: ({ exitPrice }) => exitPrice },
  { head: 'Fees', format: 'money', of: ({ fees = NaN }) => fees },
  { head: 'Bars', format: 'round', of: ({ bars = NaN }) => bars },
  { head: 'MAE', format: 'percent', of: ({ mae }) => mae },
  { head: 'MFE', format: 'percent', of: ({ mfe }) => mfe },
  { head: 'Entered for', isLong: true, of: ({ entryReason }) => entryReason },
  { head: 'Left for', isLong: true, of: ({ exitReason }) => exitReason },
];
/** Columns that closed lots do not have. */
const OF_ROUND_TRIPS = ['Bars', 'Fees'];
/** Columns that appear only if a trade has such a tag. */
const TAGS: readonly TradeColumn[] = [
  { head: 'Entry tag', of: ({ entryTag = '' }) => entryTag },
  { head: 'Exit tag', of: ({ exitTag = '' }) => exitTag },
];

/** Closed trades, latest first, paged and sortable by any column. */
export function tradeList(view: RunView): Markup {
  const { record, trades, listed, isByLots } = view;
  const { run } = record;
  if (trades.length === 0)
    return markup`<section class="table-block" id="trades"><h3>Trade list</h3><p class="none">No position was closed.</p></section>`;
  const isOfOne = trades.every(({ strategy }) => strategy === trades[0]?.strategy);
  const omitted = [...(isByLots ? OF_ROUND_TRIPS : []), ...(isOfOne ? [STRATEGY] : [])];
  const columns = [
    ...COLUMNS.filter(({ head }) => !omitted.includes(head)),
    ...TAGS.filter(({ of }) => trades.some(of)),
  ];
  const cut =
    listed.length < trades.length
      ? ` The ${written(LISTED_MAX, 'round')} latest of ${written(trades.length, 'round')} are listed; the record of run ${run.runId} has all.`
      : '';
  const unscripted =
    listed.length > LIST_PAGE ? ` Without scripts the page shows the first ${LIST_PAGE}.` : '';
  const places = placesOf(listed, view);
  return markup`<section class="table-block" id="trades"><h3>Trade list</h3>
<p class="summary">${counted(trades.length, isByLots ? 'closed lot' : 'closed trade')}; times in New York, prices and money in mUSD, profit with fees.${cut}</p>
<div class="pager scripted" data-pager="trades"><label>Find <input type="search" placeholder="symbol or reason" data-find></label><button type="button" data-step="-1">‹ Newer</button><span data-where aria-live="polite"></span><button type="button" data-step="1">Older ›</button><button type="button" data-csv="${run.runId.slice(0, 8)}">Download CSV</button></div>
${scrolling(
  'Trade list',
  markup`<table class="list" data-list="trades"><thead><tr>${columns.map(({ head, format }) => markup`<th scope="col"${format ? null : raw(' class="text"')}><button type="button">${head}</button></th>`)}</tr></thead><tbody>
${listed.slice(0, LIST_PAGE).map((trade, row) => rowOf(trade, columns, places[row] ? tradeId(row) : null))}</tbody></table>`,
)}
<noscript><p class="note">${unscripted}</p></noscript>
${dataBlock('data-trades', { page: LIST_PAGE, columns: columns.map((column) => packed(column, listed)), places })}</section>
`;
}

const raw = (text: string): Markup => ({ markup: text });

/** @param target id of the trade's line over the candles of its stock, if any */
const rowOf = (trade: TradeRecord, columns: readonly TradeColumn[], target: string | null): Markup =>
  markup`<tr>${columns.map(({ head, of, format, isLong = false }) => {
    const value = of(trade);
    if (head === SYMBOL && target !== null)
      return markup`<td class="text"><a href="#${target}">${value}</a></td>`;
    return typeof value === 'string' || !format
      ? markup`<td class="${isLong ? 'text reason' : 'text'}">${value}</td>`
      : markup`<td${format === 'money' && value < 0 ? raw(' class="lost"') : null}>${written(value, format)}</td>`;
  })}</tr>\n`;

/** Significant digits of a trade's numbers: as many as a price or an amount has. */
const DIGITS = 10;

const exactly = (value: number): number | null =>
  Number.isFinite(value) ? Number(value.toPrecision(DIGITS)) : null;

/** Column for the script, with repeated texts stored once. */
function packed(
  { head, format, isLong, of }: TradeColumn,
  trades: readonly TradeRecord[],
): TradeBlock['columns'][number] {
  if (format) return { head, format, values: trades.map((trade) => exactly(Number(of(trade)))) };
  const texts = trades.map((trade) => String(of(trade)));
  const known = [...new Set(texts)];
  const places = new Map(known.map((text, index) => [text, index]));
  const long = isLong ? { isLong } : {};
  return known.length * 2 > texts.length
    ? { head, ...long, values: texts }
    : { head, ...long, known, values: texts.map((text) => places.get(text) ?? 0) };
}

/** Figure of each trade's stock, and the index of the trade in it; null if the stock has no figure. */
function placesOf(trades: readonly TradeRecord[], { record }: RunView): TradeBlock['places'] {
  const charts = new Map(shownCandles(record).map(({ symbol }, index) => [symbol, candleId(index)] as const));
  const counts = new Map<string, number>();
  return trades.map(({ symbol }) => {
    const chart = charts.get(symbol);
    if (chart === undefined) return null;
    const index = counts.get(symbol) ?? 0;
    counts.set(symbol, index + 1);
    return [chart, index];
  });
}
